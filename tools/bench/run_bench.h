// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// For the tests of bench: the real program as a child on the live kernel, what it printed and how
// it ended.
#pragma once

#include <sys/types.h>

#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "tools/lib/process.h"
#include "tools/lib/result.h"

namespace bench_test
{

// Why nothing may last for ever: no figure is judged by it.
constexpr int patience_ms = 120000;

struct Ended {
  int status = -1; // exit code, or 128 + signal as a shell says it
  std::string out, err;
  std::vector<std::string> lines() const; // of out
};

// What a child does between fork and exec: a namespace, fewer rights. It throws std::system_error
// where it fails, which then comes from Process().
using Setup = std::function<void()>;

// A child with its three streams as pipes. Killed with this object, if it is still there.
class Process {
public:
  // Throws std::system_error when there is no pipe or no process.
  Process(const std::string &program, const std::vector<std::string> &arguments,
          const Setup &setup = nullptr);

  pid_t pid() const { return x_child.pid(); }
  // To its standard input. Throws when it does not read any more.
  void write_line(const std::string &line);
  void close_in() { x_in.reset(); }
  void close_out() { x_out.reset(); }
  // The next line of its standard output, without the newline; fails the test when there is none.
  std::string read_line();
  // Reads lines until one begins like this.
  std::string read_until(const std::string &beginning);
  void signal(int number) { x_child.signal(number); }
  // Closes its input, reads all that is left and waits for the end.
  Ended wait();

private:
  process::Child x_child;
  Fd x_in, x_out, x_err;
  std::string x_buffer; // read, not yet taken by read_line()
  Ended x_ended;
};

// The programs under test: named by the environment as BENCH and BENCH_FAULTY.
std::string bench_program();
std::string faulty_program();

// Runs bench to its end.
Ended run_bench(const std::vector<std::string> &arguments, const Setup &setup = nullptr);

// A run as short as this machine allows: an interval discarded and two measured, of 20 ms, or
// longer ones where not a single op ended within one of those. arguments: names and options.
Ended run_shortest(const std::vector<std::string> &arguments,
                   const std::string &program = bench_program());

// The same, expects exit 0 and returns the result file.
result::Result measure(std::vector<std::string> arguments);

// Runs body in a child that has a mount namespace of its own; what fails there fails here.
void in_own_mounts(const std::function<void()> &body);

// Takes all capabilities but those away from what is executed next, also from root.
void keep_capabilities(const std::vector<int> &kept);

// Memory cgroups that this process made.
int count_cgroups(pid_t owner);

// Exactly one line on stderr, which has this part, nothing on stdout, and this status.
void expect_refused(const Ended &ended, int status, const std::string &part,
                    const std::source_location &at = std::source_location::current());

} // namespace bench_test
