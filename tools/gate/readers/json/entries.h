// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the JSON formats have in common: a list of entries, each a benchmark or a run of one.
#pragma once

#include <functional>
#include <stdexcept>

#include "tools/gate/readers/collector.h"
#include "tools/lib/json.h"

namespace gate
{

// An entry that cannot be read. what(): what is wrong, said behind its place: "has no name".
class wrong_entry : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct EntryList {
  const char *format;
  const char *member; // of an object, which is the list; "": the text itself is the list
  const char *wanted; // what an entry must have, for an error
};

// Gives each entry to take(), which may throw wrong_entry and the library's exceptions, and what is
// around the list to around(). Several texts in one input are several runs. partial: as in
// read_results(). Throws input_error with the place of the entry.
using TakeJson = std::function<void(const result::json &)>;
void read_entries(Input &input, const EntryList &list, bool partial, Collector &collector,
                  const TakeJson &take, const TakeJson &around = {});

// The number; NaN for null and for the words that stand for no number. Nothing for all else.
std::optional<double> figure_of(const result::json &value);
// Of a member that must be there, and of what must be one. Throw wrong_entry.
double figure_at(const result::json &entry, const char *member);
double figure_in_list(const result::json &value);

// "" where the member is absent or no text.
std::string text_of(const result::json &entry, const char *member);

// The members of an object in the entry, as texts.
Value parameters_of(const result::json &entry, const char *member);

} // namespace gate
