// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/commit_table.h"

#include <fmt/format.h>

#include "tools/gate/report/measured_apart.h"
#include "tools/gate/report/writers/writers.h"
#include "tools/lib/atomic_file.h"

namespace bench
{

// Nothing: a result without benchmarks, in the same environment.
static result::Result read_before(const Options &options, const result::Result &now)
{
  if (options.before.empty())
    return {.tool = now.tool, .environment = now.environment};
  try {
    return result::read_result(options.before);
  } catch (const std::exception &wrong) {
    throw early_exit{exit_usage, fmt::format("bench: --before: {}", wrong.what())};
  }
}

void check_files(const Options &options)
{
  read_before(options, {});
  if (!options.json.empty())
    check_writable(options.json);
}

void print_commit_table(const Options &options, const Session &session)
{
  // As another program would read it: what was measured twice has its loads joined.
  result::Result now = result::parse_result(result::format_result(session.result()), "this run");
  gate::Report report = {.command = "compare"};
  gate::compare_apart(read_before(options, now), now, {}, report);
  fmt::print("{}", gate::format_commit(report));
  if (fflush(stdout))
    throw output_error();
}

} // namespace bench
