// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// test_progs inside each of the three Debian kernels that baselines are kept for.
#include <cstdlib>

#include "tools/lib/unit_test.h"
#include "tools/vmtest/vm_run.h"

using namespace unit_test;

TEST(test_progs_pass_in_all_kernels)
{
  test_kernel(); // skips where there is no QEMU or no kernel to be had
  const char *vmtest = getenv("VMTEST"), *test_progs = getenv("TEST_PROGS");
  expect(vmtest && test_progs, "run this by meson test");
  VmRun ended = run({vmtest, "-j2", "--kernel", "debian:6.1", "--kernel", "debian:6.12", "--kernel",
                     "debian:7.2", "--timeout", "600", "--", test_progs});
  expect(ended.status == 0, fmt::format("exit {}: {}\n{}", ended.status, ended.out, ended.err));
  size_t summaries = 0;
  for (size_t at = 0; (at = ended.out.find("Summary: ", at)) != ended.out.npos; at++)
    summaries++;
  expect_eq(summaries, 3u);
}
