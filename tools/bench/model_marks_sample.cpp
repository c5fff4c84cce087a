// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A program with marks of its own: begins, executes a million instructions in a loop, and ends, as
// its arguments say.
#include <string_view>

#include "tools/lib/model_marks.h"

int main(int argc, char **argv)
{
  if (argc > 1 && std::string_view(argv[1]) == "begin")
    model_mark(MODEL_BEGIN);
#if defined(__x86_64__)
  uint64_t passes = 500000;
  asm volatile("1:\n\tdec %0\n\tjnz 1b" : "+r"(passes)::"cc");
#endif
  if (argc > 2 && std::string_view(argv[2]) == "end")
    model_mark(MODEL_END);
}
