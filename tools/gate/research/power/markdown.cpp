// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/research/power/markdown.h"

#include <fmt/format.h>

#include "tools/lib/distributions.h"

namespace power
{

void Share::add(bool hit)
{
  hits += hit;
  trials++;
}

void Share::add(const Share &other)
{
  hits += other.hits;
  trials += other.trials;
}

std::string percent(const Share &share)
{
  return share.trials ? fmt::format("{:.0f} %", 100.0 * share.hits / share.trials) : "-";
}

std::string rate(const Share &share)
{
  if (share.trials == 0)
    return "-";
  double bound = share.hits == share.trials
                     ? 1
                     : distributions::binomial_upper_bound(share.trials, share.hits, .05);
  return fmt::format("{} of {} (< {:.2g} %)", share.hits, share.trials, 100 * bound);
}

std::string line(const std::vector<std::string> &cells)
{
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string head(const std::vector<std::string> &titles)
{
  std::vector<std::string> rules(titles.size(), "---:");
  rules[0] = "---";
  return line(titles) + line(rules);
}

} // namespace power
