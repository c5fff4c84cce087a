// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// lpm-trie-free: how long the kernel takes to free a full LPM trie. One hit is one trie of
// nr_entries prefixes, timed around bpf_map_free_deferred() by fentry/fexit where this kernel
// loads them, otherwise by the workqueue tracepoints. Creating and filling is not timed.
// What makes a figure wrong: another map freed meanwhile; only the map of our name is timed.
#include <bpf/bpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "lpm_trie_keys.h"
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"
#include "tools/lib/fd.h"

// After the header that defines its structs.
#include "map_free_bench.skel.h"

namespace
{

using namespace bench;
using Skel = map_free_bench;
using Programs = decltype(Skel::progs);
using Pair = std::array<bpf_program * Programs::*, 2>;

constexpr Pair fentry_pair{&Programs::fentry_start, &Programs::fexit_end};
constexpr Pair workqueue_pair{&Programs::work_start, &Programs::work_end};

// What a kernel says that does not let these programs be loaded or attached; anything else is a
// failure. 524: ENOTSUPP, which only the kernel's own headers name.
bool is_lacking(int error)
{
  constexpr int enotsupp = 524;
  return error == EPERM || error == EACCES || error == EOPNOTSUPP || error == enotsupp ||
         error == ENOENT || error == ESRCH || error == EINVAL;
}

class LpmFree : public TestRunBench {
public:
  explicit LpmFree(const Params &params) : x_params(params)
  {
    std::string why;
    if (!attach(fentry_pair, why) && !attach(workqueue_pair, why))
      throw bpf::missing("neither fentry/fexit nor the workqueue raw tracepoints: " + why);
    use(x_skel->get()->progs.noop, nullptr, (*x_skel)->bss->bench_slots, 1, 1);
  }

  // One trie, whatever nr_ops says: the benchmark is not batched.
  Counts run(unsigned, uint32_t) override
  {
    auto *bss = (*x_skel)->bss;
    std::string name = fmt::format("bg{:x}_{}", getpid() & 0xffffff, x_count++ % 10000);
    strncpy(bss->map_name, name.c_str(), sizeof(bss->map_name) - 1);
    uint64_t frees = bss->frees, ns = bss->free_ns;
    {
      LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
      Fd map(bpf::check(bpf_map_create(BPF_MAP_TYPE_LPM_TRIE, name.c_str(), sizeof(lpm::Key), 4,
                                       x_params.number("nr_entries"), &opts),
                        "create map", name));
      lpm::fill(map.get(), x_params.number("nr_entries"), x_params.number("prefix_len"));
    }
    wait_for_free(frees);
    Counts counts;
    counts.hits = 1;
    counts.ns = bss->free_ns - ns;
    return counts;
  }

  void seed(uint64_t) override {}
  void set_inject_q20(uint64_t q20) override { (*x_skel)->bss->inject_q20 = q20; }
  std::string bytecode() const override { return x_bytecode; }

private:
  bool attach(const Pair &pair, std::string &why)
  {
    auto skel = std::make_unique<bpf::Skeleton<Skel>>("map_free_bench");
    for (auto prog : pair)
      bpf_program__set_autoload((*skel)->progs.*prog, true);
    try {
      skel->load();
      skel->attach();
    } catch (const bpf::error &error) {
      if (!is_lacking(error.code().value()))
        throw;
      why += fmt::format("{}{}", why.empty() ? "" : "; ", error.code().message());
      return false;
    }
    x_skel = std::move(skel);
    x_bytecode = program_tag((*x_skel)->progs.*pair[1]);
    return true;
  }

  // The kernel frees a map after an RCU grace period, on a kernel thread.
  void wait_for_free(uint64_t before)
  {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (__atomic_load_n(&(*x_skel)->bss->frees, __ATOMIC_ACQUIRE) == before) {
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error("the kernel did not free the map within two minutes");
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  const Params x_params;
  std::unique_ptr<bpf::Skeleton<Skel>> x_skel;
  std::string x_bytecode;
  unsigned x_count = 0;
};

const Register lpm_trie_free{{
    .name = "lpm-trie-free",
    .op = "freeing one trie of nr_entries prefixes, inside the kernel",
    .report = ops_report('K', "ms"),
    .options = lpm::options(),
    .batched = false,
    .validate = lpm::validate_once,
    .load = [](const Params &params) { return std::make_unique<LpmFree>(params); },
}};

} // namespace
