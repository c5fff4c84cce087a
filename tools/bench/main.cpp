// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench: measures BPF maps and helpers inside the running kernel.
#include <bpf/bpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tools/bench/commit_table.h"
#include "tools/bench/counted.h"
#include "tools/bench/published.h"
#include "tools/bench/serve.h"
#include "tools/bench/session.h"
#include "tools/lib/bpf_error.h"
#include "tools/lib/probe.h"
#include "tools/lib/streams.h"

using namespace bench;

static void list_benchmarks(bool verbose)
{
  fmt::print("Available benchmarks:\n");
  for (const Descriptor &descriptor : registry()) {
    std::string options;
    for (const Option &option : descriptor.options)
      options += (options.empty() ? " [" : " ") + describe(option);
    if (verbose)
      fmt::print("- {:<24} {}{}\n", descriptor.name, descriptor.op,
                 options.empty() ? "" : options + "]");
    else
      fmt::print("- {}\n", descriptor.name);
  }
}

// Whether this process may use BPF at all; says in one line why not.
static bool bpf_usable()
{
  // An XDP program, not a map: where unprivileged BPF is on, anybody may make maps.
  bpf_insn nothing[] = {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0},
                        {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}};
  int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "bpfgate_probe", "GPL", nothing, 2, nullptr);
  if (fd >= 0) {
    close(fd);
    return true;
  }
  int error = errno;
  bool rights = error == EPERM || error == EACCES;
  fmt::print(stderr, "bench: skipped: BPF cannot be used here: {}{}\n",
             std::generic_category().message(error),
             rights ? " (root or CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON are needed)" : "");
  return false;
}

static int run(const Options &options)
{
  if (options.list) {
    list_benchmarks(options.verbose);
    return 0;
  }
  if (options.probe) {
    fmt::print("{}", probe::table());
    return 0;
  }
  if (!bpf_usable())
    return exit_skipped;
  if (options.serve && counting()) {
    fmt::print(stderr, "bench: skipped: --serve tells times, and this clock counts instructions "
                       "(QEMU -icount); --json tells those\n");
    return exit_skipped;
  }
  if (options.serve)
    return serve(options);
  // Nothing is written while something may be measured: what takes it runs on the same CPU.
  static char output[1 << 20];
  if (counting())
    setvbuf(stdout, output, _IOFBF, sizeof(output));
  check_files(options); // not after an hour of measuring
  Signals signals;
  Session session(options, signals);
  if (options.suite == "seeds") {
    show_published(options, session, signals);
  } else {
    for (const Selected &selected : options.selected) {
      session.keep(session.run(selected, !options.commit).row);
      if (signals.pending())
        break;
    }
  }
  session.write();
  if (options.commit)
    print_commit_table(options, session);
  return session.exit_code();
}

int main(int argc, char **argv)
{
  signal(SIGPIPE, SIG_IGN); // a closed pipe is an error like any other, and destructors run
  try {
    ready_standard_streams();
    Options options = parse_command_line(argc, argv);
    bpf::set_verbose(options.verbose && !options.list);
    int code = run(options);
    if (fflush(stdout) || ferror(stdout))
      throw output_error();
    return code;
  } catch (const early_exit &early) {
    fmt::print(early.code ? stderr : stdout, "{}{}", early.text, early.code ? "\n" : "");
    return early.code;
  } catch (const std::exception &error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return exit_failed;
  }
}
