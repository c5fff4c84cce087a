// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// /proc/<pid>/task/<tid>/children needs a kernel option and counts by thread: read every stat
// instead, but only if there is any child at all.
#include "tools/test_progs/processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>

#include "tools/lib/text.h"

namespace test
{

static bool has_children()
{
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

static pid_t parent_of(const std::string &process)
{
  std::string text = read_if_there("/proc/" + process + "/stat").value_or("");
  // "pid (name) state ppid": a name may hold blanks and brackets, so look for the last one.
  size_t after_name = text.rfind(')');
  if (after_name == std::string::npos || text.size() < after_name + 5)
    return 0;
  pid_t parent = 0;
  std::from_chars(text.data() + after_name + 4, text.data() + text.size(), parent);
  return parent;
}

std::vector<pid_t> children_of_this_process()
{
  std::vector<pid_t> children;
  if (!has_children())
    return children;
  for (const std::string &name : names_if_there("/proc")) {
    pid_t pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid > 0 && parent_of(name) == getpid())
      children.push_back(pid);
  }
  return children;
}

} // namespace test
