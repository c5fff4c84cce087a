// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// /dev/kmsg in the guest, from its first record on.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/lib/fd.h"
#include "tools/vmtest/kernel_log.h"

namespace vmtest::guest
{

class GuestLog {
public:
  explicit GuestLog(std::vector<std::string> splats) : x_log(std::move(splats)) {}
  // Once is enough. Where there is no /dev/kmsg, nothing is there().
  void open();
  bool there() const { return static_cast<bool>(x_file); }
  int fd() const { return x_file.get(); }
  // All that is there now, without waiting.
  void read();
  const KernelLog &log() const { return x_log; }

private:
  Fd x_file;
  KernelLog x_log;
};

} // namespace vmtest::guest
