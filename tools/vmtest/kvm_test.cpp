// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/kvm.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>

#include "tools/lib/fd.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace vmtest;

// Whatever the machine has: an answer with a reason, the same twice, and no child left.
TEST(kvm_answers_and_leaves_nothing)
{
  KvmState state = kvm_works();
  expect(!state.why.empty() && state.why.find('\n') == std::string::npos, state.why);
  expect_eq(kvm_works().works, state.works);
  expect_eq(waitpid(-1, nullptr, WNOHANG), -1);
  expect_eq(errno, ECHILD);
  Fd kvm(open("/dev/kvm", O_RDWR | O_CLOEXEC));
  if (!kvm) {
    expect(!state.works);
    expect_has(state.why, "/dev/kvm");
  }
  fmt::print("kvm works: {} ({})\n", state.works, state.why);
}
