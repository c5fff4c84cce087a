// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A child that is talked to in lines. It dies with its parent and with this object.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lib/process.h"

namespace gate
{

// How long a child has for its end, before it is killed.
inline constexpr long grace_ms = 2000;

// How gate starts what it runs: it dies with the gate, in a process group of its own, so that
// Ctrl-C reaches the gate alone, which then ends it in order. Signals are as they were before
// catch_interrupts().
process::Options child_options();

class Child {
public:
  // arguments: without the program's name. Standard error is kept, for last_words(). Throws
  // std::system_error when the program cannot be executed.
  Child(const std::string &program, const std::vector<std::string> &arguments);
  // Ends the standard input, then SIGTERM after two seconds and SIGKILL after two more.
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  // False: the child does not read any more.
  bool write_line(const std::string &line);

  enum class Read { Line, End, Timeout, TooLong };
  // One line without its end. Throws interrupted_error.
  Read read_line(std::string &line, long timeout_ms);

  // Waits for the end (after the end of its output) and tells it: "exit status 3", "signal 11 ...".
  std::string describe_end();
  // Exit status of an ended child, nothing when a signal ended it.
  std::optional<int> exit_status() const;
  void kill_now() { x_child.kill_now(); }

  // The last line on standard error that tells something, see telling_line().
  std::string last_words() const;

private:
  process::Child x_child;
  Fd x_in, x_out, x_err;
  std::string x_buffer;
};

// The last line of what a program complained of, empty if none. Of vmtest's lines, those that quote
// the guest's console or say that the command failed tell nothing: the line before them does.
std::string telling_line(std::string_view complaints);

} // namespace gate
