// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Child processes: a program or a function of ours, with its streams, a deadline and its end. A
// child is waited for by the object that stands for it, so that no zombie and no runaway is left.
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tools/lib/fd.h"

namespace process
{

struct Pipe {
  Fd read, write;
};

// Both ends are closed on exec. Throws std::system_error.
Pipe make_pipe();

// A file in memory that begins with text, to be read from there: a standard input that is known
// before, or a stream that nobody reads meanwhile. Closed on exec. Throws std::system_error.
Fd memory_file(const std::string &text = "");

// The last bytes of a file, at most so many.
std::string tail_of(const Fd &file, size_t most);

// Takes what a pipe holds now, of which text grows to most bytes at the most. False at its end,
// when it is closed; EINTR and EAGAIN are no end.
bool read_some(Fd &from, std::string &text, size_t most = static_cast<size_t>(-1));

// How a child ended: what waitpid() told.
class Status {
public:
  Status() = default;
  explicit Status(int told) : x_told(told) {}
  bool success() const { return x_told == 0; }
  int exit_code() const; // -1 when a signal ended it
  int signal() const;    // 0 when it exited
  int as_shell() const;  // the exit code, or 128 + the signal
  // "exit status 3", "signal 11 (Segmentation fault)"
  std::string describe() const;

private:
  int x_told = 0;
};

struct Options {
  // Standard streams, which stay the caller's to close. -1: /dev/null to read, ours to write.
  int in = -1, out = -1, err = -1;
  // A process group of its own: Ctrl-C on the terminal does not reach it, signal() reaches all in
  // it, and what it leaves running there is killed when it ends.
  bool own_group = false;
  // Where it is ended from here: SIGTERM, and SIGKILL so much later.
  long grace_ms = 0;
  // Sent to it when the thread that made it ends, whatever ends that; 0: it lives on.
  int death_signal = 0;
  // A process between us and the program, which kills it when we die or get SIGTERM. For a program
  // that changes its user, which takes its death signal off. Its status is then that of as_shell().
  bool guarded = false;
  // Instead of our environment: "NAME=value", unless it is empty.
  std::vector<std::string> environment = {};
  // In the child, last before exec, where signals are unblocked and SIGPIPE is not ignored. System
  // calls only where we have threads; what it throws is thrown by spawn(), as an errno.
  std::function<void()> prepare = nullptr;
};

// A child until its end. Ended and waited for with this object.
class Child {
public:
  Child() = default;
  // pid: of fork(). Throws std::system_error, and it is gone, where it cannot be watched.
  Child(pid_t pid, bool own_group, long grace_ms);
  ~Child() { end(); }
  Child(Child &&other) noexcept { *this = std::move(other); }
  Child &operator=(Child &&other) noexcept;

  pid_t pid() const { return x_pid; }        // -1 when it has ended and was waited for
  int end_fd() const { return x_end.get(); } // readable once it has ended
  // False once it has ended: status() is there then.
  bool running();
  // Waits for the end, -1 ms: as long as it takes. Returns whether it has ended.
  bool wait(long timeout_ms = -1);
  // To its group where it has one of its own. Nothing where it has ended.
  void signal(int number);
  // SIGTERM and the grace if it has one, then SIGKILL, and waits.
  void end();
  void kill_now();
  // Leaves it alone from here on: it is neither killed nor waited for.
  void release();
  const Status &status() const { return x_status; }

private:
  void reap();

  pid_t x_pid = -1;
  bool x_own_group = false;
  long x_grace_ms = 0;
  Fd x_end;
  Status x_status;
};

// Runs argv[0], looked up on PATH where it has no slash. Throws std::system_error where it cannot
// be executed; nothing is left of it then.
Child spawn(const std::vector<std::string> &argv, const Options &options = {});

// Runs body in a forked child, which exits with what it returns, or with 125 where it throws. No
// destructor of the caller's and no atexit() runs there.
Child fork_child(const std::function<int()> &body, int death_signal = 0);

// Runs body in a forked child to its end. Returns what it throws, empty: it ended well. Throws
// std::runtime_error when the child ends otherwise.
std::string thrown_in_child(const std::function<void()> &body);

struct Reading {
  long timeout_ms = -1; // from where Finished::wall_ns begins; -1: none
  // Until the child has ended and nobody holds its streams any more; or until its end alone, for a
  // child that leaves others behind. What is in the pipes at that moment is taken.
  enum class Until { Closed, Ended } until = Until::Closed;
  size_t most_out = static_cast<size_t>(-1); // bytes; more than that are thrown away
  size_t most_err = static_cast<size_t>(-1);
  // A signal that has a handler here, and comes meanwhile, becomes a SIGTERM to the child.
  bool pass_interrupts = false;
  // Called with the child and its output so far, each time there is more of it.
  std::function<void(Child &, const std::string &)> meanwhile = nullptr;
  // Instead of poll(): the same arguments, at most so many milliseconds. May throw.
  std::function<int(pollfd *, size_t, long)> poll = nullptr;
};

struct Finished {
  Status status;
  std::string out, err;
  double wall_ns = 0; // from just before it was started (or read, with finish()) until it had ended
  bool timed_out = false;
};

// Reads both pipes, either of which may be none, until the end. A child that is out of time is
// ended, also where poll or meanwhile throws.
Finished finish(Child &child, Fd out, Fd err, const Reading &reading = {});

// spawn() with two pipes and finish(). Throws std::system_error where it cannot be executed.
// options.out and .err are not used.
Finished run(const std::vector<std::string> &argv, const Options &options = {},
             const Reading &reading = {});

} // namespace process
