// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Why a row of a report has its verdict, in sentences.
#pragma once

#include <string>

#include "tools/lib/json.h"
#include "tools/lib/result.h"

namespace gate
{

// report: what --json wrote (docs/gate-json.md). wanted: a part of "name parameter=value metric" or
// a glob for it. Several rows get a paragraph each. Throws usage_error when none matches, or when
// this is no report.
std::string explain_rows(const result::json &report, const std::string &wanted);

} // namespace gate
