// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// From two results to rows with verdicts. Whether the loads were measured interleaved (paired) or
// apart decides which test a time gets; everything else is the same.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/gate/judge/evidence.h"
#include "tools/gate/judge/exact.h"
#include "tools/gate/judge/verdict.h"
#include "tools/lib/result.h"

namespace gate
{

// Rows that have a tolerance of their own: of benchmarks with such names, of one metric or of all.
struct Threshold {
  std::string benchmarks = "*"; // a glob
  std::string metric;           // empty: any
  double tolerance = 0;         // as allow_only() takes it
  std::string place;            // where it was said, "FILE:3:1"
};

// The last one that covers the row; null: none.
const Threshold *find_threshold(const std::vector<Threshold> &all, const std::string &benchmark,
                                const std::string &metric);

struct Settings {
  bool paired = false;
  double tolerance = 0.05; // of times, a fraction
  // Least tolerance of counts of instructions, a fraction; docs/gate-vm.md says where it comes
  // from.
  double count_tolerance = default_count_tolerance;
  // Both sides were measured where instructions are counted: nothing is noise, each load is a boot,
  // and all metrics are judged by the exact rule.
  bool counted = false;
  double op_insns = 0;        // of the benchmark at hand in base, where events are judged
  double exact_tolerance = 0; // of exact metrics that are no counts of instructions, a fraction
  double memory_relative = 0.10;
  double memory_floor_mib = 0.5;
  double ratio_points = 0.5;
  double alpha = 0.01;               // family-wise, for regressions and for improvements
  size_t fewest_loads = 20;          // for a verdict on what is paired and not exact
  size_t family = 0;                 // rows that share alpha; match_rows() counts them
  bool show_tail = false;            // a row for the tail of epochs beside each time
  bool gate_tail = false;            // it may fail the gate; implies show_tail
  size_t planned_units = 0;          // of the confirming stage, for the smallest detectable effect
  std::vector<Threshold> thresholds; // see find_threshold()
  // Not empty: the two sides cannot be compared at all, and why.
  std::string incomparable;
  // Benchmarks of base, by benchmark_key(), that must be in comp too; not set: all.
  std::optional<std::set<std::string>> expected;
  // Of what is paired, by benchmark_key(): in which units comp was second.
  std::map<std::string, std::vector<bool>> comp_second;
  // Benchmarks that run the same code on both sides.
  std::set<std::string> identical;
};

// A row that is settled already (no evidence), or that waits for judge().
struct Candidate {
  Row row;
  std::unique_ptr<Evidence> evidence;
  std::string key; // benchmark_key() of comp's side
  // Judged in a family of its own, whether it is gated or not: the tail of epochs.
  bool secondary = false;
};

// The budget, a fraction, is the relative tolerance of every row; of ratios it is in points (0.1:
// 10). Absolute floors stay.
void allow_only(Settings &settings, double budget);

// OLD=NEW at the middle one of its '=', since names may have as many; of two in the middle the
// first. Nothing where one of the names would be empty.
std::optional<std::pair<std::string, std::string>> split_rename(const std::string &text);

// Gives benchmarks of a baseline their new names. renames: old name -> new name.
void rename_benchmarks(result::Result &base, const std::map<std::string, std::string> &renames);

// Every row of both sides exactly once, in the order of comp, then what only base has.
std::vector<Candidate> match_rows(const result::Result &base, const result::Result &comp,
                                  const Settings &settings);

// Gives each gated row with evidence its verdict, and the secondary ones. alpha: for the family of
// all that are not secondary, and again for those that are. proof: the level of "unchanged", for
// each row by itself, since each is a claim of its own.
void judge(std::vector<Candidate> &family, double alpha, double proof);

// The first look: settles what is proven not worse at the level proof and shows no sign of having
// become better. Returns the benchmarks that need a second look with fresh units: key -> how many
// units would decide, 0 if no affordable number would. alpha and second_proof: of that second look.
std::map<std::string, size_t> screen(std::vector<Candidate> &candidates, double proof, double alpha,
                                     double second_proof);

// Judges what the first look left open by the second one alone, and puts it in its place.
void judge_again(std::vector<Candidate> &first, std::vector<Candidate> second, double alpha,
                 double proof);

// Both looks of gate check. first: the candidates of the first one, which become those of both.
// look_again: measures what screen() returned with fresh units, and matches it. alpha: of the
// family, for either direction; proof: of "unchanged", shared out between the looks.
using LookAgain = std::function<std::vector<Candidate>(const std::map<std::string, size_t> &)>;
void judge_in_two_looks(std::vector<Candidate> &first, double alpha, double proof,
                        const LookAgain &look_again);

// Units of a second look. needed: by the first look, 0 for hopeless, which gets enough for a large
// effect to show. first: units of the first look, of which it has at least twice as many, if most
// (at least 1) allows for them.
size_t second_units(size_t needed, size_t first, size_t most);

// What the benchmarks run on changed, not all of them: of sides that were measured apart an anchor
// says so (a benchmark anchor-*, which no patch of maps and helpers can move). One that moved by
// less than the tolerance is taken off what was measured apart. Turns the verdicts of times that
// moved that way into incomparable and returns the reason; empty: nothing of the kind.
std::string find_host_shift(std::vector<Row> &rows);

// "missing" and "new" rows whose names are alike get a hint at --rename; they are never matched.
void hint_renames(std::vector<Row> &rows);

std::vector<Row> rows_of(std::vector<Candidate> candidates);

} // namespace gate
