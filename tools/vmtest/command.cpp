// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/command.h"

#include <unistd.h>

#include <string_view>

#include "tools/lib/process.h"

namespace vmtest
{

// Its messages are read by us.
static std::vector<std::string> plain_environment()
{
  std::vector<std::string> list = {"LC_ALL=C.UTF-8"};
  for (char **each = environ; *each; each++) {
    std::string_view variable = *each;
    if (!variable.starts_with("LC_ALL=") && !variable.starts_with("LANGUAGE="))
      list.emplace_back(variable);
  }
  return list;
}

CommandResult run_command(const std::vector<std::string> &arguments)
{
  // Guarded: apt-get changes its user for a moment, which takes a death signal off.
  process::Finished ended =
      process::run(arguments, {.guarded = true, .environment = plain_environment()},
                   {.until = process::Reading::Until::Ended, .pass_interrupts = true});
  return {ended.status.as_shell(), std::move(ended.out), std::move(ended.err)};
}

} // namespace vmtest
