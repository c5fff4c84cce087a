// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The foreign formats that are JSON. Several texts one after another in one input, as ">>" makes
// them, are several runs.
#pragma once

#include "tools/gate/readers/reading.h"

namespace gate
{

// Both throw input_error. partial, see read_results().
Reading read_google_json(Input &input, bool partial);
Reading read_hyperfine(Input &input, bool partial);

enum class JsonKind { Result, Google, Hyperfine, Other };

// What a JSON text is, by the members at its top as far as the head reaches. why: for Other.
JsonKind json_kind(std::string_view head, std::string &why);

} // namespace gate
