// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/system/child.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "tools/gate/system/interrupt.h"

namespace gate
{

static constexpr size_t longest_line = 16u << 20;
static constexpr size_t last_words_size = 65536; // a guest's console may come behind them

process::Options child_options()
{
  process::Options options = {.own_group = true, .grace_ms = grace_ms, .death_signal = SIGTERM};
  options.prepare = restore_signals;
  return options;
}

Child::Child(const std::string &program, const std::vector<std::string> &arguments)
    : x_err(process::memory_file())
{
  process::Pipe in = process::make_pipe(), out = process::make_pipe();
  std::vector<std::string> argv = {program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  process::Options options = child_options();
  options.in = in.read.get();
  options.out = out.write.get();
  options.err = x_err.get();
  x_child = process::spawn(argv, options);
  x_in = std::move(in.write);
  x_out = std::move(out.read);
}

Child::~Child()
{
  x_in.reset();
  x_child.wait(grace_ms);
  x_child.end(); // while it can still write
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
    if (!x_out)
      return Read::End;
    if (!wait_readable(x_out.get(), left.count() + 1))
      continue;
    if (!process::read_some(x_out, x_buffer))
      return Read::End;
  }
}

std::string Child::describe_end()
{
  if (!x_child.wait(grace_ms)) {
    x_child.kill_now();
    return "closed its output without ending";
  }
  return x_child.status().describe();
}

std::optional<int> Child::exit_status() const
{
  int code = x_child.status().exit_code();
  return x_child.pid() >= 0 || code < 0 ? std::nullopt : std::optional(code);
}

std::string Child::last_words() const
{
  return telling_line(process::tail_of(x_err, last_words_size));
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
