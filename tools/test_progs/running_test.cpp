// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Everything that may happen to a worker ends in a TestResult: its own record, a signal, exit(),
// the watchdog, a flood of output.
#include "tools/test_progs/running_test.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <system_error>

#include "tools/test_progs/crash.h"
#include "tools/test_progs/worker.h"

namespace test
{

using namespace std::chrono_literals;

static constexpr uint64_t longest_log = 256ull << 20;
static constexpr auto notice_after = 10s;
static constexpr auto grace = 1s; // for the stack trace, between the two signals of the watchdog

static std::system_error failure(const char *what)
{
  return {errno, std::generic_category(), what};
}

// OOM kills of the whole machine so far; 0 where the kernel does not count them.
static uint64_t count_oom_kills()
{
  std::ifstream vmstat("/proc/vmstat");
  std::string name;
  for (uint64_t value; vmstat >> name >> value;)
    if (name == "oom_kill")
      return value;
  return 0;
}

static uint64_t nanoseconds(Clock::duration duration)
{
  return static_cast<uint64_t>(std::chrono::nanoseconds(duration).count());
}

RunningTest::RunningTest(const TestInfo &test, const Settings &settings,
                         const RunnerOptions &options, bool alone)
    : x_options(options), x_oom_kills(count_oom_kills())
{
  x_result.number = test.number;
  x_result.name = test.name;
  x_result.file = test.file;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    throw failure("cannot create a socket pair");
  x_records.reset(pair[0]);
  Fd worker_end(pair[1]);
  fflush(nullptr);
  // Not by tools/lib/process: a worker is ended, and its end explained, by more than a signal.
  x_pid = fork();
  if (x_pid < 0)
    throw failure("cannot fork a worker");
  if (x_pid == 0)
    run_worker(test, settings, worker_end.get(), x_log.fd(), alone);
  setpgid(x_pid, x_pid); // here as well as there: whoever comes first
  x_pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, x_pid, 0)));
  if (!x_pidfd)
    throw failure("cannot watch a worker (pidfd_open)");
}

RunningTest::~RunningTest()
{
  if (x_pid <= 0)
    return;
  kill_group();
  waitpid(x_pid, nullptr, 0);
}

void RunningTest::kill_group()
{
  kill(-x_pid, SIGKILL);
  kill(x_pid, SIGKILL);
}

void RunningTest::read_records(Listener &listener)
{
  char buffer[64 * 1024];
  ssize_t length;
  while ((length = recv(record_fd(), buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) {
    std::string text(buffer, static_cast<size_t>(length));
    if (x_options.debug)
      fmt::print(stderr, "worker {} {}: {}\n", x_pid, x_result.name, text);
    try {
      take(decode(text), listener);
    } catch (const std::exception &) {
      end("the worker sent what is no record: the test wrote to a file descriptor not its own");
    }
  }
  // Ends of the socket that are closed stay readable: look at the process instead.
  if (length == 0)
    x_records.reset();
}

void RunningTest::take(const Record &record, Listener &listener)
{
  if (record.kind == Record::Kind::subtest_begin)
    return begin_subtest(record);
  if (record.kind == Record::Kind::subtest_end)
    return end_subtest(record, listener);
  x_result.outcome = record.outcome;
  x_result.unselected = record.unselected;
  x_complete = true;
}

void RunningTest::begin_subtest(const Record &record)
{
  x_result.log += x_log.text(x_offset, record.offset);
  x_offset = record.offset;
  x_subtest.emplace();
  x_subtest->number = record.number;
  x_subtest->name = record.name;
  x_mark = Clock::now();
  x_noticed = false;
}

void RunningTest::end_subtest(const Record &record, Listener &listener)
{
  if (!x_subtest)
    return;
  x_subtest->log = x_log.text(x_offset, record.offset);
  x_subtest->outcome = record.outcome;
  x_subtest->duration_ns = nanoseconds(Clock::now() - x_mark);
  x_offset = record.offset;
  show_log(listener, record.offset);
  x_result.subtests.push_back(*std::exchange(x_subtest, std::nullopt));
  listener.subtest_done(x_result, x_result.subtests.back());
  x_mark = Clock::now();
  x_noticed = false;
}

void RunningTest::show_log(Listener &listener, uint64_t end)
{
  if (!x_options.live)
    return;
  for (std::string text = x_log.fresh(end); !text.empty(); text = x_log.fresh(end))
    listener.live_log(text);
}

std::string RunningTest::title() const
{
  return x_subtest ? x_result.name + "/" + x_subtest->name : x_result.name;
}

void RunningTest::tick()
{
  if (x_log.size() > longest_log)
    end(fmt::format("more than {} MiB of output", longest_log >> 20));
  if (x_options.watchdog > 0s)
    watch(Clock::now() - x_mark);
}

void RunningTest::watch(Clock::duration running)
{
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(running).count();
  if (x_kill_at) {
    if (Clock::now() >= *x_kill_at)
      kill_group();
  } else if (running >= x_options.watchdog) {
    fmt::print(stderr, "WATCHDOG: test case {} executes for {} seconds, terminating\n", title(),
               seconds);
    x_ended_by = fmt::format("watchdog: ended after {} seconds", x_options.watchdog.count());
    // To the main thread, whose stack is the one that tells something.
    syscall(SYS_tgkill, x_pid, x_pid, watchdog_signal);
    kill(x_pid, SIGCONT);
    x_kill_at = Clock::now() + grace;
  } else if (running >= notice_after && x_options.watchdog >= notice_after && !x_noticed) {
    x_noticed = true;
    fmt::print(stderr, "WATCHDOG: test case {} executes for {} seconds...\n", title(), seconds);
  }
}

void RunningTest::end(const std::string &reason)
{
  if (x_ended_by.empty())
    x_ended_by = reason;
  kill_group();
}

std::string RunningTest::describe_end(int status) const
{
  if (!x_ended_by.empty())
    return x_ended_by;
  const char *when = x_complete ? " after its end" : "";
  if (!WIFSIGNALED(status))
    return fmt::format("called exit({}){}", WEXITSTATUS(status), when);
  int signal = WTERMSIG(status);
  std::string text = fmt::format("killed by signal {} ({}){}", signal, strsignal(signal), when);
  if (signal != SIGKILL)
    return text;
  uint64_t kills = count_oom_kills() - x_oom_kills;
  return text + (kills > 0 ? ": out of memory (the kernel counted an OOM kill meanwhile)"
                           : ": by someone, not for want of memory");
}

// The worker has ended without telling how the test, and maybe a subtest, went: it failed.
void RunningTest::close_books(const std::string &why, Listener &listener)
{
  x_result.broken = true;
  x_result.outcome = {Result::fail, why};
  std::string line = fmt::format("{}:FAIL:{}\n", title(), why);
  if (x_subtest) {
    Record record{
        .kind = Record::Kind::subtest_end, .outcome = {Result::fail, why}, .offset = x_log.size()};
    end_subtest(record, listener);
    x_result.subtests.back().log += line;
  } else {
    x_result.log += line;
  }
  if (x_options.live)
    listener.live_log(line);
}

TestResult RunningTest::finish(Listener &listener)
{
  if (x_records)
    read_records(listener);
  int status = 0;
  waitpid(x_pid, &status, 0);
  kill(-x_pid, SIGKILL); // whatever it left running
  x_pid = -1;
  show_log(listener);
  if (!x_subtest)
    x_result.log += x_log.text(x_offset, x_log.size());
  if (status != 0 || !x_complete || !x_ended_by.empty())
    close_books(describe_end(status), listener);
  x_result.duration_ns = nanoseconds(Clock::now() - x_started);
  return std::move(x_result);
}

} // namespace test
