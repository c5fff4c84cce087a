// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/run_bench.h"

#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

namespace bench_test
{

using namespace unit_test;
namespace fs = std::filesystem;

static void check_os(bool fine, const char *operation)
{
  if (!fine)
    throw std::system_error(errno, std::generic_category(), operation);
}

std::vector<std::string> Ended::lines() const
{
  std::istringstream text(out);
  std::vector<std::string> all;
  for (std::string line; std::getline(text, line);)
    all.push_back(line);
  return all;
}

Process::Process(const std::string &program, const std::vector<std::string> &arguments,
                 const Setup &setup)
{
  process::Pipe in = process::make_pipe(), out = process::make_pipe(), err = process::make_pipe();
  std::vector<std::string> argv{program};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  process::Options options = {
      .in = in.read.get(), .out = out.write.get(), .err = err.write.get(), .prepare = setup};
  x_child = process::spawn(argv, options);
  x_in = std::move(in.write);
  x_out = std::move(out.read);
  x_err = std::move(err.read);
}

void Process::write_line(const std::string &line)
{
  std::string text = line + "\n";
  auto old = ::signal(SIGPIPE, SIG_IGN);
  ssize_t written = write(x_in.get(), text.data(), text.size());
  ::signal(SIGPIPE, old);
  check_os(written == static_cast<ssize_t>(text.size()), "write to bench");
}

std::string Process::read_line()
{
  size_t end;
  while ((end = x_buffer.find('\n')) == x_buffer.npos) {
    pollfd fds[] = {{x_out.get(), POLLIN, 0}, {x_err.get(), POLLIN, 0}};
    expect(poll(fds, 2, patience_ms) > 0, "bench says nothing: " + x_ended.err);
    if (fds[1].revents)
      process::read_some(x_err, x_ended.err);
    if (fds[0].revents && !process::read_some(x_out, x_buffer))
      fail("bench ended its output: " + x_ended.err, std::source_location::current());
  }
  std::string line = x_buffer.substr(0, end);
  x_buffer.erase(0, end + 1);
  return line;
}

std::string Process::read_until(const std::string &beginning)
{
  while (true)
    if (std::string line = read_line(); line.compare(0, beginning.size(), beginning) == 0)
      return line;
}

Ended Process::wait()
{
  close_in();
  process::Finished rest =
      process::finish(x_child, std::move(x_out), std::move(x_err), {.timeout_ms = 5 * patience_ms});
  x_ended.err += rest.err;
  expect(!rest.timed_out, "bench does not end: " + x_ended.err);
  x_ended.out = x_buffer + rest.out;
  x_ended.status = rest.status.as_shell();
  return x_ended;
}

static std::string program_of(const char *variable)
{
  const char *path = getenv(variable);
  expect(path, fmt::format("{} is not in the environment: run this by meson test", variable));
  return path;
}

std::string bench_program() { return program_of("BENCH"); }

std::string faulty_program() { return program_of("BENCH_FAULTY"); }

Ended run_bench(const std::vector<std::string> &arguments, const Setup &setup)
{
  return Process(bench_program(), arguments, setup).wait();
}

Ended run_shortest(const std::vector<std::string> &arguments, const std::string &program)
{
  Ended ended;
  for (const char *interval_ms : {"20", "200", "2000"}) {
    std::vector<std::string> all{"-w1", "-d1", "--interval", interval_ms};
    all.insert(all.end(), arguments.begin(), arguments.end());
    ended = Process(program, all).wait();
    bool empty_interval = ended.out.find("nan") != std::string::npos;
    if (!empty_interval && ended.err.find("a longer --interval helps") == std::string::npos)
      break;
  }
  return ended;
}

result::Result measure(std::vector<std::string> arguments)
{
  TemporaryDirectory here;
  arguments.insert(arguments.end(), {"--json", here / "out.json"});
  Ended ended = run_shortest(arguments);
  expect(ended.status == 0, fmt::format("exit {}: {}", ended.status, ended.err));
  return result::read_result(here / "out.json");
}

void in_own_mounts(const std::function<void()> &body)
{
  std::string why = process::thrown_in_child([&] {
    check_os(unshare(CLONE_NEWNS) == 0, "unshare mounts");
    check_os(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "make / private");
    body();
  });
  expect(why.empty(), why);
}

void keep_capabilities(const std::vector<int> &kept)
{
  // What root may do after execve() is what this set leaves.
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
    if (!std::count(kept.begin(), kept.end(), capability))
      check_os(prctl(PR_CAPBSET_DROP, capability) == 0, "drop a capability");
}

int count_cgroups(pid_t owner)
{
  int count = 0;
  std::string prefix = fmt::format("bpfgate-{}-", owner);
  std::ifstream mounts("/proc/self/mounts");
  for (std::string device, dir, type, rest; mounts >> device >> dir >> type;) {
    std::getline(mounts, rest);
    std::error_code error;
    if (type == "cgroup" || type == "cgroup2")
      for (fs::recursive_directory_iterator at(dir, error), end; at != end; at.increment(error))
        count += at->path().filename().string().compare(0, prefix.size(), prefix) == 0;
  }
  return count;
}

void expect_refused(const Ended &ended, int status, const std::string &part,
                    const std::source_location &at)
{
  expect_has(ended.err, part, at);
  expect_eq(std::count(ended.err.begin(), ended.err.end(), '\n'), 1, at);
  expect_eq(ended.out, std::string(""), at);
  expect_eq(ended.status, status, at);
}

} // namespace bench_test
