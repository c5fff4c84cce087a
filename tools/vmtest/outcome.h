// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How a run can end, and the exit code of each: above what a command's own status or a signal takes
// in a shell (128 + 64), and the same for every kernel.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vmtest
{

enum class Outcome {
  Passed,
  Failed,
  Panic,
  Splat,
  OutOfMemory,
  TimeOut,
  NoResult,
  QemuError,
  KernelUnfit,
  CommandNotFound,
  OutputLost,
  InputUnreadable,
  Interrupted,
};

struct OutcomeInfo {
  Outcome outcome;
  int exit_code; // -1: not its own, see exit_code()
  const char *name;
  const char *meaning;
};

inline constexpr int usage_exit_code = 200;

inline constexpr std::array<OutcomeInfo, 13> outcomes = {{
    {Outcome::Passed, 0, "passed", "the command ended with 0, and its result came whole"},
    {Outcome::Failed, -1, "failed", "the command's own status (128 + N: signal N; 200 up: 199)"},
    {Outcome::Panic, 201, "panic", "the kernel panicked"},
    {Outcome::Splat, 202, "splat", "oops, BUG, KASAN, lockdep, stall, hung task (or WARNING)"},
    {Outcome::OutOfMemory, 203, "out-of-memory", "the guest ran out of memory"},
    {Outcome::TimeOut, 204, "time-out", "--timeout is over"},
    {Outcome::NoResult, 205, "no-result", "the guest ended without a whole result"},
    {Outcome::QemuError, 206, "qemu-error", "QEMU is missing, or did not start, or died"},
    {Outcome::KernelUnfit, 207, "kernel-unfit", "no such kernel, or it lacks what is needed"},
    {Outcome::CommandNotFound, 208, "command-not-found", "the command cannot be executed"},
    {Outcome::OutputLost, 209, "output-lost", "files of $OUT or output could not be brought back"},
    {Outcome::InputUnreadable, 210, "input-unreadable", "a file for the guest cannot be read here"},
    {Outcome::Interrupted, -1, "interrupted", "128 + N: vmtest got signal N"},
}};

inline const OutcomeInfo &info(Outcome outcome) { return outcomes[static_cast<size_t>(outcome)]; }

// What vmtest exits with. status: of the command as a shell gives it (0 to 255), or the signal that
// ended vmtest for Interrupted. Statuses from 200 on give 199: above are vmtest's own.
inline int exit_code(Outcome outcome, int status)
{
  if (outcome == Outcome::Failed)
    return status < usage_exit_code ? status : usage_exit_code - 1;
  return outcome == Outcome::Interrupted ? 128 + status : info(outcome).exit_code;
}

// A run that ends before there is a guest, or beside it. what() is one line.
struct outcome_error : std::runtime_error {
  outcome_error(Outcome ended, const std::string &what) : std::runtime_error(what), outcome(ended)
  {
  }
  Outcome outcome;
};

} // namespace vmtest
