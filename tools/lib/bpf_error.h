// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What goes wrong with BPF: operation, object, errno, and what libbpf said about this case.
#pragma once

#include <string>
#include <system_error>

namespace bpf
{

// A set-up step that the kernel or libbpf refused. what() reads
// "cannot <operation> '<object>' (<reason>): <errno text>", one line; the reason is taken from what
// libbpf logged, and the whole of that is on stderr after set_verbose(true).
class error : public std::system_error {
public:
  // err: a positive errno, or a negative libbpf return.
  error(const std::string &operation, const std::string &object, int err,
        const std::string &log = "");

  // The kernel's verifier looked at a program and refused it: the log has its words. A load that
  // fails for want of rights or memory has none.
  bool by_verifier() const { return x_by_verifier; }

private:
  bool x_by_verifier;
};

// Something that this kernel or this machine does not have. Comes only from a named probe and says
// what is missing; a generic failure is never turned into one.
class missing : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Returns rc if it is not negative, otherwise throws error for it.
int check(int rc, const char *operation, const std::string &object);

// Collects libbpf's messages of this thread while it lives, so that an error can show them.
// They reach stderr only where verbose() was switched on. Nested captures: the innermost collects.
class LogCapture {
public:
  LogCapture();
  ~LogCapture();
  LogCapture(const LogCapture &) = delete;
  LogCapture &operator=(const LogCapture &) = delete;
  const std::string &text() const { return x_text; }

private:
  friend int capture_print(int, const char *, __builtin_va_list);
  std::string x_text;
  LogCapture *x_outer;
};

// Routes libbpf's messages: warnings outside any capture and, when verbose, everything to stderr.
// Call once at start.
void set_verbose(bool verbose);

} // namespace bpf
