// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a bench answers to the requests of docs/serve.md, after "ok": another program's words, so
// that nothing in them may be trusted.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tools/lib/result.h"

namespace gate
{

struct Epoch {
  double hits = 0;
  double ns = 0;
  std::map<std::string, double> values; // NaN: could not be read
};

// To "list": a result without samples, no benchmark in it twice. Throws input_error.
result::Result parse_list_answer(const std::string &answer);

// To "load": the tag of the loaded program, empty if the bench does not tell.
std::string parse_load_answer(const std::string &answer);

// To "epoch"; nothing for what is no answer.
std::optional<Epoch> parse_epoch_answer(const std::string &answer);

// Of the text after "error": the verifier refused the program. Anything else that fails makes no
// statement about it.
bool refused_by_verifier(const std::string &error);

} // namespace gate
