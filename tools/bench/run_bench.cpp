// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/run_bench.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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

static void make_pipe(Fd &read_end, Fd &write_end)
{
  int ends[2];
  check_os(pipe2(ends, O_CLOEXEC) == 0, "pipe");
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
}

static int shell_status(int status)
{
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<std::string> Ended::lines() const
{
  std::istringstream text(out);
  std::vector<std::string> all;
  for (std::string line; std::getline(text, line);)
    all.push_back(line);
  return all;
}

[[noreturn]] static void execute(const std::string &program,
                                 const std::vector<std::string> &arguments, const Setup &setup)
{
  std::vector<char *> argv{const_cast<char *>(program.c_str())};
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  try {
    if (setup)
      setup();
    execv(program.c_str(), argv.data());
    fmt::print(stderr, "cannot execute '{}'\n", program);
  } catch (const std::exception &error) {
    fmt::print(stderr, "setting up: {}\n", error.what());
  }
  _exit(126);
}

Process::Process(const std::string &program, const std::vector<std::string> &arguments,
                 const Setup &setup)
{
  Fd in, out, err;
  make_pipe(in, x_in);
  make_pipe(x_out, out);
  make_pipe(x_err, err);
  x_pid = fork();
  check_os(x_pid >= 0, "fork");
  if (x_pid == 0) {
    dup2(in.get(), STDIN_FILENO);
    dup2(out.get(), STDOUT_FILENO);
    dup2(err.get(), STDERR_FILENO);
    execute(program, arguments, setup);
  }
}

Process::~Process()
{
  if (x_pid <= 0)
    return;
  kill(x_pid, SIGKILL);
  waitpid(x_pid, nullptr, 0);
}

void Process::write_line(const std::string &line)
{
  std::string text = line + "\n";
  auto old = ::signal(SIGPIPE, SIG_IGN);
  ssize_t written = write(x_in.get(), text.data(), text.size());
  ::signal(SIGPIPE, old);
  check_os(written == static_cast<ssize_t>(text.size()), "write to bench");
}

// False at the end of the stream, which is closed then.
bool Process::read_some(Fd &from, std::string &into)
{
  char part[65536];
  ssize_t length = read(from.get(), part, sizeof(part));
  if (length <= 0)
    from.reset();
  else
    into.append(part, static_cast<size_t>(length));
  return length > 0;
}

std::string Process::read_line()
{
  size_t end;
  while ((end = x_buffer.find('\n')) == x_buffer.npos) {
    pollfd fds[] = {{x_out.get(), POLLIN, 0}, {x_err.get(), POLLIN, 0}};
    expect(poll(fds, 2, patience_ms) > 0, "bench says nothing: " + x_ended.err);
    if (fds[1].revents)
      read_some(x_err, x_ended.err);
    if (fds[0].revents && !read_some(x_out, x_buffer))
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

void Process::signal(int number) { check_os(kill(x_pid, number) == 0, "kill"); }

Ended Process::wait()
{
  close_in();
  while (x_out || x_err) {
    pollfd fds[] = {{x_out.get(), POLLIN, 0}, {x_err.get(), POLLIN, 0}};
    expect(poll(fds, 2, patience_ms) > 0, "bench does not end: " + x_ended.err);
    if (fds[0].revents)
      read_some(x_out, x_buffer);
    if (fds[1].revents)
      read_some(x_err, x_ended.err);
  }
  int status = 0;
  check_os(waitpid(x_pid, &status, 0) == x_pid, "wait for bench");
  x_pid = -1;
  x_ended.out = x_buffer;
  x_ended.status = shell_status(status);
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
  Fd read_end, write_end;
  make_pipe(read_end, write_end);
  pid_t pid = fork();
  check_os(pid >= 0, "fork");
  if (pid == 0) {
    std::string why;
    try {
      check_os(unshare(CLONE_NEWNS) == 0, "unshare mounts");
      check_os(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "make / private");
      body();
    } catch (const std::exception &error) {
      why = error.what();
    }
    _exit(write(write_end.get(), why.data(), why.size()) < 0 || !why.empty());
  }
  write_end.reset();
  std::string why;
  char part[4096];
  while (ssize_t length = read(read_end.get(), part, sizeof(part)))
    why.append(part, std::max<ssize_t>(0, length));
  int status = 0;
  check_os(waitpid(pid, &status, 0) == pid, "wait");
  expect(status == 0, why);
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
