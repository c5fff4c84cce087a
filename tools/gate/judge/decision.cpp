// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/decision.h"

namespace gate
{

static constexpr std::array<const char *, verdict_count> names = {
    "regressed", "invalid",  "missing",   "incomparable", "inconclusive",
    "waived",    "improved", "unchanged", "new"};

const char *to_string(Verdict verdict) { return names[static_cast<size_t>(verdict)]; }

Verdict decide(std::vector<Reason> &reasons)
{
  Verdict verdict = Verdict::Inconclusive;
  for (size_t place = 0; place < std::size(rules); place++) {
    const Rule &rule = rules[place];
    bool applies = false;
    for (Reason &reason : reasons)
      if (reason.cause && reason.cause->place() == place)
        applies |= reason.applied = rule.displaces.has(verdict);
    if (applies)
      verdict = rule.verdict;
  }
  return verdict;
}

} // namespace gate
