// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What goes into a guest: vmtest itself as /init, the command and other programs in /bin with their
// libraries, shared directories, the modules for the way back of files.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/vmtest/kernel.h"
#include "tools/vmtest/options.h"

namespace vmtest
{

struct Payload {
  std::string bytes, sha256;
  std::vector<std::string> command; // in the guest; the program's path first
  std::string argv0;
  std::vector<std::string> modules, root_modules; // paths in the guest, in order
  std::vector<std::string> remarks;               // what could not be brought, a line each
};

// The program's path on this machine: with a slash as it is; else from vmtest's own build tree,
// else from PATH. Throws outcome_error (CommandNotFound).
std::string find_program(const std::string &name);

// Throws outcome_error.
Payload make_payload(const Options &options, const Kernel &kernel);

} // namespace vmtest
