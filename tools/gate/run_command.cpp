// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/run_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include "tools/gate/interrupt.h"
#include "tools/gate/options.h"
#include "tools/gate/spawn.h"

namespace gate
{

using Clock = std::chrono::steady_clock;

static constexpr size_t most_output = 64u << 20, most_complaints = 400;
static constexpr long grace_ms = 2000;

namespace
{

// A command while it runs.
class Process {
public:
  explicit Process(const std::vector<std::string> &argv)
  {
    Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC)), out, err;
    make_pipe(x_out, out);
    make_pipe(x_err, err);
    x_begin = Clock::now();
    x_pid = spawn(argv, nothing.get(), out.get(), err.get());
    x_end.reset(static_cast<int>(syscall(SYS_pidfd_open, x_pid, 0)));
    if (!x_end) {
      int failure = errno;
      end();
      throw std::system_error(failure, std::generic_category(), "cannot watch a process");
    }
  }
  ~Process() { end(); }

  Finished finish(long timeout_ms)
  {
    auto until = x_begin + std::chrono::milliseconds(timeout_ms);
    while (true) {
      pollfd wanted[] = {
          {x_end.get(), POLLIN, 0}, {x_out.get(), POLLIN, 0}, {x_err.get(), POLLIN, 0}};
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      if (left.count() < 0)
        return failed(fmt::format("no end within {} s", timeout_ms / 1000.0));
      if (wait_any(wanted, 3, left.count() + 1) == 0)
        continue;
      if (wanted[0].revents)
        return ended();
      read_some(wanted[1].revents, x_out, x_run.output, most_output + 1);
      read_some(wanted[2].revents, x_err, x_run.complaints, most_complaints);
      if (x_run.output.size() > most_output)
        return failed(fmt::format("more than {} MiB of output", most_output >> 20));
    }
  }

private:
  // False at the end, and when nothing is left for now.
  static bool read_some(short ready, Fd &fd, std::string &text, size_t most)
  {
    char bytes[65536];
    if (!ready)
      return false;
    ssize_t got = read(fd.get(), bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR)
      return true;
    if (got <= 0) {
      fd.reset(); // poll() skips what is closed
      return false;
    }
    text.append(bytes, std::min<size_t>(got, most - std::min(most, text.size())));
    return true;
  }

  // What is still in a pipe; a grandchild that holds it open is not waited for.
  static void drain(Fd &fd, std::string &text, size_t most)
  {
    if (!fd)
      return;
    fcntl(fd.get(), F_SETFL, O_NONBLOCK);
    while (read_some(POLLIN, fd, text, most))
      ;
  }

  Finished ended()
  {
    x_run.wall_ns = std::chrono::duration<double, std::nano>(Clock::now() - x_begin).count();
    drain(x_out, x_run.output, most_output + 1);
    drain(x_err, x_run.complaints, most_complaints);
    if (int status = kill_rest(); status != 0)
      x_run.failure = describe_status(status);
    return std::move(x_run);
  }

  Finished failed(const std::string &why)
  {
    x_run.failure = why;
    end();
    return std::move(x_run);
  }

  void end()
  {
    if (x_pid < 0)
      return;
    kill(-x_pid, SIGTERM);
    kill(x_pid, SIGTERM); // where it has no group of its own yet
    pollfd ended = {x_end.get(), POLLIN, 0};
    poll(&ended, 1, grace_ms);
    kill(x_pid, SIGKILL);
    kill_rest();
  }

  // Whatever the command left running, too; until it is waited for, its number is not given away.
  int kill_rest()
  {
    int status = 0;
    kill(-x_pid, SIGKILL);
    waitpid(x_pid, &status, 0);
    x_pid = -1;
    return status;
  }

  pid_t x_pid = -1;
  Fd x_end, x_out, x_err;
  Clock::time_point x_begin;
  Finished x_run;
};

} // namespace

Finished run_command(const std::vector<std::string> &argv, long timeout_ms)
{
  return Process(argv).finish(timeout_ms);
}

static constexpr std::string_view for_a_shell = "|&;<>()$`\n";

std::vector<std::string> split_command(const std::string &name, const std::string &text)
{
  std::vector<std::string> words;
  char quote = 0;
  bool in_word = false;
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    bool is_blank = (c == ' ' || c == '\t') && !quote;
    if (is_blank) {
      in_word = false;
      continue;
    }
    if (quote != '\'' && (c == '$' || c == '`' || (!quote && for_a_shell.find(c) != text.npos)))
      throw usage_error(
          fmt::format("{}: '{}' is for a shell, and none is used: sh -c '...' does it", name, c));
    if (!in_word)
      words.emplace_back();
    in_word = true;
    if (c == quote)
      quote = 0;
    else if (!quote && (c == '\'' || c == '"'))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size() &&
             (!quote || text[i + 1] == '"' || text[i + 1] == '\\'))
      words.back() += text[++i];
    else
      words.back() += c;
  }
  if (quote)
    throw usage_error(fmt::format("{}: an open quote in '{}'", name, text));
  if (words.empty() || words[0].empty())
    throw usage_error(fmt::format("{}: no command", name));
  return words;
}

} // namespace gate
