// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/memory_cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "tools/lib/bpf_error.h"
#include "tools/lib/fd.h"
#include "tools/lib/text.h"

namespace
{

struct Hierarchy {
  std::string kind;
  std::string home; // directory of the cgroup that this process is in
  // The memory controller is handed down only since one of us asked for it.
  bool borrowed = false;
};

// Ends the names of cgroups that have the controller borrowed: the last of them gives it back.
constexpr const char *borrowed_mark = "-borrowed";

// The path of this process in the hierarchy with this controller list ("memory", or "" for v2).
std::optional<std::string> own_cgroup(const std::string &controller)
{
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos)
      continue;
    std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    bool match = controller.empty() ? controllers == ",,"
                                    : controllers.find("," + controller + ",") != controllers.npos;
    if (match)
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// Where the hierarchy is mounted: of this type and, for v1, with this mount option.
std::optional<std::string> mount_point(const std::string &type, const std::string &option)
{
  std::ifstream file("/proc/self/mounts");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string device, dir, fstype, options;
    words >> device >> dir >> fstype >> options;
    if (fstype == type &&
        (option.empty() || ("," + options + ",").find("," + option + ",") != std::string::npos))
      return dir;
  }
  return std::nullopt;
}

bool has_word(const std::string &text, const std::string &word)
{
  std::istringstream words(text);
  for (std::string each; words >> each;)
    if (each == word)
      return true;
  return false;
}

bool has_borrower(const std::string &home)
{
  std::string pattern = home + "/bpfgate-*" + borrowed_mark;
  glob_t found = {};
  bool any = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0;
  globfree(&found);
  return any;
}

// Held while somebody may look for borrowers and become one (shared), or give back (exclusive).
Fd lock_home(const std::string &home, int how)
{
  Fd fd(open(home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd && flock(fd.get(), how))
    fd.reset();
  return fd;
}

// The last one whose cgroup had the controller borrowed.
void give_back(const std::string &home)
{
  Fd lock = lock_home(home, LOCK_EX);
  if (!lock || has_borrower(home))
    return;
  std::ofstream control(home + "/cgroup.subtree_control");
  control << "-memory" << std::flush; // refused where somebody else uses it by now
}

std::optional<Hierarchy> find_v2(std::string &why)
{
  auto mount = mount_point("cgroup2", "");
  auto own = own_cgroup("");
  if (!mount || !own) {
    why += "cgroup v2 is not mounted; ";
    return std::nullopt;
  }
  std::string home = *mount + *own;
  if (!has_word(read_small_file(home + "/cgroup.controllers").value_or(""), "memory")) {
    why += "cgroup v2 has no memory controller here; ";
    return std::nullopt;
  }
  // A cgroup with processes may not hand controllers down ("no internal processes"), except the
  // root: then a sibling of our own cgroup serves.
  if (!has_word(read_small_file(home + "/cgroup.subtree_control").value_or(""), "memory")) {
    std::ofstream control(home + "/cgroup.subtree_control");
    control << "+memory" << std::flush;
    if (!control && *own != "/") {
      std::string parent = home.substr(0, home.find_last_of('/'));
      if (has_word(read_small_file(parent + "/cgroup.subtree_control").value_or(""), "memory"))
        return Hierarchy{"cgroup v2", parent};
    }
    if (!control) {
      why += "cgroup v2 does not hand the memory controller down; ";
      return std::nullopt;
    }
    return Hierarchy{"cgroup v2", home, true};
  }
  return Hierarchy{"cgroup v2", home, has_borrower(home)};
}

// Until the cgroup is there, nobody may give back what it borrows.
Fd lock_v2()
{
  auto mount = mount_point("cgroup2", "");
  auto own = own_cgroup("");
  return mount && own ? lock_home(*mount + *own, LOCK_SH) : Fd();
}

std::optional<Hierarchy> find_v1(std::string &why)
{
  auto mount = mount_point("cgroup", "memory");
  auto own = own_cgroup("memory");
  if (!mount || !own) {
    why += "no cgroup v1 memory hierarchy";
    return std::nullopt;
  }
  // In a container the path may be that of the host: then the mount itself is our cgroup.
  std::string home = *mount + *own;
  if (access(home.c_str(), F_OK))
    home = *mount;
  if (access((home + "/memory.usage_in_bytes").c_str(), F_OK)) {
    why += "the cgroup v1 memory hierarchy is hidden behind another mount";
    return std::nullopt;
  }
  return Hierarchy{"cgroup v1", home};
}

void move_process(const std::string &dir, pid_t pid)
{
  Fd procs(open((dir + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  std::string text = std::to_string(pid);
  if (!procs || write(procs.get(), text.data(), text.size()) < 0)
    throw std::system_error(errno, std::generic_category(),
                            "cannot move into cgroup '" + dir + "'");
}

uint64_t read_bytes(const std::string &path)
{
  auto text = read_small_file(path);
  auto value = text ? parse_whole(*text) : std::nullopt;
  if (!value)
    throw std::system_error(errno ? errno : EIO, std::generic_category(),
                            "cannot read '" + path + "'");
  return *value;
}

// rmdir fails with EBUSY until the last process is really gone.
void remove_cgroup(const std::string &dir)
{
  for (int tries = 0; tries < 200 && rmdir(dir.c_str()) && errno == EBUSY; tries++)
    usleep(10000);
  if (dir.ends_with(borrowed_mark))
    give_back(dir.substr(0, dir.find_last_of('/')));
}

} // namespace

// A forked child that outlives a crash: it waits until our end of the pipe is closed, by us or by
// the kernel, and removes the cgroup. It stays outside of the cgroup itself. Not by
// tools/lib/process, whose children never outlive us.
struct MemoryCgroup::Reaper {
  explicit Reaper(const std::string &dir)
  {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
      throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    pid = fork();
    if (pid < 0)
      throw std::system_error(errno, std::generic_category(), "cannot fork");
    if (pid == 0)
      wait_and_remove(ends, dir);
    close(ends[0]);
    ours.reset(ends[1]);
  }
  ~Reaper()
  {
    ours.reset();
    waitpid(pid, nullptr, 0);
  }
  [[noreturn]] static void wait_and_remove(int ends[2], const std::string &dir)
  {
    setsid(); // so that Ctrl-C, meant for the parent, does not end it
    // A reader of the parent's output would wait for us, and BPF maps must not live on in here.
    if (ends[0] > 0)
      close_range(0, ends[0] - 1, 0);
    close_range(ends[0] + 1, ~0U, 0);
    char byte;
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
      ;
    remove_cgroup(dir);
    _exit(0);
  }
  pid_t pid = -1;
  Fd ours;
};

MemoryCgroup::MemoryCgroup()
{
  std::string why;
  Fd lock = lock_v2();
  auto hierarchy = find_v2(why);
  if (!hierarchy)
    hierarchy = find_v1(why);
  if (!hierarchy)
    throw bpf::missing("no memory cgroup: " + why);
  bool v2 = hierarchy->kind == "cgroup v2";
  static std::atomic<unsigned> count;
  x_kind = hierarchy->kind;
  x_home = hierarchy->home;
  x_dir = fmt::format("{}/bpfgate-{}-{}{}", x_home, getpid(), count++,
                      hierarchy->borrowed ? borrowed_mark : "");
  x_usage_file = x_dir + (v2 ? "/memory.current" : "/memory.usage_in_bytes");
  x_peak_file = x_dir + (v2 ? "/memory.peak" : "/memory.max_usage_in_bytes");
  if (mkdir(x_dir.c_str(), 0755)) {
    std::string problem = std::generic_category().message(errno);
    lock.reset(); // giving back waits for it
    if (hierarchy->borrowed)
      give_back(x_home);
    throw bpf::missing(fmt::format("no memory cgroup: cannot make '{}': {}", x_dir, problem));
  }
  try {
    x_reaper = std::make_unique<Reaper>(x_dir);
    move_process(x_dir, getpid());
  } catch (const std::system_error &error) {
    lock.reset(); // giving back waits for it
    x_reaper.reset();
    remove_cgroup(x_dir); // where there was no reaper to do so
    throw bpf::missing(std::string("no memory cgroup: ") + error.what());
  }
}

void MemoryCgroup::leave() { move_process(x_home, getpid()); }

MemoryCgroup::~MemoryCgroup()
{
  try {
    leave();
  } catch (const std::exception &) {
    // The reaper removes the cgroup once this process has ended.
  }
}

uint64_t MemoryCgroup::usage() const { return read_bytes(x_usage_file); }

std::optional<uint64_t> MemoryCgroup::peak() const
{
  if (access(x_peak_file.c_str(), R_OK))
    return std::nullopt;
  return read_bytes(x_peak_file);
}
