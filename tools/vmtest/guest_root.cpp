// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/guest_root.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "tools/vmtest/guest_system.h"

namespace vmtest::guest
{

[[noreturn]] static void fail(const char *what)
{
  throw std::runtime_error(fmt::format("--root host: {}: {}", what, strerror(errno)));
}

static void insert_all(const std::vector<std::string> &modules)
{
  if (std::string failure = insert_modules(modules); !failure.empty())
    throw std::runtime_error("--root host: " + failure);
}

static void mount_at(const char *where, const char *type, const char *source, unsigned long flags,
                     const char *data)
{
  mkdir(where, 0755);
  if (mount(source, where, type, flags, data) < 0)
    fail(type);
}

static void set_fowner(bool effective)
{
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) < 0)
    fail("capget");
  uint32_t bit = CAP_TO_MASK(CAP_FOWNER), &set = data[CAP_TO_INDEX(CAP_FOWNER)].effective;
  set = effective ? set | bit : set & ~bit;
  if (syscall(SYS_capset, &header, data) < 0)
    fail("capset");
}

// host_user: virtiofsd is an ordinary user's. overlay opens files as the process that mounts it,
// with O_NOATIME where that process may; virtiofsd may only for the user's own files, and refuses
// others (EPERM). Files of root are nobody's here: a set-user-ID program must not become nobody.
static void make_root(bool host_user)
{
  mount_at("/host", "virtiofs", host_files_tag, MS_RDONLY, nullptr);
  mount_at("/layer", "tmpfs", "tmpfs", 0, "mode=0755");
  mkdir("/layer/upper", 0755);
  mkdir("/layer/work", 0755);
  set_fowner(!host_user);
  mount_at("/new", "overlay", "overlay", host_user ? MS_NOSUID : 0,
           "lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work");
  set_fowner(true);
}

// What is mounted there, or the directory, if it is there at all.
static void bring(const std::string &where, unsigned long how)
{
  std::string to = "/new" + where;
  if (access(where.c_str(), F_OK) < 0)
    return;
  mkdir(to.c_str(), 0755);
  if (mount(where.c_str(), to.c_str(), nullptr, how, nullptr) < 0)
    fail(where.c_str());
}

void enter_host_root(RunConfig &config)
{
  for (auto *modules : {&config.root_modules, &config.modules}) {
    insert_all(*modules);
    modules->clear();
  }
  make_root(config.host_user);
  for (const char *where : {"/dev", "/proc", "/sys", "/run", "/out"})
    bring(where, MS_MOVE);
  bring("/share", MS_BIND);
  if (chdir("/new") < 0 || mount(".", "/", nullptr, MS_MOVE, nullptr) < 0 || chroot(".") < 0)
    fail("the new root");
}

} // namespace vmtest::guest
