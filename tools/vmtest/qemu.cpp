// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/qemu.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tools/lib/text.h"
#include "tools/vmtest/command.h"
#include "tools/vmtest/outcome.h"
#include "tools/vmtest/run_config.h"

namespace vmtest
{

const char *name(Accelerator accelerator)
{
  return accelerator == Accelerator::Kvm   ? "kvm"
         : accelerator == Accelerator::Tcg ? "tcg"
                                           : "icount";
}

std::string parse_qemu_version(std::string_view text)
{
  constexpr std::string_view intro = "QEMU emulator version ";
  if (!text.starts_with(intro))
    return "";
  text.remove_prefix(intro.size());
  return std::string(text.substr(0, text.find_first_not_of("0123456789.")));
}

Qemu find_qemu(const std::string &given)
{
  Qemu qemu;
  qemu.path = given.empty() ? "qemu-system-x86_64" : given;
  CommandResult said;
  try {
    said = run_command({qemu.path, "--version"});
  } catch (const std::system_error &failure) {
    throw outcome_error(Outcome::QemuError,
                        fmt::format("{}: {} (Debian, Ubuntu: package qemu-system-x86)", qemu.path,
                                    failure.code().message()));
  }
  qemu.version = parse_qemu_version(said.out);
  auto major = parse_whole(qemu.version.substr(0, qemu.version.find('.')));
  if (said.status != 0 || !major)
    throw outcome_error(Outcome::QemuError, fmt::format("{} is no QEMU", qemu.path));
  qemu.major = static_cast<int>(*major);
  return qemu;
}

bool has_broken_cmpxchg16b(const Machine &machine)
{
  return machine.accelerator != Accelerator::Kvm && machine.qemu.major < 10;
}

std::string cpu_model(const Machine &machine)
{
  if (machine.accelerator == Accelerator::Kvm)
    return "host";
  if (machine.accelerator == Accelerator::Icount)
    return "Nehalem-v1,-cx16,+rdrand,enforce";
  return has_broken_cmpxchg16b(machine) ? "max,-cx16" : "max";
}

int slowness(Accelerator accelerator)
{
  return accelerator == Accelerator::Kvm ? 1 : accelerator == Accelerator::Tcg ? 4 : 8;
}

// What is on it, and why:
// loglevel=5: warnings are shown, which `quiet` hides; the rest costs a third of the boot.
// no_timer_check: the check fails where the host lets the guest wait. KVM guests skip it as well.
// unknown_nmi_panic: the last means to get a backtrace out of a hung kernel.
// The watchdogs of a kernel that runs four times as slow have four times as long.
std::string kernel_command_line(const Machine &machine)
{
  std::string line = "console=ttyS0,115200 loglevel=5 printk.time=1 rdinit=/init panic=-1 "
                     "oops=panic unknown_nmi_panic no_timer_check cryptomgr.notests";
  if (machine.accelerator != Accelerator::Kvm)
    line += " rcupdate.rcu_cpu_stall_timeout=84 watchdog_thresh=40 workqueue.watchdog_thresh=120";
  if (machine.warn_fatal)
    line += " panic_on_warn=1";
  if (machine.gdb_port)
    line += " nokaslr";
  return machine.append.empty() ? line : line + " " + machine.append;
}

static void add(std::vector<std::string> &command, std::initializer_list<std::string> more)
{
  command.insert(command.end(), more);
}

// A serial port whose bytes are written to a pipe with the guest standing still: a reader that is
// late cannot change what the guest does, which a socket can.
static void add_serial_to_pipe(std::vector<std::string> &command, const std::string &id, int fd)
{
  add(command, {"-chardev", fmt::format("null,id={},logfile=/proc/self/fd/{},logappend=on", id, fd),
                "-serial", "chardev:" + id});
}

static void add_wires(std::vector<std::string> &command, const Machine &machine, const Wires &wires)
{
  bool counting = machine.accelerator == Accelerator::Icount;
  add_serial_to_pipe(command, "console", wires.console);
  if (counting)
    add_serial_to_pipe(command, "result", wires.result);
  else
    add(command, {"-chardev", fmt::format("socket,id=result,fd={}", wires.result), "-serial",
                  "chardev:result"});
  // With ioeventfd another thread of QEMU answers the guest, when the host lets it: while the
  // driver sets up the port, its interrupts then fall where the host's load puts them.
  if (wires.files >= 0)
    add(command,
        {"-device", fmt::format("virtio-serial-pci,id=files{}", counting ? ",ioeventfd=off" : ""),
         "-chardev", fmt::format("socket,id=files,fd={}", wires.files), "-device",
         fmt::format("virtserialport,bus=files.0,nr=1,chardev=files,name={}", files_port_name)});
  add(command, {"-chardev", fmt::format("socket,id=monitor,fd={}", wires.monitor), "-mon",
                "chardev=monitor,mode=control"});
}

static void add_accelerator(std::vector<std::string> &command, const Machine &machine)
{
  if (machine.accelerator == Accelerator::Kvm)
    return add(command, {"-accel", "kvm"});
  add(command, {"-accel", machine.accelerator == Accelerator::Tcg ? "tcg" : "tcg,thread=single"});
  if (machine.accelerator == Accelerator::Icount)
    add(command, {"-icount", "shift=0,sleep=off", "-seed", std::to_string(machine.seed), "-rtc",
                  "base=2026-01-01T00:00:00,clock=vm"});
}

std::vector<std::string> qemu_command(const Machine &machine, const std::string &image,
                                      const Wires &wires)
{
  // A machine of one version, as instruction counts shall not depend on QEMU's.
  bool counting = machine.accelerator == Accelerator::Icount;
  std::vector<std::string> command = {machine.qemu.path, "-machine",
                                      counting ? "pc-i440fx-7.2" : "pc"};
  add_accelerator(command, machine);
  add(command, {"-cpu", cpu_model(machine), "-smp", std::to_string(machine.cpus), "-m",
                fmt::format("{}M", machine.memory_mib)});
  add(command, {"-nodefaults", "-no-user-config", "-display", "none", "-nic", "none", "-no-reboot",
                "-device", "isa-debug-exit,iobase=0xf4,iosize=4"});
  add_wires(command, machine, wires);
  add(command, {"-kernel", image, "-initrd", fmt::format("/proc/self/fd/{}", wires.initrd),
                "-append", kernel_command_line(machine)});
  if (machine.gdb_port)
    add(command, {"-S", "-gdb", fmt::format("tcp:127.0.0.1:{}", machine.gdb_port)});
  return command;
}

// Between fork and exec: only calls that are safe there.
[[noreturn]] static void become(char *const argv[], const std::vector<int> &inherited, pid_t parent,
                                int err, int report)
{
  setpgid(0, 0); // Ctrl-C on the terminal is for us, who end the guest in order
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int fd : inherited)
    fcntl(fd, F_SETFD, 0);
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (getppid() == parent && dup2(nothing, STDIN_FILENO) >= 0 && dup2(err, STDOUT_FILENO) >= 0 &&
      dup2(err, STDERR_FILENO) >= 0)
    execvp(argv[0], argv);
  int failure = errno;
  if (write(report, &failure, sizeof(failure)) < 0)
    _exit(126);
  _exit(127);
}

QemuProcess::QemuProcess(const std::vector<std::string> &command, const std::vector<int> &inherited)
{
  std::vector<char *> argv;
  for (const std::string &argument : command)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  x_err.reset(memfd_create("qemu", MFD_CLOEXEC));
  if (!x_err || pipe2(ends, O_CLOEXEC) < 0)
    throw std::system_error(errno, std::generic_category(), "cannot prepare for QEMU");
  fcntl(x_err.get(), F_SETFL, O_APPEND);
  Fd report_read(ends[0]), report_write(ends[1]);
  pid_t parent = getpid();
  x_pid = fork();
  if (x_pid < 0)
    throw std::system_error(errno, std::generic_category(), "cannot fork");
  if (x_pid == 0)
    become(argv.data(), inherited, parent, x_err.get(), report_write.get());
  report_write.reset();
  int failure = 0;
  if (read(report_read.get(), &failure, sizeof(failure)) == sizeof(failure)) {
    kill_now();
    throw outcome_error(Outcome::QemuError, fmt::format("{}: {}", command[0], strerror(failure)));
  }
}

bool QemuProcess::running()
{
  if (x_pid >= 0 && waitpid(x_pid, &x_status, WNOHANG) == x_pid)
    x_pid = -1;
  return x_pid >= 0;
}

void QemuProcess::kill_now()
{
  if (!running())
    return;
  kill(x_pid, SIGKILL);
  waitpid(x_pid, &x_status, 0);
  x_pid = -1;
  x_killed = true;
}

std::string QemuProcess::describe_end() const
{
  if (WIFSIGNALED(x_status))
    return fmt::format("signal {} ({})", WTERMSIG(x_status), strsignal(WTERMSIG(x_status)));
  return fmt::format("exit status {}", WEXITSTATUS(x_status));
}

// 0: the guest rebooted, which a panic is, too. 1 is QEMU's own for a wrong command line.
bool QemuProcess::ended_badly() const
{
  if (x_killed || x_pid >= 0)
    return false;
  return WIFSIGNALED(x_status) ||
         (WEXITSTATUS(x_status) != 0 && WEXITSTATUS(x_status) != debug_exit_status);
}

std::string QemuProcess::last_words() const
{
  char tail[4096];
  off_t size = lseek(x_err.get(), 0, SEEK_END);
  off_t from = std::max<off_t>(0, size - static_cast<off_t>(sizeof(tail)));
  ssize_t got = pread(x_err.get(), tail, sizeof(tail), from);
  std::string text(tail, std::max<ssize_t>(got, 0));
  text.erase(text.find_last_not_of(" \r\n") + 1);
  size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

} // namespace vmtest
