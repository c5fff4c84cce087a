// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "tools/vmtest/pattern.h"

namespace vmtest
{

static bool has(const std::string &text, const char *part)
{
  return text.find(part) != std::string::npos;
}

static const Finding *find(const std::vector<Finding> &findings, Trouble trouble)
{
  auto found = std::find_if(findings.begin(), findings.end(),
                            [&](const Finding &each) { return each.trouble == trouble; });
  return found == findings.end() ? nullptr : &*found;
}

// The first that is a splat; a panic that follows is but its consequence (oops=panic).
static const Finding *find_splat(const std::vector<Finding> &findings, bool warn_fatal)
{
  auto is_splat = [&](const Finding &each) {
    switch (each.trouble) {
    case Trouble::Panic:
    case Trouble::OutOfMemory:
    case Trouble::CgroupOutOfMemory:
      return false;
    case Trouble::Warning:
      return warn_fatal;
    default:
      return true;
    }
  };
  auto found = std::find_if(findings.begin(), findings.end(), is_splat);
  return found == findings.end() ? nullptr : &*found;
}

// What a kernel says that cannot use our initramfs.
static bool lacks_initramfs(const std::string &panic)
{
  return has(panic, "Unable to mount root fs") || has(panic, "No working init found") ||
         has(panic, "Requested init /init failed");
}

static std::optional<Verdict> judge_kernel(const Evidence &evidence)
{
  const Finding *panic = find(evidence.findings, Trouble::Panic);
  if (panic && lacks_initramfs(panic->line))
    return Verdict{Outcome::KernelUnfit, 0,
                   "the kernel did not start /init of the initramfs (CONFIG_BLK_DEV_INITRD, "
                   "CONFIG_BINFMT_ELF): " +
                       panic->line};
  if (const Finding *memory = find(evidence.findings, Trouble::OutOfMemory))
    return Verdict{Outcome::OutOfMemory, 0, memory->line + " (--memory gives more)"};
  if (const Finding *splat = find_splat(evidence.findings, evidence.warn_fatal))
    return Verdict{Outcome::Splat, 0, fmt::format("{}: {}", name(splat->trouble), splat->line)};
  if (panic)
    return Verdict{Outcome::Panic, 0, panic->line};
  return std::nullopt;
}

static Verdict judge_result(const std::string &result)
{
  int number = -1;
  if (sscanf(result.c_str(), "exited %d", &number) == 1)
    return {number == 0 ? Outcome::Passed : Outcome::Failed, number,
            fmt::format("exit status {}", number)};
  if (sscanf(result.c_str(), "signal %d", &number) == 1)
    return {Outcome::Failed, 128 + number,
            fmt::format("signal {} ({})", number, strsignal(number))};
  if (sscanf(result.c_str(), "unstarted %d", &number) == 1)
    return {Outcome::CommandNotFound, 0,
            fmt::format("the guest cannot execute it: {}", strerror(number))};
  return {Outcome::NoResult, 0, fmt::format("the guest sent the result '{}'", result)};
}

static std::string why_no_result(const Evidence &evidence)
{
  if (!evidence.line_error.empty())
    return "the result came damaged: " + evidence.line_error;
  if (evidence.hello)
    return evidence.result.empty() ? "the guest ended before the command did"
                                   : "the guest ended before all of the result had come";
  if (evidence.console_silent)
    return "the guest said nothing (CONFIG_SERIAL_8250_CONSOLE?)";
  return "the guest ended before its init had come up";
}

// Of what does not decide the outcome.
static std::string remark(const std::vector<Finding> &findings)
{
  auto count = [&](Trouble trouble) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const Finding &each) { return each.trouble == trouble; });
  };
  std::string text;
  for (Trouble trouble : {Trouble::Warning, Trouble::CgroupOutOfMemory})
    if (const Finding *first = find(findings, trouble))
      text += fmt::format("{}{} on the console ({}): {}", text.empty() ? "" : "; ", name(trouble),
                          count(trouble), first->line);
  return text;
}

// Splats and warnings that --allow-splat lets pass; a panic or a full memory is none.
static bool is_allowed(const Finding &finding, const std::vector<std::string> &allowed)
{
  switch (finding.trouble) {
  case Trouble::Panic:
  case Trouble::OutOfMemory:
  case Trouble::CgroupOutOfMemory:
    return false;
  default:
    return matches_any(allowed, finding.line);
  }
}

static Verdict decide(const Evidence &evidence)
{
  if (evidence.interrupted)
    return {Outcome::Interrupted, evidence.interrupted,
            fmt::format("signal {} ({})", evidence.interrupted, strsignal(evidence.interrupted))};
  if (!evidence.output_error.empty())
    return {Outcome::OutputLost, 0, evidence.output_error};
  if (auto verdict = judge_kernel(evidence)) {
    if (!evidence.timed_out.empty())
      verdict->detail += fmt::format("; {}", evidence.timed_out);
    return *verdict;
  }
  if (!evidence.timed_out.empty())
    return {Outcome::TimeOut, 0, evidence.timed_out};
  if (has(evidence.trouble, "CONFIG_"))
    return {Outcome::KernelUnfit, 0, evidence.trouble};
  if (!evidence.trouble.empty())
    return {Outcome::NoResult, 0, "the guest's init gave up: " + evidence.trouble};
  if (!evidence.qemu_error.empty())
    return {Outcome::QemuError, 0, evidence.qemu_error};
  // Not to be told from what a program writes: it counts only where the guest is dead.
  if (!evidence.complete && !evidence.bare_panic.empty())
    return {Outcome::Panic, 0, evidence.bare_panic};
  if (!evidence.complete || !evidence.line_error.empty())
    return {Outcome::NoResult, 0, why_no_result(evidence)};
  Verdict verdict = judge_result(evidence.result);
  if (verdict.outcome == Outcome::Passed && !evidence.model_error.empty())
    return {Outcome::NoResult, 0, evidence.model_error};
  return verdict;
}

Verdict judge(const Evidence &all)
{
  Evidence evidence = all;
  auto allowed = std::stable_partition(
      evidence.findings.begin(), evidence.findings.end(),
      [&](const Finding &finding) { return !is_allowed(finding, all.allowed); });
  std::vector<Finding> passed(allowed, evidence.findings.end());
  evidence.findings.erase(allowed, evidence.findings.end());
  Verdict verdict = decide(evidence);
  if (Verdict own = judge_result(evidence.result);
      evidence.line_error.empty() &&
      (own.outcome == Outcome::Passed || own.outcome == Outcome::Failed))
    verdict.command = own.status;
  verdict.remark = remark(evidence.findings);
  if (!passed.empty())
    verdict.remark += fmt::format("{}allowed ({}): {}", verdict.remark.empty() ? "" : "; ",
                                  passed.size(), passed[0].line);
  return verdict;
}

} // namespace vmtest
