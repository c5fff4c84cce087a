// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the commands of commands.h share.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "tools/gate/commands/commands.h"
#include "tools/gate/history/waivers.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/environment.h"

namespace gate
{

static constexpr int bench_skipped = 4;

std::string waivers_path(const Options &options)
{
  return options.waivers.empty() ? options.store + "/waivers.json" : options.waivers;
}

void apply_waivers(Report &report, const Options &options)
{
  if (options.waivers.empty() && options.store.empty())
    return;
  if (!options.waivers.empty() && !std::filesystem::exists(options.waivers))
    throw usage_error(fmt::format("--waivers: there is no '{}'", options.waivers));
  for (std::string &remark :
       apply_waivers(report.rows, read_waivers(waivers_path(options)), utc_now().substr(0, 10)))
    report.remarks.push_back(std::move(remark));
}

result::Result list_bench(Interleave &bench, size_t command)
{
  try {
    result::Result list = bench.list(command);
    if (list.benchmarks.empty())
      throw usage_error("bench selects no benchmark with these arguments");
    return list;
  } catch (const refusal &answer) {
    throw nothing_measurable(answer.what());
  } catch (const serve_error &failure) {
    // A bench that ends in order before it listed anything did not like its arguments.
    if (failure.exit_status() == bench_skipped)
      throw nothing_measurable(failure.what());
    if (failure.exit_status().value_or(0) != 0)
      throw usage_error(failure.what());
    throw;
  } catch (const std::system_error &failure) {
    throw usage_error(failure.what());
  }
}

std::string last_report_path(const std::string &store) { return store + "/reports/last.json"; }

// For gate explain. A run is not worth less because its report could not be kept.
static void keep_report(const std::string &text, const std::string &store)
{
  try {
    std::filesystem::create_directories(store + "/reports");
    write_file(last_report_path(store), text);
  } catch (const std::exception &) {
  }
}

int finish(const Report &report, const Options &options)
{
  // The reports for programs first: if they cannot be written, nobody should read a verdict.
  std::vector<Output> outputs = options.outputs;
  if (!options.json.empty())
    outputs.push_back({"json", options.json});
  bool log_has_commands = std::any_of(outputs.begin(), outputs.end(), [](const Output &output) {
    return output.format == "github" && output.path == "-";
  });
  bool quiet = write_outputs(report, outputs);
  if (!options.store.empty())
    keep_report(format_json(report), options.store);
  if (quiet)
    return exit_code(report);
  std::string table = format_table(report);
  write_file("-", log_has_commands ? without_commands(table) : table);
  return exit_code(report);
}

} // namespace gate
