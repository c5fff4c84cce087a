// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// trig-*, in user space: what a program on a function of this process costs, and what a call, an
// addition and a system call do without one. One hit is one call, for each of which the program
// must have run. --net takes off a call of the function's twin, which nothing probes. What makes a
// figure wrong: an emulator; it steps over instructions in its own time.
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "probed_functions.h"
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"
#include "tools/bench/user_loop_bench.h"
#include "tools/lib/fd.h"
#include "tools/lib/probe.h"
#include "tools/lib/uprobe_multi.h"

// After the headers that define their structs.
#include "trigger_bench.skel.h"
#define _Bool bool // libbpf's __kconfig variable of that type
#include "usdt_bench.skel.h"
#undef _Bool

namespace
{

using namespace bench;
using probed::Function, probed::Pair;

constexpr char own_file[] = "/proc/self/exe";

// Where a function of this program is in its file.
uint64_t file_offset(Function function)
{
  uint64_t address = reinterpret_cast<uint64_t>(function);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long start = 0, end = 0, offset = 0;
    if (sscanf(line.c_str(), "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && address >= start &&
        address < end)
      return address - start + offset;
  }
  throw std::runtime_error("/proc/self/maps does not have a function of this program");
}

// Calls, and nothing attached.
class Calls : public UserLoopBench {
protected:
  explicit Calls(const Pair &pair) : x_pair(pair) {}

  void loop(unsigned, uint32_t nr_ops) override { call(x_pair.hooked, nr_ops); }
  bool begin_base() override { return true; }
  void base_loop(unsigned, uint32_t nr_ops) override { call(x_pair.twin, nr_ops); }
  Function hooked() const { return x_pair.hooked; }

private:
  static void call(Function function, uint32_t nr_ops)
  {
    for (uint32_t i = 0; i < nr_ops; i++)
      function();
  }

  Pair x_pair;
};

enum class Link { Entry, Return, MultiEntry, MultiReturn };

class Uprobe : public Calls {
public:
  Uprobe(const Params &params, const Pair &pair, Link link) : Calls(pair), x_skel("trigger_bench")
  {
    bool multi = link == Link::MultiEntry || link == Link::MultiReturn;
    bool on_return = link == Link::Return || link == Link::MultiReturn;
    probe::require(multi ? probe::uprobe_multi : probe::uprobe);
    bpf_program *prog = x_skel->progs.on_uprobe;
    x_skel->rodata->stacktrace = params.flag("stacktrace");
    if (multi)
      bpf::check(bpf_program__set_expected_attach_type(
                     prog, static_cast<bpf_attach_type>(UprobeMulti::attach_uprobe_multi)),
                 "set the attach type of", "on_uprobe");
    x_skel.load_only({prog});
    if (multi)
      attach_multi(prog, on_return);
    else
      attach(prog, on_return);
    x_bytecode = program_tag(prog);
  }

private:
  std::optional<uint64_t> counted(unsigned) override { return hits_here(x_skel->bss->hits); }

  void attach(bpf_program *prog, bool on_return)
  {
    bpf::LogCapture log;
    constexpr pid_t any = -1; // of a certain process it would be of one thread
    x_link.reset(bpf_program__attach_uprobe(prog, on_return, any, own_file, file_offset(hooked())));
    if (!x_link)
      throw bpf::error("attach uprobe", own_file, errno, log.text());
  }

  void attach_multi(const bpf_program *prog, bool on_return)
  {
    uint64_t offset = file_offset(hooked());
    UprobeMulti request;
    request.prog_fd = static_cast<uint32_t>(bpf_program__fd(prog));
    request.path = reinterpret_cast<uint64_t>(own_file);
    request.offsets = reinterpret_cast<uint64_t>(&offset);
    request.cnt = 1;
    request.flags = on_return ? UprobeMulti::returning : 0;
    x_multi.reset(request.create());
    if (!x_multi)
      throw bpf::error("attach uprobe.multi", own_file, errno);
  }

  bpf::Skeleton<trigger_bench> x_skel;
  bpf::Link x_link;
  Fd x_multi;
};

class Usdt : public Calls {
public:
  Usdt(const Pair &pair, const char *name) : Calls(pair), x_skel("usdt_bench")
  {
    probe::require(probe::uprobe);
    x_skel.load();
    bpf::LogCapture log;
    x_link.reset(
        bpf_program__attach_usdt(x_skel->progs.on_usdt, -1, own_file, "bpfgate", name, nullptr));
    if (!x_link)
      throw bpf::error("attach USDT", name, errno, log.text());
    x_bytecode = program_tag(x_skel->progs.on_usdt);
  }

private:
  std::optional<uint64_t> counted(unsigned) override { return hits_here(x_skel->bss->hits); }

  bpf::Skeleton<usdt_bench> x_skel;
  bpf::Link x_link;
};

// A call and an addition: what user space can trigger at most.
class UsermodeCount : public UserLoopBench {
public:
  explicit UsermodeCount(const Params &params) : x_counters(params.producers) {}

private:
  void loop(unsigned producer, uint32_t nr_ops) override
  {
    for (uint32_t i = 0; i < nr_ops; i++) {
      probed::nop.twin();
      __atomic_fetch_add(&x_counters[producer].count, 1, __ATOMIC_RELAXED);
    }
  }
  std::optional<uint64_t> counted(unsigned producer) override { return x_counters[producer].count; }

  std::vector<bench_hits> x_counters;
};

class SyscallCount : public UserLoopBench {
  void loop(unsigned, uint32_t nr_ops) override
  {
    for (uint32_t i = 0; i < nr_ops; i++)
      if (syscall(SYS_getpgid, 0) < 0)
        throw std::system_error(errno, std::generic_category(), "getpgid");
  }
};

template <class Load>
Descriptor user_trigger(const char *name, const char *op, Load load,
                        const std::vector<Option> &options = {})
{
  return {.name = name,
          .op = op,
          .report = hits_drops_report(),
          .options = options,
          .ops_per_run = 200,
          .load = load};
}

Descriptor uprobe(const char *name, const char *op, const Pair &pair, Link link)
{
  return user_trigger(name, op,
                      [=](const Params &params) -> std::unique_ptr<Bench> {
                        return std::make_unique<Uprobe>(params, pair, link);
                      },
                      {flag("stacktrace", "the program also takes the stack")});
}

const Register counts{
    user_trigger("trig-usermode-count", "one call of a function and one atomic addition",
                 [](const Params &params) -> std::unique_ptr<Bench> {
                   return std::make_unique<UsermodeCount>(params);
                 }),
    user_trigger(
        "trig-syscall-count", "one getpgid()",
        [](const Params &) -> std::unique_ptr<Bench> { return std::make_unique<SyscallCount>(); }),
};

#define UPROBES(what)                                                                              \
  uprobe("trig-uprobe-" #what, "one call of a function with a uprobe on a " #what, probed::what,   \
         Link::Entry),                                                                             \
      uprobe("trig-uretprobe-" #what,                                                              \
             "one call of a function with a uretprobe, which begins "                              \
             "with a " #what,                                                                      \
             probed::what, Link::Return),                                                          \
      uprobe("trig-uprobe-multi-" #what,                                                           \
             "one call of a function with a uprobe.multi link on a " #what, probed::what,          \
             Link::MultiEntry),                                                                    \
      uprobe("trig-uretprobe-multi-" #what,                                                        \
             "one call of a function with a uretprobe.multi link, which begins with a " #what,     \
             probed::what, Link::MultiReturn)

const Register uprobes{UPROBES(nop), UPROBES(push), UPROBES(ret)};

#if defined(__x86_64__)

Descriptor usdt(const char *name, const char *op, const Pair &pair, const char *usdt_name)
{
  return user_trigger(name, op, [=](const Params &) -> std::unique_ptr<Bench> {
    return std::make_unique<Usdt>(pair, usdt_name);
  });
}

const Register uprobes_nop5{UPROBES(nop5)};
const Register usdts{
    usdt("trig-usdt-nop", "one USDT on a nop", probed::usdt_nop, "nop"),
    usdt("trig-usdt-nop5", "one USDT on a five-byte nop", probed::usdt_nop5, "nop5"),
};

#endif

} // namespace
