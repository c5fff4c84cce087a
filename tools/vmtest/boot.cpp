// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A loop around poll() with one deadline, which each phase sets anew. Time-out: the guest's init is
// asked for backtraces, and where it does not answer, an NMI makes the kernel show its own.
#include "tools/vmtest/boot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tools/lib/streams.h"
#include "tools/vmtest/console_log.h"
#include "tools/vmtest/host_files.h"
#include "tools/vmtest/host_input.h"
#include "tools/vmtest/initramfs.h"
#include "tools/vmtest/interrupt.h"
#include "tools/vmtest/judge.h"
#include "tools/vmtest/kernel_log.h"
#include "tools/vmtest/out_files.h"
#include "tools/vmtest/protocol.h"

namespace vmtest
{

using Clock = std::chrono::steady_clock;

static constexpr long grace_s = 5;        // for a command that was told to end; times slowness
static constexpr long backtrace_s = 3;    // for the guest's init to show them
static constexpr long leave_s = 5;        // from the result's end to QEMU's
static constexpr long files_idle_s = 30;  // without a byte of the files
static constexpr size_t shown_lines = 60; // of the console

namespace
{

// Both ends of a line between us and QEMU.
struct Line {
  Fd ours, qemus;
};

enum class Phase { Booting, Running, Tracing, Nmi, Sending, Leaving };

class Boot {
public:
  explicit Boot(const BootRequest &request)
      : x_request(request), x_reader(request.config.nonce), x_writer(request.config.nonce),
        x_files_reader(request.config.nonce), x_input(request.input), x_out(request.out_directory),
        x_log(request.config.splats), x_slowness(slowness(request.machine.accelerator))
  {
  }
  BootResult run();

private:
  void connect();
  void start();
  void loop();
  bool step();
  void wait_for_something();
  void read_console();
  void read_result();
  void read_files();
  int user() const;
  void read_user();
  void take(const Frame &frame);
  void show(Stream stream, std::string_view bytes);
  void lose_stream(Stream stream, const std::string &why);
  void take_file(const Frame &frame);
  void take_files(const std::function<void()> &work);
  void take_report(const std::string &report);
  void greet(const std::string &hello);
  void enter(Phase phase, long seconds);
  void deadline_over();
  void time_out();
  void traced();
  void inject_nmi();
  void look_for_interrupts();
  void check_complete();
  void send(FrameKind kind, std::string_view payload);
  void resize();
  std::string why_qemu_ended();
  BootResult result();

  const BootRequest &x_request;
  Line x_console, x_result_line, x_files_line, x_monitor;
  Fd x_initrd;
  std::optional<ModelMemory> x_model;
  std::optional<HostFiles> x_host_files;
  std::optional<QemuProcess> x_qemu;
  FrameReader x_reader;
  FrameWriter x_writer;
  FrameReader x_files_reader;
  HostInput x_input;
  OutFiles x_out;
  ConsoleLog x_log;
  Evidence x_evidence;
  std::optional<KernelReport> x_report;
  bool x_counts_console = true; // what comes after we have disturbed the kernel is no finding
  bool x_files_come = false;
  std::optional<Stream> x_lost_stream;
  int x_slowness;
  Phase x_phase = Phase::Booting;
  Clock::time_point x_begin, x_command_begin, x_command_end;
  std::optional<Clock::time_point> x_deadline;
  int x_interrupts = 0;
  Terminal::Size x_size;
};

} // namespace

static double seconds(Clock::duration duration)
{
  return std::chrono::duration<double>(duration).count();
}

static Line make_socket()
{
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a socket");
  return {Fd(ends[0]), Fd(ends[1])};
}

static Line make_pipe()
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  return {Fd(ends[0]), Fd(ends[1])};
}

// In memory, with no name that could be left behind.
static Fd make_initrd(std::string_view payload, const RunConfig &config)
{
  Initramfs own;
  own.add_text(run_config_path, to_text(config), 0600);
  Fd file(memfd_create("initramfs", MFD_CLOEXEC));
  if (!file)
    throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
  write_all(file.get(), payload, "cannot write the initramfs");
  write_all(file.get(), own.bytes(), "cannot write the initramfs");
  return file;
}

void Boot::connect()
{
  x_console = make_pipe();
  x_result_line =
      x_request.machine.accelerator == Accelerator::Icount ? make_pipe() : make_socket();
  if (!x_request.out_directory.empty())
    x_files_line = make_socket();
  x_monitor = make_socket();
  if (x_request.machine.model)
    x_model.emplace(*x_request.machine.model);
  if (!x_request.config.host_directory.empty())
    x_host_files.emplace();
  x_initrd = make_initrd(x_request.initramfs, x_request.config);
}

void Boot::start()
{
  Wires wires{x_console.qemus.get(), x_result_line.qemus.get(), x_files_line.qemus.get(),
              x_monitor.qemus.get(), x_initrd.get()};
  std::vector<int> inherited = {wires.console, wires.result, wires.monitor, wires.initrd};
  if (wires.files >= 0)
    inherited.push_back(wires.files);
  if (x_model) {
    wires.model_page = x_model->page();
    wires.model_machine = x_model->machine();
    inherited.insert(inherited.end(), {wires.model_page, wires.model_machine});
  }
  if (x_host_files) {
    wires.host_files = x_host_files->socket();
    inherited.push_back(wires.host_files);
  }
  x_begin = Clock::now();
  x_qemu.emplace(qemu_command(x_request.machine, x_request.kernel.image, wires), inherited);
  for (Line *line : {&x_console, &x_result_line, &x_files_line, &x_monitor})
    line->qemus.reset();
  x_initrd.reset();
  enter(Phase::Booting, x_request.boot_timeout_s);
}

// seconds: 0 for no deadline. All are multiplied for a guest that runs slowly.
void Boot::enter(Phase phase, long seconds)
{
  x_phase = phase;
  x_deadline.reset();
  if (seconds > 0 && !x_request.machine.gdb_port)
    x_deadline = Clock::now() + std::chrono::seconds(seconds * x_slowness);
}

// The guest may be dead: what it does not take now it will not get.
void Boot::send(FrameKind kind, std::string_view payload)
{
  std::string frame = x_writer.frame(kind, payload);
  ::send(x_result_line.ours.get(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

// False at the end of the line.
static bool read_some(Fd &from, const std::function<void(std::string_view)> &take)
{
  std::array<char, 65536> bytes;
  ssize_t got = read(from.get(), bytes.data(), bytes.size());
  if (got < 0 && errno == EINTR)
    return true;
  if (got <= 0) {
    from.reset();
    return false;
  }
  take({bytes.data(), static_cast<size_t>(got)});
  return true;
}

void Boot::read_console()
{
  if (!read_some(x_console.ours, [&](std::string_view bytes) { x_log.push(bytes); }))
    x_log.finish();
  for (const std::string &line : x_log.take_new())
    if (x_request.console_line)
      x_request.console_line(line);
}

void Boot::read_result()
{
  read_some(x_result_line.ours, [&](std::string_view bytes) { x_reader.push(bytes); });
  while (auto frame = x_reader.next())
    take(*frame);
}

void Boot::read_files()
{
  read_some(x_files_line.ours, [&](std::string_view bytes) { x_files_reader.push(bytes); });
  while (auto frame = x_files_reader.next())
    take_file(*frame);
  if (x_phase == Phase::Sending)
    enter(Phase::Sending, files_idle_s);
}

// Where the user's input is to be read from now; -1: nowhere.
int Boot::user() const
{
  if (x_phase != Phase::Running)
    return -1;
  return x_request.terminal ? STDIN_FILENO : x_input.fd();
}

void Boot::read_user()
{
  if (x_request.terminal) {
    std::string keys = x_request.terminal->read_keys();
    send(FrameKind::Input, keys.empty() ? "\4" : keys); // the terminal's end is the guest's Ctrl-D
  } else if (auto frame = x_input.read()) {
    send(frame->kind, frame->payload);
  }
}

void Boot::take_file(const Frame &frame)
{
  if (frame.kind == FrameKind::File || frame.kind == FrameKind::FileData ||
      frame.kind == FrameKind::FileHole)
    take_files([&] { x_out.take(frame); });
}

// A file that is lost costs no other one. The first is told.
void Boot::take_files(const std::function<void()> &work)
{
  try {
    work();
  } catch (const std::exception &failure) {
    if (x_evidence.output_error.empty())
      x_evidence.output_error = failure.what();
  }
}

// The kernel's own records are better than the console, which may be quiet and which programs write
// to. The first report counts: a later one may tell what we asked for.
void Boot::take_report(const std::string &report)
{
  if (x_report)
    return;
  x_report = parse_report(report, x_request.config.splats);
  if (!x_report)
    return;
  if (x_report->lost) {
    x_request.remark("records of the kernel's log were overwritten before they could be read: the "
                     "console counts, too");
    for (const Finding &each :
         x_evidence.timed_out.empty() ? x_log.findings() : x_evidence.findings)
      x_report->findings.push_back(each);
  }
}

void Boot::greet(const std::string &hello)
{
  auto said = nlohmann::json::parse(hello, nullptr, false);
  std::string missing;
  if (said.is_object())
    for (const auto &each : said.value("missing", std::vector<std::string>{}))
      missing += (missing.empty() ? "" : ", ") + each;
  if (!missing.empty())
    x_request.remark("the kernel has no " + missing);
  x_evidence.hello = true;
  x_command_begin = Clock::now();
  enter(Phase::Running, x_request.timeout_s);
}

// The other stream, the status and the files still come; the command hears of it as it would
// without us.
void Boot::lose_stream(Stream stream, const std::string &why)
{
  if (x_request.machine.accelerator == Accelerator::Icount)
    throw outcome_error(Outcome::OutputLost, why);
  x_evidence.output_error = why;
  x_lost_stream = stream;
  send(FrameKind::Signal, std::to_string(SIGPIPE));
}

// While our own reader does not read, as a pager does, the guest stands still: no time-out of its.
void Boot::show(Stream stream, std::string_view bytes)
{
  Clock::time_point before = Clock::now();
  try {
    if (x_lost_stream != stream)
      x_request.output(stream, bytes);
  } catch (const outcome_error &failure) {
    lose_stream(stream, failure.what());
  }
  if (x_deadline)
    *x_deadline += Clock::now() - before;
}

void Boot::take(const Frame &frame)
{
  switch (frame.kind) {
  case FrameKind::Hello:
    return greet(frame.payload);
  case FrameKind::Stdout:
    return show(Stream::Out, frame.payload);
  case FrameKind::Stderr:
    return show(Stream::Err, frame.payload);
  case FrameKind::Result:
    x_evidence.result = frame.payload;
    x_command_end = Clock::now();
    return enter(Phase::Sending, files_idle_s);
  case FrameKind::Remark:
    return x_request.remark(frame.payload);
  case FrameKind::Trouble:
    x_evidence.trouble = frame.payload;
    return enter(Phase::Leaving, leave_s);
  case FrameKind::Traced:
    return traced();
  case FrameKind::KernelLog:
    return take_report(frame.payload);
  case FrameKind::InputTaken:
    return x_input.taken();
  case FrameKind::FilesOn:
    x_files_come = true;
    return;
  case FrameKind::File:
  case FrameKind::FileData:
  case FrameKind::FileHole:
    enter(Phase::Sending, files_idle_s);
    return take_file(frame);
  default:
    return;
  }
}

// What it wrote to the console before is in the pipe. The command ends here, and what it left
// behind comes if the guest is well enough.
void Boot::traced()
{
  if (x_phase != Phase::Tracing)
    return;
  if (x_request.out_directory.empty())
    return x_qemu->kill_now();
  send(FrameKind::Signal, std::to_string(SIGKILL));
  enter(Phase::Sending, grace_s);
}

// Both lines may end in either order. A guest that has sent files waits for us to end it.
void Boot::check_complete()
{
  if (x_evidence.complete || !x_reader.complete() || (x_files_come && !x_files_reader.complete()))
    return;
  take_files([&] { x_out.finish(); });
  x_evidence.complete = true;
  if (x_files_come)
    return x_qemu->kill_now();
  enter(Phase::Leaving, leave_s);
}

void Boot::inject_nmi()
{
  constexpr std::string_view commands = "{\"execute\":\"qmp_capabilities\"}\n"
                                        "{\"execute\":\"inject-nmi\"}\n";
  ::send(x_monitor.ours.get(), commands.data(), commands.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  enter(Phase::Nmi, backtrace_s);
}

void Boot::time_out()
{
  x_evidence.timed_out =
      x_phase == Phase::Booting
          ? fmt::format("no sign of the guest's init after {} s",
                        x_request.boot_timeout_s * x_slowness)
          : fmt::format("the command was not done after {} s", x_request.timeout_s * x_slowness);
  x_evidence.findings = x_log.findings();
  x_counts_console = false;
  x_log.mark();
  if (x_phase == Phase::Booting || x_request.machine.accelerator == Accelerator::Icount)
    return inject_nmi();
  send(FrameKind::Backtrace, "");
  enter(Phase::Tracing, backtrace_s);
}

void Boot::deadline_over()
{
  if (x_evidence.interrupted)
    return x_qemu->kill_now();
  switch (x_phase) {
  case Phase::Booting:
  case Phase::Running:
    return time_out();
  case Phase::Tracing:
    return inject_nmi();
  case Phase::Nmi:
  case Phase::Sending:
  case Phase::Leaving:
    return x_qemu->kill_now();
  }
}

// The first is given to the command, which may want to say goodbye; the second is final.
void Boot::look_for_interrupts()
{
  Interrupts seen = interrupts();
  if (seen.count == x_interrupts)
    return;
  bool first = x_interrupts == 0;
  x_interrupts = seen.count;
  x_evidence.interrupted = seen.signal;
  if (!first || x_phase != Phase::Running || x_request.machine.accelerator == Accelerator::Icount)
    return x_qemu->kill_now();
  send(FrameKind::Signal, std::to_string(seen.signal));
  enter(Phase::Running, grace_s);
}

void Boot::resize()
{
  if (!x_request.terminal || x_phase != Phase::Running)
    return;
  Terminal::Size size = x_request.terminal->size();
  if (size != x_size)
    send(FrameKind::Resize, fmt::format("{} {}", size.rows, size.columns));
  x_size = size;
}

void Boot::wait_for_something()
{
  pollfd fds[] = {{x_console.ours.get(), POLLIN, 0},
                  {x_result_line.ours.get(), POLLIN, 0},
                  {x_files_line.ours.get(), POLLIN, 0},
                  {x_monitor.ours.get(), POLLIN, 0},
                  {user(), POLLIN, 0}};
  // For signals, the deadline, and QEMU's end, which comes right after that of its lines.
  int look_around_ms = x_console.ours ? 100 : 2;
  if (poll(fds, std::size(fds), look_around_ms) <= 0)
    return;
  if (fds[0].revents)
    read_console();
  if (fds[1].revents)
    read_result();
  if (fds[2].revents)
    read_files();
  if (fds[3].revents)
    read_some(x_monitor.ours, [](std::string_view) {});
  if (fds[4].revents)
    read_user();
}

// False when nothing more can come.
bool Boot::step()
{
  bool alive = x_qemu->running(); // before reading: what it wrote is all there when it is gone
  wait_for_something();
  check_complete();
  look_for_interrupts();
  resize();
  if (x_deadline && Clock::now() > *x_deadline) {
    x_deadline.reset();
    deadline_over();
  }
  return alive || x_console.ours || x_result_line.ours || x_files_line.ours;
}

void Boot::loop()
{
  try {
    while (step())
      continue;
  } catch (const outcome_error &failure) {
    x_evidence.output_error = failure.what();
  } catch (const std::exception &failure) {
    x_evidence.output_error = failure.what();
  }
}

std::string Boot::why_qemu_ended()
{
  if (x_qemu->running() || !x_qemu->ended_badly())
    return "";
  std::string said =
      x_model && !x_model->error().empty() ? "the model " + x_model->error() : x_qemu->last_words();
  return fmt::format("{}: {}{}{}", x_request.machine.qemu.path, x_qemu->describe_end(),
                     said.empty() ? "" : ": ", said);
}

BootResult Boot::result()
{
  x_evidence.qemu_error = why_qemu_ended();
  x_qemu->kill_now();
  take_files([&] { x_out.set_modes(); });
  if (x_report)
    x_evidence.findings = x_report->findings;
  else if (x_counts_console)
    x_evidence.findings = x_log.findings();
  x_evidence.bare_panic = x_log.bare_panic();
  x_evidence.allowed = x_request.allowed_splats;
  x_evidence.console_silent = x_log.silent();
  x_evidence.line_error = x_reader.error().empty() ? x_files_reader.error() : x_reader.error();
  x_evidence.warn_fatal = x_request.machine.warn_fatal;
  if (x_model)
    x_evidence.model_error = x_model->complaint(!x_request.machine.model->profile.empty());
  Verdict verdict = judge(x_evidence);
  BootResult result;
  if (x_model && verdict.outcome == Outcome::Passed)
    result.modelled = x_model->sums();
  result.outcome = verdict.outcome;
  result.status = verdict.status;
  result.command = verdict.command;
  result.detail = verdict.detail;
  result.remark = verdict.remark;
  result.console = x_report && !x_report->excerpt.empty() && x_evidence.timed_out.empty()
                       ? x_report->excerpt
                       : x_log.excerpt(shown_lines);
  result.files = x_out.files();
  result.total_s = seconds(Clock::now() - x_begin);
  if (x_evidence.hello)
    result.boot_s = seconds(x_command_begin - x_begin);
  if (!x_evidence.result.empty())
    result.command_s = seconds(x_command_end - x_command_begin);
  return result;
}

BootResult Boot::run()
{
  connect();
  start();
  loop();
  return result();
}

BootResult boot(const BootRequest &request)
{
  try {
    return Boot(request).run();
  } catch (const outcome_error &failure) {
    BootResult result;
    result.outcome = failure.outcome;
    result.detail = failure.what();
    return result;
  }
}

} // namespace vmtest
