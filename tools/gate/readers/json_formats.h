// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The foreign formats that are JSON. Several texts one after another in one input, as ">>" makes
// them, are several runs.
#pragma once

#include "tools/gate/readers/reading.h"

namespace gate
{

// All throw input_error. partial, see read_results().
Reading read_google_json(Input &input, bool partial);
Reading read_hyperfine(Input &input, bool partial);

Reading read_jmh(Input &input);
Reading read_pytest_benchmark(Input &input);
Reading read_custom_json(Input &input);
// Go benchmark text, out of the events of go test -json.
std::string text_of_go_json(Input &input);

enum class JsonKind { Result, Google, Hyperfine, Pytest, GoEvents, Jmh, Custom, Other };

// What a JSON text is, by the members at its top, or of the first object of a list, as far as the
// head reaches. why: for Other.
JsonKind json_kind(std::string_view head, std::string &why);

} // namespace gate
