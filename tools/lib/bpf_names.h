// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where the functions of BPF programs are in the kernel, followed as programs come and go: the
// kernel tells by records of perf (PERF_RECORD_KSYMBOL). /proc/kallsyms has them too, behind a
// hundred thousand others.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tools/lib/perf_ring.h"

class BpfNames {
public:
  // From now on, what is loaded on the first CPU: a guest with the model has no other. Needs root
  // and a kernel with perf, or nothing is known.
  BpfNames();

  // False where not all that came and went since the construction is known.
  bool complete();
  // Those that are there, as lines of /proc/kallsyms.
  std::string lines();

private:
  void take(const char *record, size_t size);

  PerfRing x_ring;
  bool x_lost = false;
  std::map<uint64_t, std::string> x_names;
};
