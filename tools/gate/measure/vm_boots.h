// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Counts the instructions of bench inside a kernel, and the events of a modelled machine: boots it
// with vmtest --icount or --model, once for each of several seeds, and reads what bench left there.
// gate itself starts neither QEMU nor BPF.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/lib/result.h"

namespace gate
{

struct BootPlan {
  std::string vmtest, bench; // paths of executables
  std::string kernel;        // as vmtest names it
  std::vector<std::string> bench_arguments;
  std::string model; // as vmtest names it; "": instructions only
  uint64_t first_seed = 1;
  size_t seeds = 5;
  size_t jobs = 1;               // guests at a time
  std::optional<long> timeout_s; // of bench in one boot, before vmtest stretches it
};

// A boot that gave no figures. what(): "seed 3: panic: ...", one line.
class boot_error : public std::runtime_error {
public:
  explicit boot_error(const std::string &what, std::vector<std::string> console = {})
      : std::runtime_error(what), x_console(std::move(console))
  {
  }
  // The last lines that the guest's kernel wrote.
  const std::vector<std::string> &console() const { return x_console; }

private:
  std::vector<std::string> x_console;
};

// Everything was measured in every boot, or it throws: boot_error; usage_error when bench or vmtest
// refuses its arguments; nothing_measurable when there is no QEMU, no such kernel, or bench skips
// everything; interrupted_error; std::system_error when vmtest cannot be executed. ended: is called
// now and then, in another thread, with how many boots have left their figures.
result::Result count_instructions(const BootPlan &plan,
                                  const std::function<void(size_t)> &ended = {});

} // namespace gate
