// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// local-storage-tasks-trace: how long a grace period of RCU tasks-trace takes while storage of
// tasks is made and deleted and nr_procs processes sleep. One hit is one getpgid() of the producer,
// with storage made and deleted; the figure is the grace periods'. What makes a figure wrong:
// another user of tasks-trace; intervals in which no grace period ended.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "tools/bench/test_run_bench.h"
#include "tools/bench/upstream_reports.h"
#include "tools/bench/user_loop_bench.h"
#include "tools/lib/probe.h"
#include "tools/lib/text.h"

// After the header that defines its structs.
#include "tasks_trace_bench.skel.h"

namespace
{

using namespace bench;

#if defined(__x86_64__)
constexpr char getpgid_function[] = "__x64_sys_getpgid";
#elif defined(__aarch64__)
constexpr char getpgid_function[] = "__arm64_sys_getpgid";
#else
constexpr char getpgid_function[] = "sys_getpgid";
#endif

// Processes that sleep, and make a system call now and then. Gone with this object or this process.
class Sleepers {
public:
  explicit Sleepers(uint64_t nr)
  {
    for (uint64_t i = 0; i < nr; i++)
      if (!start(static_cast<unsigned>(i))) {
        int why = errno;
        end();
        throw std::system_error(why, std::generic_category(),
                                fmt::format("cannot make process {} of {}", i + 1, nr));
      }
  }
  ~Sleepers() { end(); }
  Sleepers(const Sleepers &) = delete;

private:
  bool start(unsigned number)
  {
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
      if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
        _exit(1);
      while (true) {
        sleep(number++ % 4);
        syscall(SYS_getpgid, 0);
      }
    }
    if (child > 0)
      x_pids.push_back(child);
    return child > 0;
  }
  void end()
  {
    for (pid_t pid : x_pids)
      kill(pid, SIGKILL);
    for (pid_t pid : x_pids)
      waitpid(pid, nullptr, 0);
    x_pids.clear();
  }

  std::vector<pid_t> x_pids;
};

class TasksTrace : public UserLoopBench {
public:
  explicit TasksTrace(const Params &params)
      : x_kthread(params.number("kthread_pid")), x_skel("tasks_trace_bench")
  {
    probe::require(probe::fentry);
    probe::require(probe::map_task_storage);
    for (const char *function : {"rcu_tasks_trace_pregp_step", "rcu_tasks_trace_postgp"})
      if (auto reason = probe::kernel_function(function))
        throw bpf::missing(*reason);
    bpf::check(bpf_program__set_attach_target(x_skel->progs.on_getpgid, 0, getpgid_function),
               "find kernel function", getpgid_function);
    x_skel.load();
    x_sleepers = std::make_unique<Sleepers>(params.number("nr_procs"));
    x_skel.attach();
    x_bytecode = program_tag(x_skel->progs.on_getpgid);
    readings();
  }

  Readings readings() override
  {
    Readings now{{"periods", __atomic_load_n(&x_skel->bss->periods, __ATOMIC_RELAXED)},
                 {"period_ns", __atomic_load_n(&x_skel->bss->period_ns, __ATOMIC_RELAXED)}};
    if (x_kthread)
      now["ticks"] = static_cast<double>(ticks());
    return x_growth.since_last(now);
  }

private:
  void loop(unsigned, uint32_t nr_ops) override
  {
    for (uint32_t i = 0; i < nr_ops; i++)
      if (syscall(SYS_getpgid, 0) < 0)
        throw std::system_error(errno, std::generic_category(), "getpgid");
  }
  std::optional<uint64_t> counted(unsigned) override { return hits_here(x_skel->bss->hits); }

  // What the kernel thread ran inside the kernel: field 15 of proc(5)'s stat, 13 behind its name.
  uint64_t ticks() const
  {
    std::string path = fmt::format("/proc/{}/stat", x_kthread);
    std::string stat = read_small_file(path).value_or("");
    std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
    std::string field;
    for (int i = 0; i < 13; i++)
      fields >> field;
    if (auto value = parse_whole(field))
      return *value;
    throw std::runtime_error(fmt::format("--kthread_pid: cannot read '{}'", path));
  }

  uint64_t x_kthread;
  bpf::Skeleton<tasks_trace_bench> x_skel;
  std::unique_ptr<Sleepers> x_sleepers;
  Growth x_growth;
};

const Register tasks_trace{{
    .name = "local-storage-tasks-trace",
    .op = "one getpgid() with storage of the task made and deleted; its figure is the grace "
          "periods'",
    .report = tasks_trace_report(),
    .options = {number("nr_procs", 1, 150000, 1000, "processes that sleep"),
                number("kthread_pid", 0, INT32_MAX, 0, "the kernel thread whose ticks to tell")},
    .ops_per_run = 1000,
    .validate =
        [](const Params &params) { require_one_producer(params, "local-storage-tasks-trace"); },
    .load = [](const Params &params) { return std::make_unique<TasksTrace>(params); },
}};

} // namespace
