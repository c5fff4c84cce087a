// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The options of record, check and ab for counting instructions in virtual machines.
#pragma once

#include <string>

#include "tools/gate/cli/options.h"

namespace CLI
{
class App;
}

namespace gate
{

// Texts as they were given; "" where they were not.
struct VmTexts {
  std::string seeds, jobs;
};

// --vm KERNEL and what goes with it, to record and check.
void add_vm(CLI::App &command, Options &options, VmTexts &texts);

// --kernel-a and --kernel-b and what goes with them, to ab.
void add_vm_ab(CLI::App &command, Options &options, VmTexts &texts);

// Takes the texts and refuses options that have no meaning without or with virtual machines.
// chosen: the subcommand as parsed. Throws usage_error.
void take_vm(const CLI::App &chosen, Options &options, const VmTexts &texts);

} // namespace gate
