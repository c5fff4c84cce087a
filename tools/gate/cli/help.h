// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// How gate --help and that of its subcommands look: values by name, examples at the end.
#pragma once

namespace CLI
{
class App;
}

namespace gate
{

// After all options are added.
void prepare_help(CLI::App &app);

} // namespace gate
