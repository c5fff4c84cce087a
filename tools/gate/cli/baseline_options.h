// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The command line of gate baseline, fingerprint and trend.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI
{
class App;
}

namespace gate
{

struct Options;

struct BaselineOptions {
  std::string action; // "list", "show", "accept", "anchor", "waive" or "expire"
  std::string key;    // of a series, or the number of a run: show, anchor
  std::string result; // a file or the number of a run: accept
  std::string name;   // anchor
  std::string row;    // waive
  std::string owner, reason, until;
  double bound_pct = 0;
  std::vector<std::string> dropped;             // series: expire
  std::optional<uint64_t> keep_runs, keep_full; // expire
};

// Adds the subcommands to app; what they say goes into options.
CLI::App *add_baseline(CLI::App &app, Options &options);
CLI::App *add_trend(CLI::App &app, Options &options);
CLI::App *add_fingerprint(CLI::App &app, Options &options);

// After parsing: what CLI11 cannot check. Throws usage_error.
void check_baseline(Options &options);

} // namespace gate
