// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/process.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>

namespace process
{

using Clock = std::chrono::steady_clock;

static void check(bool fine, const std::string &operation)
{
  if (!fine)
    throw std::system_error(errno, std::generic_category(), operation);
}

Pipe make_pipe()
{
  int ends[2];
  check(pipe2(ends, O_CLOEXEC) == 0, "cannot make a pipe");
  return {Fd(ends[0]), Fd(ends[1])};
}

static bool write_all(int fd, const char *bytes, size_t size)
{
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno != EINTR)
      return false;
    bytes += std::max<ssize_t>(written, 0);
    size -= std::max<ssize_t>(written, 0);
  }
  return true;
}

Fd memory_file(const std::string &text)
{
  Fd file(memfd_create("stream", MFD_CLOEXEC));
  check(file && write_all(file.get(), text.data(), text.size()), "cannot make a file in memory");
  // Two streams may share it, each of which adds to its end.
  check(fcntl(file.get(), F_SETFL, O_APPEND) == 0 && lseek(file.get(), 0, SEEK_SET) == 0,
        "cannot make a file in memory");
  return file;
}

std::string tail_of(const Fd &file, size_t most)
{
  auto size = static_cast<size_t>(std::max<off_t>(lseek(file.get(), 0, SEEK_END), 0));
  std::string tail(std::min(size, most), '\0');
  ssize_t got = pread(file.get(), tail.data(), tail.size(), static_cast<off_t>(size - tail.size()));
  tail.resize(std::max<ssize_t>(got, 0));
  return tail;
}

// How much came; 0 at the end, which closes it; -1: nothing for now.
static ssize_t read_part(Fd &from, std::string &text, size_t most)
{
  char bytes[65536];
  ssize_t got = read(from.get(), bytes, sizeof(bytes));
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return -1;
  if (got <= 0) { // a terminal without users gives EIO
    from.reset();
    return 0;
  }
  text.append(bytes, std::min<size_t>(got, most - std::min(most, text.size())));
  return got;
}

bool read_some(Fd &from, std::string &text, size_t most)
{
  return read_part(from, text, most) != 0;
}

int Status::exit_code() const { return WIFEXITED(x_told) ? WEXITSTATUS(x_told) : -1; }

int Status::signal() const { return WIFSIGNALED(x_told) ? WTERMSIG(x_told) : 0; }

int Status::as_shell() const { return signal() ? 128 + signal() : exit_code(); }

std::string Status::describe() const
{
  if (signal())
    return "signal " + std::to_string(signal()) + " (" + strsignal(signal()) + ")";
  return "exit status " + std::to_string(exit_code());
}

Child::Child(pid_t pid, bool own_group, long grace_ms)
    : x_pid(pid), x_own_group(own_group), x_grace_ms(grace_ms),
      x_end(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)))
{
  if (x_end)
    return;
  int failure = errno;
  kill_now();
  errno = failure;
  check(false, "cannot watch a process");
}

Child &Child::operator=(Child &&other) noexcept
{
  if (this == &other)
    return *this;
  end();
  x_pid = std::exchange(other.x_pid, -1);
  x_own_group = other.x_own_group;
  x_grace_ms = other.x_grace_ms;
  x_end = std::move(other.x_end);
  x_status = other.x_status;
  return *this;
}

bool Child::running() { return x_pid >= 0 && !wait(0); }

bool Child::wait(long timeout_ms)
{
  auto until = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (x_pid >= 0) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd ended = {x_end.get(), POLLIN, 0};
    int wait_ms = timeout_ms < 0 ? -1 : static_cast<int>(std::clamp(left, 0L, 3600'000L));
    if (poll(&ended, 1, wait_ms) > 0)
      reap();
    else if (timeout_ms >= 0 && left <= 0)
      return false;
  }
  return true;
}

// Until it is waited for, its number and that of its group are not given away.
void Child::reap()
{
  int status = 0;
  if (x_own_group)
    kill(-x_pid, SIGKILL);
  while (waitpid(x_pid, &status, 0) < 0 && errno == EINTR)
    continue;
  x_status = Status(status);
  x_pid = -1;
}

void Child::signal(int number)
{
  if (x_pid >= 0)
    kill(x_own_group ? -x_pid : x_pid, number);
}

void Child::end()
{
  if (x_pid >= 0 && x_grace_ms > 0) {
    signal(SIGTERM);
    wait(x_grace_ms);
  }
  kill_now();
}

void Child::kill_now()
{
  if (x_pid < 0)
    return;
  kill(x_pid, SIGKILL);
  reap();
}

void Child::release()
{
  x_pid = -1;
  x_end.reset();
}

namespace
{

// What the child needs, ready before it is forked: it makes only calls that are safe there.
struct Program {
  std::vector<char *> argv, envp;
  const Options *options;
  int in, out, err, report;
  pid_t parent;
};

} // namespace

static std::vector<char *> pointers(const std::vector<std::string> &texts)
{
  std::vector<char *> list;
  for (const std::string &text : texts)
    list.push_back(const_cast<char *>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

[[noreturn]] static void give_up(const Program &program, int failure)
{
  _exit(write_all(program.report, reinterpret_cast<char *>(&failure), sizeof(failure)) ? 127 : 126);
}

static void plain_signals()
{
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
}

static int prepare(const Options &options)
{
  try {
    if (options.prepare)
      options.prepare();
    return 0;
  } catch (const std::system_error &error) {
    return error.code().value();
  } catch (...) {
    return ECANCELED;
  }
}

[[noreturn]] static void become(const Program &program)
{
  plain_signals();
  if (dup2(program.in, STDIN_FILENO) < 0 || dup2(program.out, STDOUT_FILENO) < 0 ||
      dup2(program.err, STDERR_FILENO) < 0)
    give_up(program, errno);
  if (int failure = prepare(*program.options))
    give_up(program, failure);
  execvpe(program.argv[0], program.argv.data(),
          program.options->environment.empty() ? environ : program.envp.data());
  give_up(program, errno);
}

// Options::guarded: waits for the program, kills it when asked to end.
[[noreturn]] static void guard(const Program &program)
{
  sigset_t awaited;
  sigemptyset(&awaited);
  for (int each : {SIGCHLD, SIGINT, SIGTERM, SIGHUP})
    sigaddset(&awaited, each);
  sigprocmask(SIG_BLOCK, &awaited, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  pid_t pid = getppid() == program.parent ? fork() : -1;
  if (pid < 0)
    give_up(program, errno);
  if (pid == 0)
    become(program);
  close(program.report);
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0)
    if (sigwaitinfo(&awaited, nullptr) != SIGCHLD)
      kill(pid, SIGKILL);
  _exit(Status(status).as_shell());
}

[[noreturn]] static void start(const Program &program)
{
  const Options &options = *program.options;
  if (options.own_group)
    setpgid(0, 0);
  if (options.guarded)
    guard(program);
  if (options.death_signal) {
    prctl(PR_SET_PDEATHSIG, options.death_signal);
    if (getppid() != program.parent)
      _exit(126);
  }
  become(program);
}

// A copy that is none of the standard streams, so that no dup2() steps on another.
static Fd above_streams(int fd)
{
  Fd copy(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  check(static_cast<bool>(copy), "cannot copy a descriptor");
  return copy;
}

Child spawn(const std::vector<std::string> &argv, const Options &options)
{
  Fd nothing(options.in < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
  Pipe pipe = make_pipe();
  Fd in = above_streams(options.in < 0 ? nothing.get() : options.in);
  Fd out = above_streams(options.out < 0 ? STDOUT_FILENO : options.out);
  Fd err = above_streams(options.err < 0 ? STDERR_FILENO : options.err);
  Fd report = above_streams(pipe.write.get());
  pipe.write.reset();
  Program program = {pointers(argv), pointers(options.environment),
                     &options,       in.get(),
                     out.get(),      err.get(),
                     report.get(),   getpid()};
  pid_t pid = fork();
  check(pid >= 0, "cannot fork");
  if (pid == 0)
    start(program);
  report.reset();
  Child child(pid, options.own_group, options.grace_ms);
  int failure = 0;
  ssize_t got;
  while ((got = read(pipe.read.get(), &failure, sizeof(failure))) < 0 && errno == EINTR)
    continue;
  if (got == sizeof(failure))
    throw std::system_error(failure, std::generic_category(), "cannot execute '" + argv[0] + "'");
  return child;
}

Child fork_child(const std::function<int()> &body, int death_signal)
{
  pid_t parent = getpid(), pid = fork();
  check(pid >= 0, "cannot fork");
  if (pid > 0)
    return Child(pid, false, 0);
  if (death_signal)
    prctl(PR_SET_PDEATHSIG, death_signal);
  if (death_signal && getppid() != parent)
    _exit(126);
  try {
    _exit(body());
  } catch (...) {
    _exit(125);
  }
}

std::string thrown_in_child(const std::function<void()> &body)
{
  Pipe pipe = make_pipe();
  Child child = fork_child([&] {
    std::string text;
    try {
      body();
    } catch (const std::exception &failure) {
      text = failure.what();
    }
    return write_all(pipe.write.get(), text.data(), text.size()) ? 0 : 1;
  });
  pipe.write.reset();
  Finished finished = finish(child, std::move(pipe.read), Fd());
  if (!finished.status.success())
    throw std::runtime_error("a forked child: " + finished.status.describe());
  return finished.out;
}

namespace
{

// Reading::pass_interrupts: a signal that comes while nobody polls waits until somebody does, or it
// would be handled and forgotten.
class HeldSignals {
public:
  explicit HeldSignals(bool hold) : x_hold(hold)
  {
    sigset_t held;
    sigemptyset(&held);
    for (int each : {SIGINT, SIGTERM, SIGHUP})
      sigaddset(&held, each);
    if (x_hold)
      pthread_sigmask(SIG_BLOCK, &held, &x_before);
  }
  ~HeldSignals()
  {
    if (x_hold)
      pthread_sigmask(SIG_SETMASK, &x_before, nullptr);
  }
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

  int poll(pollfd *wanted, nfds_t number, long wait_ms) const
  {
    timespec wait = {wait_ms / 1000, wait_ms % 1000 * 1'000'000};
    return ppoll(wanted, number, &wait, x_hold ? &x_before : nullptr);
  }

private:
  bool x_hold;
  sigset_t x_before;
};

// finish(), which may have begun before the child was there.
class Reader {
public:
  Reader(Child &child, Fd out, Fd err, const Reading &reading, const HeldSignals &signals,
         Clock::time_point begin)
      : x_child(child), x_out(std::move(out)), x_err(std::move(err)), x_reading(reading),
        x_signals(signals), x_begin(begin)
  {
  }
  // Also where something throws, and before the pipes are closed: no SIGPIPE disturbs its end.
  ~Reader() { x_child.end(); }
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;

  Finished read()
  {
    while (!x_ended || (x_reading.until == Reading::Until::Closed && (x_out || x_err))) {
      long left_ms = left();
      x_finished.timed_out = left_ms < 0;
      if (x_finished.timed_out)
        break;
      step(left_ms + 1);
    }
    if (x_finished.timed_out)
      x_child.end();
    drain(x_out, x_finished.out, x_reading.most_out);
    drain(x_err, x_finished.err, x_reading.most_err);
    x_child.wait();
    x_finished.status = x_child.status();
    return std::move(x_finished);
  }

private:
  long left() const
  {
    if (x_reading.timeout_ms < 0)
      return 3600'000;
    auto until = x_begin + std::chrono::milliseconds(x_reading.timeout_ms);
    return std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  }

  void step(long wait_ms)
  {
    pollfd wanted[] = {{x_ended ? -1 : x_child.end_fd(), POLLIN, 0},
                       {x_out.get(), POLLIN, 0},
                       {x_err.get(), POLLIN, 0}};
    int ready = x_reading.poll ? x_reading.poll(wanted, 3, wait_ms)
                               : x_signals.poll(wanted, 3, std::min(wait_ms, 3600'000L));
    if (ready < 0 && errno == EINTR && x_reading.pass_interrupts)
      x_child.signal(SIGTERM);
    if (ready <= 0)
      return;
    if (wanted[0].revents) {
      x_finished.wall_ns = std::chrono::duration<double, std::nano>(Clock::now() - x_begin).count();
      x_ended = true;
    }
    if (wanted[2].revents)
      read_some(x_err, x_finished.err, x_reading.most_err);
    if (wanted[1].revents && read_part(x_out, x_finished.out, x_reading.most_out) > 0 &&
        x_reading.meanwhile)
      x_reading.meanwhile(x_child, x_finished.out);
  }

  // What is there now, of which there may be ever more.
  static void drain(Fd &from, std::string &text, size_t most)
  {
    int held = 0;
    if (!from || ioctl(from.get(), FIONREAD, &held) < 0)
      return;
    for (ssize_t got; held > 0 && (got = read_part(from, text, most)) > 0;)
      held -= static_cast<int>(got);
  }

  Child &x_child;
  Fd x_out, x_err;
  const Reading &x_reading;
  const HeldSignals &x_signals;
  Clock::time_point x_begin;
  bool x_ended = false;
  Finished x_finished;
};

} // namespace

Finished finish(Child &child, Fd out, Fd err, const Reading &reading)
{
  HeldSignals signals(reading.pass_interrupts);
  return Reader(child, std::move(out), std::move(err), reading, signals, Clock::now()).read();
}

Finished run(const std::vector<std::string> &argv, const Options &options, const Reading &reading)
{
  Pipe out = make_pipe(), err = make_pipe();
  Options piped = options;
  piped.out = out.write.get();
  piped.err = err.write.get();
  HeldSignals signals(reading.pass_interrupts); // from before there is whom to pass them to
  auto begin = Clock::now();
  Child child = spawn(argv, piped);
  out.write.reset();
  err.write.reset();
  return Reader(child, std::move(out.read), std::move(err.read), reading, signals, begin).read();
}

} // namespace process
