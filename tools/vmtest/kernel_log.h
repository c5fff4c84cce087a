// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The kernel's own log, as /dev/kmsg gives it in the guest: every record at every level, whatever
// the console shows. What a program wrote there has a facility of its own (the kernel sees to that)
// and is no finding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/vmtest/console_log.h"

namespace vmtest
{

struct KernelRecord {
  unsigned facility = 0; // 0: the kernel's
  uint64_t sequence = 0;
  uint64_t time_us = 0;
  std::string text; // may have several lines
};

// What one read() of /dev/kmsg gives; nothing where it has another form.
std::optional<KernelRecord> parse_record(std::string_view record);

// What the guest tells the host.
struct KernelReport {
  std::vector<Finding> findings;
  std::vector<std::string> excerpt; // the lines around the first of them
  bool lost = false;                // records were overwritten before they could be read
};

class KernelLog {
public:
  explicit KernelLog(std::vector<std::string> splats) : x_log(std::move(splats)) {}
  void add(std::string_view record);
  // Records were overwritten.
  void lose() { x_lost = true; }
  // For the host, see parse_report().
  std::string report() const;
  // As dmesg shows it.
  const std::string &text() const { return x_text; }

private:
  ConsoleLog x_log;
  std::optional<uint64_t> x_last;
  std::string x_text;
  bool x_lost = false;
};

// Nothing where it is no report. splats: see ConsoleLog.
std::optional<KernelReport> parse_report(std::string_view text,
                                         const std::vector<std::string> &splats);

} // namespace vmtest
