// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Regressions that somebody answers for: a wider tolerance for one row, with an owner, a reason, a
// bound and a last day.
//
// They are a text file (docs/baselines.md) and not rows of the store: who waived what is a decision
// that belongs into a review and into the repository's history, next to the code it is about, and
// it must hold on every machine, whatever its store has seen.
#pragma once

#include <string>
#include <vector>

#include "tools/gate/judge/verdict.h"

namespace gate
{

struct Waiver {
  std::string row; // see row_name.h
  std::string owner;
  std::string reason;
  std::string until;    // the last day that it holds, 2026-12-31 (UTC)
  double bound_pct = 0; // that the row may be worse than base; for a ratio: points
};

// Its members as in the file.
Value to_value(const Waiver &waiver);

// Empty for a file that is not there. Throws result::error for a damaged one.
std::vector<Waiver> read_waivers(const std::string &path);
void write_waivers(const std::string &path, const std::vector<Waiver> &waivers);

// Adds one (and takes the place of an older one of the same row), or drops those that ended before
// today and returns them. Two gates at once lose nothing.
void add_waiver(const std::string &path, const Waiver &waiver);
std::vector<Waiver> drop_ended(const std::string &path, const std::string &today);

// Whether text is a day of the calendar, 2026-12-31.
bool is_day(const std::string &text);

// Rows that regressed within the bound of a waiver, or are missing, become Verdict::Waived. A
// waiver that ended, or a row that is proven to be beyond the bound, changes nothing but the note.
// today: 2026-12-31. Returns remarks about waivers that are not needed any more.
std::vector<std::string> apply_waivers(std::vector<Row> &rows, const std::vector<Waiver> &waivers,
                                       const std::string &today);

} // namespace gate
