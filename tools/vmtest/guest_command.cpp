// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/guest_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

#include "tools/lib/streams.h"
#include "tools/vmtest/guest_input.h"
#include "tools/vmtest/guest_system.h"

namespace vmtest::guest
{

static constexpr size_t read_size = 16384;

void Channel::send(FrameKind kind, std::string_view payload)
{
  write_all(x_fd.get(), x_writer.frame(kind, payload));
}

void Channel::receive()
{
  char bytes[512];
  ssize_t got = read(x_fd.get(), bytes, sizeof(bytes));
  if (got > 0)
    x_reader.push({bytes, static_cast<size_t>(got)});
}

void Channel::drain() { tcdrain(x_fd.get()); }

namespace
{

// The ends of what connects us with the command. A terminal is both of out and in.
struct Streams {
  Fd out, err;                             // ours, to read
  Fd command_in, command_out, command_err; // the command's
};

class Command {
public:
  Command(const RunConfig &config, Channel &host, GuestLog &log)
      : x_config(config), x_host(host), x_log(log), x_input(host)
  {
  }
  std::string run();

private:
  int start();
  [[noreturn]] void become(int report);
  void pump();
  bool forward(Fd &from, FrameKind kind);
  void reap();
  void obey();
  void obey(const Frame &frame);

  const RunConfig &x_config;
  Channel &x_host;
  GuestLog &x_log;
  GuestInput x_input;
  Streams x_streams;
  Fd x_children; // tells of children that ended
  pid_t x_pid = -1;
  std::string x_result;
};

} // namespace

static void make_pipe(Fd &ours, Fd &commands)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  ours.reset(ends[0]);
  commands.reset(ends[1]);
}

static Streams piped_streams(Fd input)
{
  Streams streams;
  make_pipe(streams.out, streams.command_out);
  make_pipe(streams.err, streams.command_err);
  // For /dev/stdout and /dev/stderr of a command that drops its rights.
  for (const Fd *end : {&streams.command_out, &streams.command_err})
    fchmod(end->get(), 0666);
  streams.command_in = std::move(input);
  return streams;
}

static void resize(int terminal, int rows, int columns)
{
  winsize size = {static_cast<unsigned short>(rows), static_cast<unsigned short>(columns), 0, 0};
  ioctl(terminal, TIOCSWINSZ, &size);
}

static Streams terminal_streams(const RunConfig &config)
{
  Streams streams;
  streams.out.reset(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!streams.out || grantpt(streams.out.get()) < 0 || unlockpt(streams.out.get()) < 0)
    throw std::runtime_error("the kernel lacks CONFIG_UNIX98_PTYS (a terminal for the shell)");
  resize(streams.out.get(), config.rows, config.columns);
  streams.command_in.reset(open(ptsname(streams.out.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  streams.command_out.reset(dup(streams.command_in.get()));
  streams.command_err.reset(dup(streams.command_in.get()));
  return streams;
}

static std::vector<char *> pointers(std::vector<std::string> &texts)
{
  std::vector<char *> out;
  for (std::string &text : texts)
    out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// In the child. report: takes the errno where the program cannot be executed.
void Command::become(int report)
{
  std::vector<std::string> argv = x_config.command, environment;
  argv[0] = x_config.argv0;
  for (const auto &[key, value] : x_config.environment)
    environment.push_back(key + "=" + value);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setsid();
  dup2(x_streams.command_in.get(), STDIN_FILENO);
  dup2(x_streams.command_out.get(), STDOUT_FILENO);
  dup2(x_streams.command_err.get(), STDERR_FILENO);
  if (x_config.shell)
    ioctl(STDIN_FILENO, TIOCSCTTY, 0);
  if (Fd score(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)); score)
    write_all(score.get(), "0");
  const std::string &directory = x_config.host_directory;
  if (chdir(directory.empty() ? "/out" : directory.c_str()) == 0)
    execve(x_config.command[0].c_str(), pointers(argv).data(), pointers(environment).data());
  int failure = errno;
  write_all(report, {reinterpret_cast<const char *>(&failure), sizeof(failure)});
  _exit(127);
}

// 0, or the errno of exec. Not by tools/lib/process: init waits for every orphan in one place, and
// the command leads a session with a terminal.
int Command::start()
{
  Fd report_read, report_write;
  make_pipe(report_read, report_write);
  x_pid = fork();
  if (x_pid < 0)
    throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (x_pid == 0)
    become(report_write.get());
  report_write.reset();
  x_streams.command_in.reset();
  x_streams.command_out.reset();
  x_streams.command_err.reset();
  int failure = 0;
  if (read(report_read.get(), &failure, sizeof(failure)) != sizeof(failure))
    failure = 0;
  return failure;
}

// False at the end of it.
bool Command::forward(Fd &from, FrameKind kind)
{
  std::array<char, read_size> bytes;
  ssize_t got = read(from.get(), bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return true;
  if (got <= 0) // a terminal without users gives EIO
    return false;
  x_host.send(kind, {bytes.data(), static_cast<size_t>(got)});
  return true;
}

static std::string describe(int status)
{
  if (WIFSIGNALED(status))
    return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exited {}", WEXITSTATUS(status));
}

// Of all children: orphans come to us.
void Command::reap()
{
  signalfd_siginfo info;
  if (read(x_children.get(), &info, sizeof(info)) < 0)
    return;
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    if (pid == x_pid) {
      x_result = describe(status);
      kill_all(); // so that the pipes end
    }
}

void Command::obey(const Frame &frame)
{
  int first = 0, second = 0;
  sscanf(frame.payload.c_str(), "%d %d", &first, &second);
  if (frame.kind == FrameKind::Signal && first > 0)
    kill(-x_pid, first);
  if (frame.kind == FrameKind::Input && x_config.shell)
    write_all(x_streams.out.get(), frame.payload);
  if (frame.kind == FrameKind::Input && !x_config.shell)
    x_input.push(frame.payload);
  if (frame.kind == FrameKind::InputEnd)
    x_input.end();
  if (frame.kind == FrameKind::Resize && x_config.shell)
    resize(x_streams.out.get(), first, second);
  if (frame.kind == FrameKind::Backtrace) {
    x_log.read();
    if (x_log.there())
      x_host.send(FrameKind::KernelLog, x_log.log().report());
    show_backtraces();
    x_host.send(FrameKind::Traced, "");
  }
}

void Command::obey()
{
  x_host.receive();
  while (auto frame = x_host.next())
    obey(*frame);
}

// Until the command has ended and its streams have. What cannot be killed keeps them open: not for
// longer than two seconds.
void Command::pump()
{
  while (x_result.empty() || x_streams.out || x_streams.err) {
    pollfd fds[] = {
        {x_streams.out.get(), POLLIN, 0},    {x_streams.err.get(), POLLIN, 0},
        {x_children.get(), POLLIN, 0},       {x_host.fd(), POLLIN, 0},
        {x_input.fd(), x_input.events(), 0}, {x_config.read_late ? -1 : x_log.fd(), POLLIN, 0}};
    int ready = poll(fds, std::size(fds), x_result.empty() ? -1 : 2000);
    if (ready == 0)
      return;
    if (fds[0].revents && !forward(x_streams.out, FrameKind::Stdout))
      x_streams.out.reset();
    if (fds[1].revents && !forward(x_streams.err, FrameKind::Stderr))
      x_streams.err.reset();
    if (fds[2].revents)
      reap();
    if (fds[4].revents)
      x_input.ready(fds[4].revents);
    if (fds[5].revents)
      x_log.read();
    if (fds[3].revents)
      obey();
  }
}

std::string Command::run()
{
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, nullptr);
  x_children.reset(signalfd(-1, &children, SFD_CLOEXEC));
  if (x_config.shell)
    x_streams = terminal_streams(x_config);
  else
    x_streams = piped_streams(x_config.input ? x_input.open()
                                             : Fd(open("/dev/null", O_RDONLY | O_CLOEXEC)));
  if (int failure = start())
    return fmt::format("unstarted {}", failure);
  pump();
  return x_result;
}

std::string run_command(const RunConfig &config, Channel &host, GuestLog &log)
{
  return Command(config, host, log).run();
}

} // namespace vmtest::guest
