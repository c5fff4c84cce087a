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
static constexpr size_t last_words_size = 65536; // a guest's console may come behind them

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
  std::string tail(last_words_size, '\0');
  off_t size = lseek(x_err.get(), 0, SEEK_END);
  off_t from = std::max<off_t>(0, size - static_cast<off_t>(tail.size()));
  ssize_t got = pread(x_err.get(), tail.data(), tail.size(), from);
  tail.resize(std::max<ssize_t>(got, 0));
  return telling_line(tail);
}

static bool tells(std::string_view line)
{
  bool is_vmtests = line.starts_with("vmtest: ");
  return !line.empty() && !line.starts_with("vmtest: | ") &&
         !(is_vmtests && line.find(": failed: exit status ") != line.npos);
}

std::string telling_line(std::string_view complaints)
{
  std::string_view last;
  while (!complaints.empty()) {
    size_t begin = complaints.rfind('\n') + 1; // 0 where there is none
    std::string_view line = complaints.substr(begin);
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    if (tells(line))
      return std::string(line);
    if (last.empty())
      last = line;
    complaints = complaints.substr(0, begin ? begin - 1 : 0);
  }
  return std::string(last);
}

} // namespace gate
