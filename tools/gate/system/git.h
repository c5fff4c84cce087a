// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What git knows of revisions, where gate is run inside of a repository.
#pragma once

#include <string>

namespace gate
{

// The last commit that both revisions have. Empty where git or the repository cannot tell: no git,
// no repository here, a revision that it does not know, or one that is no commit ("-dirty").
std::string merge_base(const std::string &a, const std::string &b);

} // namespace gate
