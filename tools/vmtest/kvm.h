// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Whether /dev/kvm really runs a guest. That it opens says little: where nested virtualisation is
// broken it opens, answers, and then spins for ever.
#pragma once

#include <string>

namespace vmtest
{

struct KvmState {
  bool works = false;
  std::string why; // one line: why not, or "runs guest code"
};

// Runs a few instructions in real mode and then in long mode in a guest of our own, in a child that
// is killed after 0.15 s of CPU time, or 2 s. Never throws; asks the kernel anew every
// time.
KvmState kvm_works();

} // namespace vmtest
