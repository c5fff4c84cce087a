// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// rename-*: what a program on __set_task_comm() adds to giving a task another name. One hit is one
// write to /proc/self/comm. --net takes off the same write with the program detached, in between.
// What makes a figure wrong: taking it for the cost of the hook, without --net; a system call is in
// it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"
#include "tools/bench/user_loop_bench.h"
#include "tools/lib/fd.h"
#include "tools/lib/probe.h"

// After the header that defines its structs.
#include "rename_bench.skel.h"

namespace
{

using namespace bench;
using Skel = rename_bench;
using Programs = decltype(Skel::progs);
using Needs = probe::Missing (*)();

constexpr char new_name[] = "test_overhead"; // as upstream

// The name of this process, given back at the end.
class OwnName {
public:
  OwnName() : x_file(open("/proc/self/comm", O_RDWR | O_CLOEXEC))
  {
    if (!x_file)
      throw std::system_error(errno, std::generic_category(), "cannot open /proc/self/comm");
    ssize_t length = pread(x_file.get(), x_old, sizeof(x_old), 0);
    x_length = length > 0 ? static_cast<size_t>(length - 1) : 0; // without the newline
  }
  ~OwnName()
  {
    if (x_length && write(x_file.get(), x_old, x_length) < 0)
      return; // it stays renamed: nothing hangs on it
  }
  void change() const
  {
    if (write(x_file.get(), new_name, sizeof(new_name)) < 0)
      throw std::system_error(errno, std::generic_category(), "cannot write /proc/self/comm");
  }

private:
  Fd x_file;
  char x_old[64] = {};
  size_t x_length = 0;
};

class Rename : public UserLoopBench {
public:
  Rename(bpf_program *Programs::*prog, Needs needs)
  {
    if (!prog)
      return;
    probe::require(needs);
    x_skel = std::make_unique<bpf::Skeleton<Skel>>("rename_bench");
    x_skel->load_only({(*x_skel)->progs.*prog});
    x_skel->attach();
    x_bytecode = program_tag((*x_skel)->progs.*prog);
  }

private:
  void loop(unsigned, uint32_t nr_ops) override
  {
    for (uint32_t i = 0; i < nr_ops; i++)
      x_name.change();
  }

  bool begin_base() override
  {
    if (x_skel)
      x_skel->detach();
    return x_skel != nullptr;
  }
  void end_base() override { x_skel->attach(); }

  std::optional<uint64_t> counted(unsigned) override
  {
    if (!x_skel)
      return std::nullopt;
    return hits_here((*x_skel)->bss->hits);
  }

  OwnName x_name;
  std::unique_ptr<bpf::Skeleton<Skel>> x_skel;
};

Descriptor rename_of(const char *name, const char *op, bpf_program *Programs::*prog, Needs needs)
{
  return {.name = name,
          .op = op,
          .report = hits_drops_report(),
          .ops_per_run = 1000,
          .validate = [=](const Params &params) { require_one_producer(params, name); },
          .load = [=](const Params &) { return std::make_unique<Rename>(prog, needs); }};
}

const Register renames{
    rename_of("rename-base", "one write to /proc/self/comm", nullptr, nullptr),
    rename_of("rename-kprobe", "one write to /proc/self/comm with a kprobe", &Programs::on_kprobe,
              probe::kprobe),
    rename_of("rename-kretprobe", "one write to /proc/self/comm with a kretprobe",
              &Programs::on_kretprobe, probe::kprobe),
    rename_of("rename-rawtp", "one write to /proc/self/comm with a raw tracepoint",
              &Programs::on_raw_tp, probe::raw_tracepoint),
    rename_of("rename-fentry", "one write to /proc/self/comm with fentry", &Programs::on_fentry,
              probe::fentry),
    rename_of("rename-fexit", "one write to /proc/self/comm with fexit", &Programs::on_fexit,
              probe::fexit),
};

} // namespace
