// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Why a row of a report has its verdict, in sentences.
#pragma once

#include <string>

#include "tools/gate/report/report.h"

namespace gate
{

// wanted: a part of "name parameter=value metric" or a glob for it. Several rows get a paragraph
// each. Throws usage_error when none matches.
std::string explain_rows(const Report &report, const std::string &wanted);

} // namespace gate
