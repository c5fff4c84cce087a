// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The one decision: causes go in, in whatever order they were found, a verdict comes out. The table
// below is the order of precedence, and docs/gate.md shows the same one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gate
{

// From worst to best: the verdict of a run is the first one that some row has.
enum class Verdict {
  Regressed,
  Invalid,      // a bad sample, failed or collapsed work
  Missing,      // in the baseline, not measured now
  Incomparable, // unit, machine, definition or configuration differs
  Inconclusive, // neither a change nor its absence is proven
  Waived,       // regressed or missing, and somebody answers for it (waivers.h)
  Improved,
  Unchanged, // proven not worse than the tolerance
  New,       // no baseline
};
constexpr size_t verdict_count = 9;

const char *to_string(Verdict verdict);

// A set of verdicts.
class Verdicts {
public:
  template <class... Each>
  constexpr explicit Verdicts(Each... each) : x_bits((0U | ... | (1U << static_cast<int>(each))))
  {
  }
  constexpr bool has(Verdict one) const { return x_bits >> static_cast<int>(one) & 1; }
  static constexpr Verdicts all()
  {
    Verdicts every;
    every.x_bits = (1U << verdict_count) - 1;
    return every;
  }

private:
  uint32_t x_bits;
};

struct Rule {
  const char *cause;  // its name, in report.json and in docs/gate.md
  Verdicts displaces; // it takes the place of these verdicts of the rules above it
  Verdict verdict;
  const char *meaning;
};

// A row begins as inconclusive. From top to bottom each rule whose cause was found displaces what
// those above it said. To add one: its line here, and found() where it is seen; ci/architecture
// copies the table into docs/gate.md.
// clang-format off
inline constexpr Rule rules[] = {
  // What the figures say.
  {"worse", Verdicts(Verdict::Inconclusive), Verdict::Regressed, "proven worse by more than the tolerance"},
  {"better", Verdicts(Verdict::Inconclusive), Verdict::Improved, "proven better by more than the tolerance"},
  {"not-worse", Verdicts(Verdict::Inconclusive), Verdict::Unchanged, "proven not worse than the tolerance"},
  {"tenfold", Verdicts(Verdict::Improved), Verdict::Improved, "more than ten times better: did it run?"},
  // Why they do not say it.
  {"same-code", Verdicts(Verdict::Regressed), Verdict::Inconclusive, "the same code on both sides"},
  {"one-look", Verdicts(Verdict::Regressed, Verdict::Improved, Verdict::Inconclusive), Verdict::Inconclusive, "seen once, and no fresh units to see it again"},
  {"few-loads", Verdicts(Verdict::Regressed, Verdict::Improved, Verdict::Unchanged, Verdict::Inconclusive), Verdict::Inconclusive, "fewer loads or runs than the rule needs"},
  {"dropped", Verdicts(Verdict::Improved, Verdict::Unchanged, Verdict::Inconclusive), Verdict::Invalid, "a reader could not use some of its figures"},
  // There is nothing to compare.
  {"interrupted", Verdicts::all(), Verdict::Inconclusive, "measuring was interrupted"},
  {"no-figures", Verdicts::all(), Verdict::Inconclusive, "skipped, or without a figure on both sides"},
  {"no-baseline", Verdicts::all(), Verdict::New, "the baseline does not have it"},
  {"not-measured", Verdicts::all(), Verdict::Missing, "the baseline has it, and it was not measured"},
  {"other-kind", Verdicts::all(), Verdict::Incomparable, "unit, direction, class, definition or program differs"},
  {"other-machine", Verdicts::all(), Verdict::Incomparable, "machine, kernel or configuration differs"},
  {"base-failed", Verdicts::all(), Verdict::Incomparable, "the stored executable cannot be measured any more"},
  {"bad-figures", Verdicts::all(), Verdict::Invalid, "negative, no number, too large, or collapsed to zero"},
  {"failed", Verdicts::all(), Verdict::Invalid, "it failed"},
  {"refused", Verdicts::all(), Verdict::Regressed, "the kernel took the program before, and refuses it now"},
  // Something else moved.
  {"host-shift", Verdicts(Verdict::Regressed, Verdict::Improved), Verdict::Incomparable, "an anchor moved, which no patch can move"},
  {"null-arm", Verdicts(Verdict::Regressed, Verdict::Improved), Verdict::Incomparable, "the same code differed from itself in this run, twice"},
  // What people decided.
  {"waived", Verdicts(Verdict::Regressed, Verdict::Missing), Verdict::Waived, "somebody answers for it until a day and up to a bound"},
  {"drift-unknown", Verdicts(Verdict::Inconclusive, Verdict::Waived, Verdict::Improved, Verdict::Unchanged), Verdict::Incomparable, "not proven to be within the drift budget"},
  {"drift", Verdicts::all(), Verdict::Regressed, "proven to be beyond the drift budget"},
};
// clang-format on

// A rule by the name of its cause. A name that the table does not have does not compile.
class Cause {
public:
  // NOLINTNEXTLINE(google-explicit-constructor): written as its name
  consteval Cause(const char *name) : x_place(place_of(name)) {}
  static constexpr Cause at(size_t place) { return Cause(place); }
  const Rule &rule() const { return rules[x_place]; }
  size_t place() const { return x_place; }

private:
  constexpr explicit Cause(size_t place) : x_place(place) {}
  static consteval size_t place_of(std::string_view name)
  {
    size_t place = 0;
    while (name != rules[place].cause)
      place++;
    return place;
  }
  size_t x_place;
};

struct Reason {
  std::optional<Cause> cause; // nothing: a remark that decides nothing
  std::string text;           // one line; may be empty
  bool applied = false;       // decide() let it displace a verdict
};

// Marks the reasons that applied.
Verdict decide(std::vector<Reason> &reasons);

} // namespace gate
