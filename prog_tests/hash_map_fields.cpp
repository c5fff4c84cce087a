// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Hash maps whose values hold a spin lock, a timer or an object, and the count of elements that
// the kernel keeps.
#include "progs/locked_value.h"

#include <hash_map_fields.skel.h>
#include <map_kfunc.skel.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include <fstream>

#include "prog_tests/hash_map_checks.h"
#include "prog_tests/kernel_function.h"
#include "prog_tests/map_ops_bpf.h"
#include "prog_tests/one_program.h"

using map_test::load_only;

static int run(bpf_program *program) { return map_test::run_xdp(bpf_program__fd(program)); }

// Values as long as struct timer_value: a number, then the timer's 16 bytes.
struct TimerValue {
  uint64_t number;
  uint64_t timer[2];
};

// A running timer must not keep an element from being overwritten, deleted and used again.
static void use_timed_element(int fd)
{
  uint32_t zero = 0;
  TimerValue value{1, {}};
  REQUIRE_OK(bpf_map_lookup_elem(fd, &zero, &value));
  CHECK_EQ(value.timer[0], 0u);
  value.number = 2;
  CHECK_OK(bpf_map_update_elem(fd, &zero, &value, BPF_EXIST));
  CHECK_OK(bpf_map_delete_elem(fd, &zero));
  CHECK_OK(bpf_map_update_elem(fd, &zero, &value, BPF_NOEXIST));
  CHECK_OK(bpf_map_lookup_elem(fd, &zero, &value));
  CHECK_EQ(value.number, 2u);
}

static int put_zero(int fd)
{
  uint32_t zero = 0;
  TimerValue value{1, {}};
  return bpf_map_update_elem(fd, &zero, &value, BPF_ANY);
}

// On x86 without cmpxchg16b (QEMU 7.2 is best run so) memory cannot be had without waiting, and
// newer kernels ask for a timer's memory in that way.
static void require_memory_without_waiting(int err)
{
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (err == -ENOMEM && std::getline(file, line))
    if (line.starts_with("flags") && line.find(" cx16") == std::string::npos)
      test::skip("this CPU has no cmpxchg16b, without which the kernel gives timers no memory");
}

// Starts both timers. -ENOMEM may come and go where memory is asked for without waiting; a timer
// that is there already answers -EBUSY.
static void start_timers(bpf::Skeleton<::hash_map_fields> &skel)
{
  bool first = false, second = false;
  for (int tries = 0; tries < 100 && !(first && second); tries++) {
    REQUIRE_OK(run(skel->progs.start_timers));
    first = first ? skel->bss->ret == -EBUSY : skel->bss->ret == 0;
    second = second ? skel->bss->ret2 == -EBUSY : skel->bss->ret2 == 0;
  }
  require_memory_without_waiting(skel->bss->ret);
  test::log(fmt::format("bpf_timer_init: {} and {}", skel->bss->ret, skel->bss->ret2));
  CHECK(first);
  CHECK(second);
}

// A file system for pins that is mounted nowhere, and gone with its fd.
static Fd private_bpffs()
{
  Fd context(static_cast<int>(syscall(SYS_fsopen, "bpf", 1 /* FSOPEN_CLOEXEC */)));
  if (!context || syscall(SYS_fsconfig, context.get(), 6 /* FSCONFIG_CMD_CREATE */, 0, 0, 0))
    test::skip("no bpf file system can be made here");
  return Fd(
      bpf::check(static_cast<int>(syscall(SYS_fsmount, context.get(), 1, 0)), "mount", "bpffs"));
}

// clang 14 drops the tag of a pointer to a struct inside a struct, and with it the ownership.
static void require_type_tags(const bpf_object *object)
{
  const btf *types = bpf_object__btf(object);
  for (uint32_t id = 1; id < btf__type_cnt(types); id++)
    if (btf_is_type_tag(btf__type_by_id(types, id)))
      return;
  test::skip("the compiler of the BPF programs dropped the type tags");
}

TEST(hash_map_fields)
{
  // covers: hash T3, hash N5
  SUBTEST(lock_flag)
  {
    bpf::Skeleton<::hash_map_fields> skel("hash_map_fields");
    load_only(skel, skel->progs.write_under_lock);
    int fd = bpf_map__fd(skel->maps.locked);
    uint32_t key = 0;
    locked_value value = {}, found = {};
    value.words[3] = 33;
    CHECK_ERR(bpf_map_update_elem(fd, &key, &value, BPF_F_LOCK | BPF_EXIST), -ENOENT);
    CHECK_OK(bpf_map_update_elem(fd, &key, &value, BPF_F_LOCK | BPF_NOEXIST));
    CHECK_ERR(bpf_map_update_elem(fd, &key, &value, BPF_F_LOCK | BPF_NOEXIST), -EEXIST);
    value.words[3] = 34;
    CHECK_OK(bpf_map_update_elem(fd, &key, &value, BPF_F_LOCK | BPF_EXIST));
    CHECK_OK(bpf_map_lookup_elem_flags(fd, &key, &found, BPF_F_LOCK));
    CHECK_EQ(found.words[3], 34u);
    CHECK_ERR(bpf_map_lookup_elem_flags(fd, &key, &found, 1), -EINVAL);
    CHECK_OK(bpf_map_lookup_and_delete_elem_flags(fd, &key, &found, BPF_F_LOCK));
  };
  // The lock's own bytes belong to the kernel: what user space writes there is not taken over.
  // covers: hash T3
  SUBTEST(lock_bytes_are_hidden)
  {
    bpf::Skeleton<::hash_map_fields> skel("hash_map_fields");
    load_only(skel, skel->progs.write_under_lock);
    int fd = bpf_map__fd(skel->maps.locked);
    uint32_t key = 0;
    locked_value value = {}, found = {};
    value.lock.val = 1;
    CHECK_OK(bpf_map_update_elem(fd, &key, &value, BPF_ANY));
    CHECK_OK(bpf_map_lookup_elem(fd, &key, &found));
    CHECK_EQ(found.lock.val, 0u);
    CHECK_OK(run(skel->progs.write_under_lock));
    CHECK_EQ(skel->bss->ret, 256);
    CHECK_EQ(skel->bss->written, 256u);
    CHECK_EQ(skel->bss->torn, 0u);
  };
  // covers: hash T3
  SUBTEST(timer_elements)
  {
    bpf::Skeleton<::hash_map_fields> skel("hash_map_fields");
    load_only(skel, skel->progs.start_timers);
    for (bpf_map *map : {skel->maps.timers, skel->maps.timers_no_prealloc})
      REQUIRE_OK(put_zero(bpf_map__fd(map)));
    start_timers(skel);
    for (bpf_map *map : {skel->maps.timers, skel->maps.timers_no_prealloc})
      use_timed_element(bpf_map__fd(map));
  };
  // A map that outlives its programs by a pin gives its timers back and stays of use.
  // covers: hash T3
  SUBTEST(pinned_map_with_timer)
  {
    Fd mount = private_bpffs();
    std::string path = "/proc/self/fd/" + std::to_string(mount.get()) + "/pinned";
    {
      bpf::Skeleton<::hash_map_fields> skel("hash_map_fields");
      load_only(skel, skel->progs.start_timers);
      for (bpf_map *map : {skel->maps.timers, skel->maps.timers_no_prealloc})
        REQUIRE_OK(put_zero(bpf_map__fd(map)));
      start_timers(skel);
      REQUIRE_OK(bpf_obj_pin(bpf_map__fd(skel->maps.timers), path.c_str()));
    }
    Fd map(bpf::check(bpf_obj_get(path.c_str()), "open pin of", "timers"));
    use_timed_element(map.get());
  };
  // covers: hash T3
  SUBTEST(element_count)
  {
    map_test::require_kernel_function("bpf_map_sum_elem_count");
    bpf::Skeleton<::map_kfunc> skel("map_kfunc");
    load_only(skel, skel->progs.count_elements);
    for (bpf_map *map : {skel->maps.counted, skel->maps.counted_no_prealloc}) {
      for (uint32_t key = 0; key < 100; key++) {
        uint64_t value = key;
        REQUIRE_OK(bpf_map_update_elem(bpf_map__fd(map), &key, &value, BPF_ANY));
        REQUIRE_OK(bpf_map_update_elem(bpf_map__fd(map), &key, &value, BPF_EXIST));
      }
      for (uint32_t key = 0; key < 30; key++)
        REQUIRE_OK(bpf_map_delete_elem(bpf_map__fd(map), &key));
    }
    CHECK_OK(run(skel->progs.count_elements));
    CHECK_EQ(skel->bss->count, 70);
    CHECK_EQ(skel->bss->count_no_prealloc, 70);
  };
  // covers: hash T3
  SUBTEST(object_goes_with_its_element)
  {
    map_test::require_kernel_function("bpf_obj_new_impl");
    bpf::Skeleton<::map_kfunc> skel("map_kfunc");
    require_type_tags(skel->obj);
    load_only(skel, skel->progs.exchange_object);
    int fd = bpf_map__fd(skel->maps.owners);
    uint32_t zero = 0;
    uint64_t value[2] = {1, 0};
    auto exchange = [&](uint64_t number) -> uint64_t {
      skel->bss->number = number;
      CHECK_OK(run(skel->progs.exchange_object));
      CHECK_OK(skel->bss->ret);
      return skel->bss->before;
    };
    REQUIRE_OK(bpf_map_update_elem(fd, &zero, value, BPF_ANY));
    CHECK_EQ(exchange(11), 0u);
    CHECK_EQ(exchange(12), 11u);
    REQUIRE_OK(bpf_map_delete_elem(fd, &zero));
    REQUIRE_OK(bpf_map_update_elem(fd, &zero, value, BPF_NOEXIST));
    // Kernels with that function only cancel what runs: the object stays with the memory of the
    // element until that is freed, and may so be met again by the next owner of the memory.
    bool stays = map_test::has_kernel_function("bpf_obj_cancel_fields");
    uint64_t met = exchange(13);
    CHECK(met == 0 || (stays && met == 12));
    REQUIRE_OK(bpf_map_lookup_elem(fd, &zero, value));
    CHECK_EQ(value[1], 0u);
  };
}
