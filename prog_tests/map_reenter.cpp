// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A map that is used again while an operation on it is under way, from a traced function or from
// an NMI: refused with an errno, never a deadlock, and the map stays what it was.
#include "progs/map_stress.h"

#include <linux/perf_event.h>
#include <map_reenter.skel.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "prog_tests/kernel_function.h"
#include "prog_tests/lpm_trie_key.h"
#include "prog_tests/map_ops_bpf.h"
#include "prog_tests/one_program.h"
#include "tools/lib/probe.h"

namespace
{

using Skel = bpf::Skeleton<::map_reenter>;

struct TimerValue {
  uint64_t number;
  uint64_t timer[2];
};

// What an overwrite calls for the old element under the bucket's lock: 7.2, 6.3 and before.
void set_target(bpf_program *program)
{
  for (const char *name :
       {"bpf_obj_cancel_fields", "bpf_obj_free_fields", "bpf_timer_cancel_and_free"})
    if (map_test::has_kernel_function(name)) {
      bpf::check(bpf_program__set_attach_target(program, 0, name), "trace", name);
      return;
    }
  test::skip("this kernel has no function to trace that runs under a bucket's lock");
}

// Cycles of this process on any CPU; an overflow is an NMI.
Fd open_cycles()
{
  perf_event_attr attr = {};
  attr.size = sizeof(attr);
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_CPU_CYCLES;
  attr.sample_period = 20000;
  attr.disabled = 1;
  return Fd(static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0)));
}

void update_and_erase(int fd, uint32_t nr_ops)
{
  for (uint32_t i = 0; i < nr_ops; i++) {
    stress_key key = {32, i % 512 * 2};
    uint64_t value = static_cast<uint64_t>(key.number) << 32;
    CHECK_OK(bpf_map_update_elem(fd, &key, &value, BPF_NOEXIST));
    if (i % 512 >= 256)
      CHECK_OK(bpf_map_delete_elem(fd, &key));
  }
}

void disturb_by_nmi(bpf_map_type type)
{
  Fd cycles = open_cycles();
  if (!cycles)
    test::skip("no hardware performance counter, and so no NMI");
  // Before, the lock of a trie spins for ever in an NMI.
  test::require(probe::kernel<6, 15>);
  Skel skel("map_reenter");
  bpf::MapSpec spec = lpm_test::trie_spec(4, 1024);
  spec.type = type;
  map_test::shape_map(skel->maps.map, spec);
  map_test::load_only(skel, skel->progs.in_nmi);
  skel->bss->pid = static_cast<uint32_t>(getpid());
  int fd = bpf_map__fd(skel->maps.map);
  REQUIRE_OK(ioctl(cycles.get(), PERF_EVENT_IOC_SET_BPF, bpf_program__fd(skel->progs.in_nmi)));
  REQUIRE_OK(ioctl(cycles.get(), PERF_EVENT_IOC_ENABLE, 0));
  update_and_erase(fd, 512);
  REQUIRE_OK(ioctl(cycles.get(), PERF_EVENT_IOC_DISABLE, 0));
  test::log(fmt::format("{} NMIs, {} done, {} refused", skel->bss->entered, skel->bss->done,
                        skel->bss->busy));
  CHECK_EQ(skel->bss->unexpected, 0u);
  CHECK_EQ(skel->bss->done + skel->bss->busy, skel->bss->entered);
  for (uint32_t i = 0; i < 512; i++) {
    stress_key key = {32, i * 2};
    uint64_t value;
    CHECK_ERR(bpf_map_lookup_elem(fd, &key, &value), i < 256 ? 0 : -ENOENT);
  }
}

} // namespace

TEST(map_reenter)
{
  // covers: hash T3
  SUBTEST(update_inside_update)
  {
    test::require(probe::fentry);
    Skel skel("map_reenter");
    set_target(skel->progs.reenter);
    map_test::load_only(skel, skel->progs.reenter);
    skel.attach();
    int fd = bpf_map__fd(skel->maps.timed);
    uint32_t zero = 0;
    TimerValue value{1, {}};
    REQUIRE_OK(bpf_map_update_elem(fd, &zero, &value, BPF_ANY));
    skel->bss->pid = static_cast<uint32_t>(getpid());
    value.number = 2;
    CHECK_OK(bpf_map_update_elem(fd, &zero, &value, BPF_ANY));
    CHECK(skel->bss->entered >= 1);
    // The lock that notices the deadlock came with 6.15; before, a count by CPU refused it.
    CHECK_ERR(skel->bss->ret, probe::kernel_at_least(6, 15) ? -EBUSY : -EDEADLK);
    CHECK_OK(bpf_map_lookup_elem(fd, &zero, &value));
    CHECK_EQ(value.number, 2u);
  };
  // covers: lpm N9
  SUBTEST(trie_in_nmi) { disturb_by_nmi(BPF_MAP_TYPE_LPM_TRIE); };
  SUBTEST(hash_in_nmi) { disturb_by_nmi(BPF_MAP_TYPE_HASH); };
}
