// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The decisions of compare.h: which rows are settled by a first look, and the verdicts of a family.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tools/gate/judge/compare.h"
#include "tools/gate/statistics/ranks.h"
#include "tools/gate/statistics/statistics.h"

namespace gate
{

// A first look that hints at an improvement with this p-value earns a second one. Generous, since
// only fresh units decide.
static constexpr double hint = 0.2;

static void put_interval(Candidate &candidate, double level, double test_level)
{
  Row &row = candidate.row;
  row.level = level;
  row.interval = candidate.evidence->interval(level);
  row.mde = finite(candidate.evidence->mde(test_level));
}

static void put_tests(Candidate &candidate, double level, double proof, size_t family)
{
  const Evidence &evidence = *candidate.evidence;
  candidate.row.tests = {.p_worse = evidence.p_worse(),
                         .p_better = evidence.p_better(),
                         .p_not_worse = evidence.p_not_worse(),
                         .level = level,
                         .proof_level = proof,
                         .family = family,
                         .units_needed = evidence.units_needed(level, proof)};
}

static void explain_inconclusive(Candidate &candidate)
{
  Row &row = candidate.row;
  if (row.method == "tail")
    return; // its reach follows from the number of units
  if (row.method == "prediction")
    return add_note(row, "no stored figure can tell: measured interleaved it could be decided");
  // Of an unknown direction, each has half of it.
  double level = row.tests->level / (row.better == result::Better::Unknown ? 2 : 1);
  size_t fewest = row.method == "ab" ? fewest_pairs(level) : fewest_units(level / 2);
  std::optional<size_t> &units = row.tests->units_needed;
  size_t loads = std::min(row.base_loads, row.comp_loads);
  if (units) // as many as there are did not decide
    units = std::max({*units, fewest, loads + 1});
  if (loads < fewest)
    add_note(row, fmt::format("at this alpha no outcome of fewer than {} units can tell", fewest));
  else if (units)
    add_note(row, fmt::format("about {} units a side would decide", *units));
  else
    add_note(row, "no affordable number of units would decide");
}

static void judge_one(Candidate &candidate, const Holm &worse, const Holm &better, double proof,
                      size_t family)
{
  Row &row = candidate.row;
  put_tests(candidate, worse.level, proof, family);
  if (worse.rejected) {
    put_interval(candidate, worse.level, worse.level);
    found(row, "worse");
  } else if (better.rejected) {
    put_interval(candidate, better.level, worse.level);
    found_better(row);
  } else if (row.tests->p_not_worse <= proof) {
    put_interval(candidate, proof, worse.level);
    found(row, "not-worse");
  } else {
    put_interval(candidate, worse.level, worse.level);
    explain_inconclusive(candidate);
  }
}

static void judge_family(const std::vector<Candidate *> &family, double alpha, double proof)
{
  std::vector<double> p_worse, p_better;
  for (const Candidate *candidate : family) {
    p_worse.push_back(candidate->evidence->p_worse());
    p_better.push_back(candidate->evidence->p_better());
  }
  std::vector<Holm> worse = holm(p_worse, alpha), better = holm(p_better, alpha);
  for (size_t i = 0; i < family.size(); i++)
    judge_one(*family[i], worse[i], better[i], proof, family.size());
}

void judge(std::vector<Candidate> &candidates, double alpha, double proof)
{
  std::vector<Candidate *> primary, secondary;
  for (Candidate &candidate : candidates)
    if (candidate.evidence && candidate.secondary)
      secondary.push_back(&candidate);
    else if (candidate.evidence && candidate.row.gated)
      primary.push_back(&candidate);
  judge_family(primary, alpha, proof);
  judge_family(secondary, alpha, proof);
}

static size_t count_open(const std::vector<Candidate> &candidates)
{
  return std::count_if(candidates.begin(), candidates.end(), [](const Candidate &candidate) {
    return candidate.evidence && candidate.row.gated && !candidate.secondary;
  });
}

static bool needs_second_look(const Candidate &candidate, double proof)
{
  const Evidence *evidence = candidate.evidence.get();
  if (!candidate.row.gated)
    return false;
  if (evidence)
    return evidence->p_not_worse() > proof || evidence->p_better() < hint;
  // An exact metric needs no test, but a second look shows whether it varies.
  return candidate.row.method == "exact" && candidate.row.verdict != Verdict::Unchanged;
}

std::map<std::string, size_t> screen(std::vector<Candidate> &candidates, double proof, double alpha,
                                     double second_proof)
{
  // The power that is told is that of the second look with every row still in the family.
  double all_level = alpha / std::max<size_t>(1, count_open(candidates));
  size_t family = count_open(candidates);
  std::vector<const Candidate *> open;
  std::vector<Candidate *> tails;
  for (Candidate &candidate : candidates) {
    if (candidate.secondary && !candidate.row.gated)
      tails.push_back(&candidate);
    if (needs_second_look(candidate, proof)) {
      open.push_back(&candidate);
    } else if (candidate.evidence && candidate.row.gated) {
      put_interval(candidate, proof, all_level);
      put_tests(candidate, all_level, proof, family);
      found(candidate.row, "not-worse");
    }
  }
  judge_family(tails, alpha, proof);
  std::map<std::string, size_t> again;
  for (const Candidate *candidate : open) {
    size_t units = 1;
    if (candidate->evidence)
      units = candidate->evidence->units_needed(alpha / open.size(), second_proof).value_or(0);
    auto [place, is_new] = again.emplace(candidate->key, units);
    // Hopeless for one of its metrics is not hopeless for the others.
    place->second = std::max(place->second, units);
  }
  return again;
}

static std::string name_of(const Candidate &candidate)
{
  return candidate.key + candidate.row.metric;
}

static bool is_open(const Candidate &candidate)
{
  const Row &row = candidate.row;
  bool is_judged = candidate.evidence || row.method == "exact";
  return row.gated && row.verdict != Verdict::Unchanged && is_judged;
}

void judge_again(std::vector<Candidate> &first, std::vector<Candidate> second, double alpha,
                 double proof)
{
  std::set<std::string> open;
  // The tail takes the look with more units.
  for (const Candidate &candidate : second)
    if (candidate.secondary && !candidate.row.gated)
      open.insert(name_of(candidate));
  for (const Candidate &candidate : first)
    if (is_open(candidate))
      open.insert(name_of(candidate));
  std::erase_if(second, [&](const Candidate &each) { return !open.count(name_of(each)); });
  std::set<std::string> again;
  for (const Candidate &candidate : second)
    again.insert(name_of(candidate));
  std::erase_if(first, [&](const Candidate &each) { return again.count(name_of(each)); });
  // What the second look has no row for stays, undecided.
  for (Candidate &candidate : first)
    if (is_open(candidate))
      found(candidate.row, "one-look", "too few fresh units for a second look");
  judge(second, alpha, proof);
  for (Candidate &candidate : second)
    first.push_back(std::move(candidate));
}

void judge_in_two_looks(std::vector<Candidate> &first, double alpha, double proof,
                        const LookAgain &look_again)
{
  constexpr double first_share = 0.6, second_share = 0.4;
  auto again = screen(first, first_share * proof, alpha, second_share * proof);
  if (!again.empty())
    judge_again(first, look_again(again), alpha, second_share * proof);
}

size_t second_units(size_t needed, size_t first, size_t most)
{
  // What the first look says is needed is a guess; this much more makes it a good one.
  constexpr double reserve = 1.25;
  if (needed == 0 || needed > 4 * most)
    needed = 2 * first;
  // Twice the first look at least: what it says of noise is least sure where it was lucky, and on
  // the power tool's recordings 20 pairs missed 10 % slowdowns whose pairs were hit by bursts.
  double wanted = std::max(reserve * static_cast<double>(needed), 2.0 * static_cast<double>(first));
  // A limit below the first look is a limit all the same.
  return std::min(std::max(static_cast<size_t>(wanted), first), most);
}

} // namespace gate
