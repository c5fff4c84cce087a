// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What --help prints, for a screen of 80 columns. Manual pages and completion are made from it, so
// it has one form: names of an option, two blanks, what it does.
#pragma once

#include <memory>
#include <string>

namespace CLI
{
class FormatterBase;
}

// Options without a description share a line. The footer, examples say, stands at the end as it is.
std::shared_ptr<CLI::FormatterBase> help_formatter();
