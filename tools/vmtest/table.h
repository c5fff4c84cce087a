// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What came of all runs: a table for people, JSON for machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/vmtest/boot.h"

namespace vmtest
{

// One guest.
struct RunReport {
  std::string kernel, release, build_id; // kernel as the user named it
  std::optional<uint64_t> seed;
  std::string accelerator, qemu_version, cpu, initramfs;
  double prepare_s = 0; // finding the kernel and packing, before QEMU
  BootResult result;
};

// "debian:6.12", "debian:6.12 seed 3"
std::string label(const RunReport &run);

// Of several runs, with a heading.
std::string table(const std::vector<RunReport> &runs);

// docs/vmtest.md has its members.
std::string to_json(const std::vector<RunReport> &runs);

// Of the first run that did not pass, or 0.
int exit_code(const std::vector<RunReport> &runs);

} // namespace vmtest
