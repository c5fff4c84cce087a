// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// trig-*, inside the kernel: what it costs until a program runs, by the way it is attached. One hit
// is one call of a hooked function, made by a driver that loops; every call must have run the
// program. --net takes off a call that nothing hooks.
// What makes a figure wrong: other tracers on the same function.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"
#include "tools/bench/user_loop_bench.h"
#include "tools/lib/probe.h"

// After the header that defines its structs.
#include "trigger_bench.skel.h"

namespace
{

using namespace bench;
using Skel = trigger_bench;
using Programs = decltype(Skel::progs);
using Program = bpf_program *Programs::*;

// How one benchmark hooks what its driver calls.
struct Hook {
  const char *name, *op;
  Program driver = nullptr, base = nullptr, hook = nullptr; // hook: what counts; null: the driver
  std::vector<probe::Missing (*)()> needs;
  Program everywhere = nullptr; // on all functions of the kernel but the hooked one
  bool on_return = false;
};

// Functions that upstream leaves out as well: what runs them recurses, or nothing can hook them.
bool is_skipped(const std::string &function)
{
  static const std::set<std::string> names{
      "arch_cpu_idle",   "default_idle",           "bpf_get_numa_node_id", "migrate_disable",
      "migrate_enable",  "rcu_read_unlock_strict", "preempt_count_add",    "preempt_count_sub",
      "__rcu_read_lock", "__rcu_read_unlock"};
  auto begins = [&](const char *prefix) { return function.rfind(prefix, 0) == 0; };
  return names.count(function) || begins("rcu_") || begins("bpf_dispatcher_") ||
         begins("__ftrace_invalid_address__") || begins("__bpf_prog_");
}

// All functions of the kernel itself that can be hooked.
std::vector<std::string> hookable_functions()
{
  std::set<std::string> names;
  for (const char *root : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    std::ifstream file(fmt::format("{}/available_filter_functions", root));
    for (std::string line; std::getline(file, line);)
      if (line.find(' ') == line.npos && line.find('\t') == line.npos && !is_skipped(line))
        names.insert(line);
    if (!names.empty())
      return {names.begin(), names.end()};
  }
  throw bpf::missing("tracefs shows no functions (not mounted, or CONFIG_FUNCTION_TRACER is off)");
}

class Trigger : public TestRunBench {
public:
  Trigger(const Params &params, const Hook &hook)
      : x_batch(static_cast<uint32_t>(params.number("trig-batch-iters"))), x_skel("trigger_bench")
  {
    for (auto needed : hook.needs)
      probe::require(needed);
    auto of = [this](Program prog) { return prog ? x_skel->progs.*prog : nullptr; };
    x_skel->rodata->stacktrace = params.flag("stacktrace");
    x_skel.load_only({of(hook.driver), of(hook.base), of(hook.hook), of(hook.everywhere)});
    if (hook.everywhere)
      attach_everywhere(of(hook.everywhere), hook.on_return);
    if (hook.hook)
      attach(of(hook.hook));
    use(of(hook.driver), of(hook.base), x_skel->bss->bench_slots, params.producers, 1);
    if (hook.hook)
      x_bytecode = program_tag(of(hook.hook));
  }

  // As many calls as were asked for in one test run.
  Counts run(unsigned producer, uint32_t nr_ops) override
  {
    Counts total;
    while (total.ops() < nr_ops) {
      uint64_t before = hits_here(x_skel->bss->hits);
      Counts batch = TestRunBench::run(producer, batch_of(nr_ops - total.ops()));
      require_runs(hits_here(x_skel->bss->hits) - before, batch.ops());
      total += batch;
    }
    return total;
  }

  std::optional<Counts> run_base_on(unsigned producer, uint32_t nr_ops) override
  {
    Counts total;
    while (total.ops() < nr_ops) {
      auto batch = TestRunBench::run_base_on(producer, batch_of(nr_ops - total.ops()));
      if (!batch)
        return std::nullopt;
      total += *batch;
    }
    return total;
  }

  std::string bytecode() const override
  {
    return x_bytecode.empty() ? TestRunBench::bytecode() : x_bytecode;
  }

private:
  uint32_t batch_of(uint64_t left) const
  {
    return static_cast<uint32_t>(std::min<uint64_t>(left, x_batch));
  }

  void keep(bpf_link *link, const bpf_program *prog, const bpf::LogCapture &log)
  {
    if (!link)
      throw bpf::error("attach BPF program", bpf_program__name(prog), errno, log.text());
    x_links.emplace_back(link);
  }

  void attach(const bpf_program *prog)
  {
    bpf::LogCapture log;
    keep(bpf_program__attach(prog), prog, log);
  }

  void attach_everywhere(const bpf_program *prog, bool on_return)
  {
    auto functions = hookable_functions();
    std::vector<const char *> names;
    for (const std::string &function : functions)
      names.push_back(function.c_str());
    LIBBPF_OPTS(bpf_kprobe_multi_opts, options, .syms = names.data(), .cnt = names.size(),
                .retprobe = on_return);
    bpf::LogCapture log;
    keep(bpf_program__attach_kprobe_multi_opts(prog, nullptr, &options), prog, log);
  }

  uint32_t x_batch;
  bpf::Skeleton<Skel> x_skel;
  std::vector<bpf::Link> x_links;
  std::string x_bytecode;
};

Descriptor trigger_of(const Hook &hook)
{
  return {.name = hook.name,
          .op = hook.op,
          .report = hits_drops_report(),
          .options = {number("trig-batch-iters", 1, 1000, 100, "calls in one test run"),
                      flag("stacktrace", "the program also takes the stack")},
          .ops_per_run = 2000,
          .load = [=](const Params &params) { return std::make_unique<Trigger>(params, hook); }};
}

// Hooks bpf_get_numa_node_id().
Descriptor helper(const char *name, const char *op, Program hook, probe::Missing (*needs)())
{
  return trigger_of(
      {name, op, &Programs::call_helper, &Programs::unhooked, hook, {needs}, nullptr, false});
}

// Hooks bpf_modify_return_test_tp(), or the tracepoint in it.
Descriptor kfunc(const char *name, const char *op, Program hook, probe::Missing (*needs)())
{
  return trigger_of({name,
                     op,
                     &Programs::call_kfunc,
                     &Programs::unhooked,
                     hook,
                     {probe::kfunc_trigger, needs},
                     nullptr,
                     false});
}

Descriptor everywhere(const char *name, const char *op, Program hook, Program empty, bool on_return)
{
  return trigger_of({name,
                     op,
                     &Programs::call_helper,
                     nullptr, // nothing that it could call is without a hook
                     hook,
                     {probe::kprobe_multi},
                     empty,
                     on_return});
}

const Register triggers{
    trigger_of({"trig-kernel-count",
                "one atomic addition in a loop inside the kernel",
                &Programs::kernel_count,
                &Programs::noop,
                nullptr,
                {probe::raw_tracepoint},
                nullptr,
                false}),
    helper("trig-kprobe", "one call of a function with a kprobe", &Programs::on_kprobe,
           probe::kprobe),
    helper("trig-kretprobe", "one call of a function with a kretprobe", &Programs::on_kretprobe,
           probe::kprobe),
    helper("trig-kprobe-multi", "one call of a function with a kprobe.multi link",
           &Programs::on_kprobe_multi, probe::kprobe_multi),
    helper("trig-kretprobe-multi", "one call of a function with a kretprobe.multi link",
           &Programs::on_kretprobe_multi, probe::kprobe_multi),
    everywhere("trig-kprobe-multi-all", "the same, with an empty program on all other functions",
               &Programs::on_kprobe_multi, &Programs::on_all, false),
    everywhere("trig-kretprobe-multi-all", "the same, with an empty program on all other functions",
               &Programs::on_kretprobe_multi, &Programs::on_all_returns, true),
    helper("trig-fentry", "one call of a function with fentry", &Programs::on_fentry,
           probe::fentry),
    helper("trig-fexit", "one call of a function with fexit", &Programs::on_fexit, probe::fexit),
    kfunc("trig-fmodret", "one call of a function with fmod_ret", &Programs::on_fmod_ret,
          probe::fmod_ret),
    kfunc("trig-tp", "one tracepoint", &Programs::on_tp, probe::tracepoint),
    kfunc("trig-rawtp", "one raw tracepoint", &Programs::on_raw_tp, probe::raw_tracepoint),
};

} // namespace
