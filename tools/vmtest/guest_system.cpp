// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/guest_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#if defined(__x86_64__) || defined(__i386__)
#include <sys/io.h>
#endif
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <termios.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "tools/lib/text.h"
#include "tools/vmtest/run_config.h"

namespace fs = std::filesystem;

namespace vmtest::guest
{

namespace
{

struct Mount {
  const char *type, *where, *options;
  const char *symbol; // without which the kernel has no such file system
  bool needed;
};

constexpr Mount mounts[] = {
    {"devtmpfs", "/dev", "mode=0755", "CONFIG_DEVTMPFS", true},
    {"proc", "/proc", "", "CONFIG_PROC_FS", true},
    {"sysfs", "/sys", "", "CONFIG_SYSFS", true},
    {"tmpfs", "/tmp", "mode=1777", "CONFIG_TMPFS", false},
    {"tmpfs", "/run", "mode=0755", "CONFIG_TMPFS", false},
    // Most of the memory: a test's files shall come back whole.
    {"tmpfs", "/out", "mode=1777,size=75%", "CONFIG_TMPFS", false},
    {"tmpfs", "/dev/shm", "mode=1777", "CONFIG_TMPFS", false},
    {"devpts", "/dev/pts", "mode=0620,ptmxmode=0666", "CONFIG_UNIX98_PTYS", false},
    {"cgroup2", "/sys/fs/cgroup", "", "CONFIG_CGROUPS", false},
    {"debugfs", "/sys/kernel/debug", "", "CONFIG_DEBUG_FS", false},
    {"tracefs", "/sys/kernel/tracing", "", "CONFIG_TRACING", false},
    {"bpf", "/sys/fs/bpf", "mode=0700", "CONFIG_BPF_SYSCALL", false},
};

} // namespace

static void write_text(const char *path, std::string_view text)
{
  Fd file(open(path, O_WRONLY | O_CLOEXEC));
  if (file && write(file.get(), text.data(), text.size()) < 0)
    return; // what is not there to be set is not missed
}

static bool mounted(const Mount &mount_point)
{
  mkdir(mount_point.where, 0755);
  return mount(mount_point.type, mount_point.where, mount_point.type, 0, mount_point.options) == 0;
}

// devtmpfs has neither of these links.
static void link_standard_streams()
{
  for (auto [target, path] : {std::pair{"/proc/self/fd", "/dev/fd"},
                              {"/proc/self/fd/0", "/dev/stdin"},
                              {"/proc/self/fd/1", "/dev/stdout"},
                              {"/proc/self/fd/2", "/dev/stderr"}})
    if (symlink(target, path) < 0 && errno != EEXIST)
      return;
}

static void raise_limits()
{
  constexpr rlim_t files = 1u << 16;
  for (auto [which, limit] : {std::pair{RLIMIT_MEMLOCK, RLIM_INFINITY}, {RLIMIT_NOFILE, files}}) {
    rlimit both = {limit, limit};
    setrlimit(which, &both);
  }
  rlimit none = {0, RLIM_INFINITY};
  setrlimit(RLIMIT_CORE, &none);
}

static void loopback_up()
{
  Fd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = {};
  strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  ioctl(any.get(), SIOCSIFFLAGS, &request);
}

static void set_kernel_up()
{
  for (const char *controller : {"+memory", "+cpu", "+pids"})
    write_text("/sys/fs/cgroup/cgroup.subtree_control", controller);
  // The host has to hear of a killed command; also when it is us that the killer would like best.
  write_text("/proc/self/oom_score_adj", "-1000");
  write_text("/proc/sys/kernel/sysrq", "1");
  write_text("/proc/sys/kernel/hostname", "vmtest");
}

std::vector<std::string> set_up_system()
{
  std::vector<std::string> missing;
  std::string needed;
  for (const Mount &each : mounts) {
    if (mounted(each))
      continue;
    if (each.needed && needed.empty())
      needed =
          fmt::format("{} ({} on {}: {})", each.symbol, each.type, each.where, strerror(errno));
    if (missing.empty() || !missing.back().starts_with(each.symbol))
      missing.push_back(fmt::format("{} ({})", each.symbol, each.where));
  }
  if (!needed.empty()) {
    // So that the host can be told.
    mknod("/dev/ttyS1", S_IFCHR | 0600, makedev(4, 65));
    throw std::runtime_error("the kernel lacks " + needed);
  }
  mkdir("/root", 0700);
  link_standard_streams();
  raise_limits();
  loopback_up();
  set_kernel_up();
  return missing;
}

Fd open_serial(const char *path)
{
  Fd line(open(path, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings;
  if (!line || tcgetattr(line.get(), &settings) < 0)
    throw std::runtime_error(fmt::format("{}: {}: the kernel needs CONFIG_SERIAL_8250 and "
                                         "CONFIG_SERIAL_8250_RUNTIME_UARTS of 2 or more",
                                         path, strerror(errno)));
  cfmakeraw(&settings);
  cfsetspeed(&settings, B115200);
  settings.c_cflag |= CLOCAL | CREAD;
  tcsetattr(line.get(), TCSANOW, &settings);
  return line;
}

static bool insert_module(const std::string &path)
{
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file && (syscall(SYS_finit_module, file.get(), "", 0) == 0 || errno == EEXIST);
}

std::string insert_modules(const std::vector<std::string> &modules)
{
  for (const std::string &module : modules)
    if (!insert_module(module))
      return fmt::format("cannot insert {}: {}", fs::path(module).filename().string(),
                         strerror(errno));
  return "";
}

static std::string find_port()
{
  const std::string ports = "/sys/class/virtio-ports/";
  for (const std::string &name : names_if_there(ports))
    if (read_small_file(ports + name + "/name") == files_port_name)
      return "/dev/" + name;
  return "";
}

Fd open_files_port(const std::vector<std::string> &modules, std::string &why_not)
{
  why_not = insert_modules(modules);
  if (!why_not.empty())
    return Fd();
  for (int tries = 0; tries < 100; tries++) {
    std::string path = find_port();
    if (Fd port(path.empty() ? -1 : open(path.c_str(), O_WRONLY | O_CLOEXEC)); port)
      return port;
    usleep(10000);
  }
  why_not = "no virtio-serial port (CONFIG_VIRTIO_CONSOLE, CONFIG_VIRTIO_PCI)";
  return Fd();
}

// Of processes that have a program; kernel threads have none.
static void show_process(const std::string &pid)
{
  std::string proc = "/proc/" + pid;
  auto command = read_small_file(proc + "/cmdline");
  if (!command || command->empty())
    return;
  std::replace(command->begin(), command->end(), '\0', ' ');
  std::string line = fmt::format("process {}: {}", pid, *command);
  for (const char *what : {"wchan", "syscall"})
    if (auto text = read_small_file(proc + "/" + what); text && !text->empty())
      line += fmt::format("; {} {}", what, *text);
  fmt::print("{}\n{}\n", line, read_small_file(proc + "/stack").value_or(""));
}

void show_all_messages()
{
  constexpr int set_console_level = 8, all_but_debug = 7;
  klogctl(set_console_level, nullptr, all_but_debug);
}

void show_backtraces()
{
  for (const std::string &pid : names_if_there("/proc"))
    if (parse_whole(pid) && pid != "1")
      show_process(pid);
  fflush(stdout);
  write_text("/proc/sysrq-trigger", "w"); // who waits without end
  write_text("/proc/sysrq-trigger", "l"); // where each CPU is; one of them is here
  tcdrain(STDOUT_FILENO);
}

void kill_all() { kill(-1, SIGKILL); }

// By isa-debug-exit: at once, where a reboot takes its time.
static void leave_quickly()
{
#if defined(__x86_64__) || defined(__i386__)
  constexpr unsigned short debug_exit_port = 0xf4;
  if (ioperm(debug_exit_port, 4, 1) == 0)
    outl(debug_exit_code, debug_exit_port);
#endif
}

void leave()
{
  fflush(stdout);
  tcdrain(STDOUT_FILENO);
  leave_quickly();
  reboot(RB_AUTOBOOT); // QEMU runs with -no-reboot
  while (true)
    pause();
}

} // namespace vmtest::guest
