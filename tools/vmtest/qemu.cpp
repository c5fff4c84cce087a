// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/qemu.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

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
  if (wires.host_files >= 0)
    add(command, {"-chardev", fmt::format("socket,id=host,fd={}", wires.host_files), "-device",
                  fmt::format("vhost-user-fs-pci,chardev=host,tag={}", host_files_tag)});
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
  // virtiofsd reads and writes the guest's memory.
  if (wires.host_files >= 0)
    add(command,
        {"-object", fmt::format("memory-backend-memfd,id=memory,size={}M", machine.memory_mib),
         "-machine", "memory-backend=memory"});
  add(command, {"-cpu", cpu_model(machine), "-smp", std::to_string(machine.cpus), "-m",
                fmt::format("{}M", machine.memory_mib)});
  add(command, {"-nodefaults", "-no-user-config", "-display", "none", "-nic", "none", "-no-reboot",
                "-device", "isa-debug-exit,iobase=0xf4,iosize=4"});
  add_wires(command, machine, wires);
  add(command, {"-kernel", image, "-initrd", fmt::format("/proc/self/fd/{}", wires.initrd),
                "-append", kernel_command_line(machine)});
  if (machine.model)
    for (const std::string &argument :
         model_arguments(*machine.model, wires.model_page, wires.model_machine))
      command.push_back(argument);
  if (machine.gdb_port)
    add(command, {"-S", "-gdb", fmt::format("tcp:127.0.0.1:{}", machine.gdb_port)});
  return command;
}

QemuProcess::QemuProcess(const std::vector<std::string> &command, const std::vector<int> &inherited)
{
  x_err = process::memory_file();
  process::Options options = {
      .out = x_err.get(), .err = x_err.get(), .own_group = true, .death_signal = SIGKILL};
  options.prepare = [&] {
    for (int fd : inherited)
      fcntl(fd, F_SETFD, 0);
  };
  try {
    x_child = process::spawn(command, options);
  } catch (const std::system_error &failure) {
    throw outcome_error(Outcome::QemuError,
                        fmt::format("{}: {}", command[0], failure.code().message()));
  }
}

void QemuProcess::kill_now()
{
  if (!running())
    return;
  x_child.kill_now();
  x_killed = true;
}

// 0: the guest rebooted, which a panic is, too. 1 is QEMU's own for a wrong command line.
bool QemuProcess::ended_badly()
{
  if (x_killed || running())
    return false;
  int code = x_child.status().exit_code();
  return code != 0 && code != debug_exit_status;
}

std::string QemuProcess::last_words() const
{
  std::string text = process::tail_of(x_err, 4096);
  text.erase(text.find_last_not_of(" \r\n") + 1);
  size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

} // namespace vmtest
