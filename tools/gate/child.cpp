// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include "tools/gate/interrupt.h"
#include "tools/gate/spawn.h"

namespace gate
{

static constexpr size_t longest_line = 16u << 20;
static constexpr long grace_ms = 2000;

Child::Child(const std::string &program, const std::vector<std::string> &arguments)
{
  Fd in, out;
  make_pipe(in, x_in);
  make_pipe(x_out, out);
  x_err.reset(memfd_create("stderr", MFD_CLOEXEC));
  if (!x_err)
    throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
  fcntl(x_err.get(), F_SETFL, O_APPEND);
  std::vector<std::string> argv = {program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  x_pid = spawn(argv, in.get(), out.get(), x_err.get());
}

Child::~Child()
{
  x_in.reset();
  if (reap(grace_ms))
    return;
  kill(x_pid, SIGTERM);
  if (!reap(grace_ms))
    kill_now();
}

void Child::kill_now()
{
  if (x_pid < 0)
    return;
  kill(x_pid, SIGKILL);
  waitpid(x_pid, &x_status, 0);
  x_pid = -1;
}

bool Child::reap(long timeout_ms)
{
  auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (x_pid >= 0) {
    if (waitpid(x_pid, &x_status, WNOHANG) == x_pid) {
      x_pid = -1;
      break;
    }
    if (std::chrono::steady_clock::now() > until)
      return false;
    usleep(1000);
  }
  return true;
}

bool Child::write_line(const std::string &line)
{
  std::string text = line + "\n";
  for (size_t done = 0; done < text.size();) {
    ssize_t written = write(x_in.get(), text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR)
      return false;
    done += std::max<ssize_t>(written, 0);
  }
  return true;
}

Child::Read Child::read_line(std::string &line, long timeout_ms)
{
  auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  while (true) {
    if (size_t end = x_buffer.find('\n'); end != std::string::npos) {
      line = x_buffer.substr(0, end);
      x_buffer.erase(0, end + 1);
      return Read::Line;
    }
    if (x_buffer.size() > longest_line)
      return Read::TooLong;
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() < 0)
      return Read::Timeout;
    if (!wait_readable(x_out.get(), left.count() + 1))
      continue;
    char bytes[65536];
    ssize_t got = read(x_out.get(), bytes, sizeof(bytes));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
      return Read::End;
    if (got > 0)
      x_buffer.append(bytes, got);
  }
}

std::string Child::describe_end()
{
  if (!reap(grace_ms)) {
    kill_now();
    return "closed its output without ending";
  }
  return describe_status(x_status);
}

std::optional<int> Child::exit_status() const
{
  if (x_pid >= 0 || !WIFEXITED(x_status))
    return std::nullopt;
  return WEXITSTATUS(x_status);
}

std::string Child::last_words() const
{
  char tail[4096];
  off_t size = lseek(x_err.get(), 0, SEEK_END);
  off_t from = std::max<off_t>(0, size - static_cast<off_t>(sizeof(tail)));
  ssize_t got = pread(x_err.get(), tail, sizeof(tail), from);
  std::string text(tail, std::max<ssize_t>(got, 0));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

} // namespace gate
