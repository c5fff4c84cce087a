// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Ctrl-C and its relatives, noted: whoever runs a guest looks here between two waits.
#pragma once

namespace vmtest
{

struct Interrupts {
  int count = 0;
  int signal = 0; // the first
};

// Notes SIGINT, SIGTERM and SIGHUP from here on. Once.
void catch_interrupts();
Interrupts interrupts();

} // namespace vmtest
