// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/vmtest/version.h"

namespace vmtest
{

std::string label(const RunReport &run)
{
  return run.seed ? fmt::format("{} seed {}", run.kernel, *run.seed) : run.kernel;
}

static std::string seconds(const std::optional<double> &value)
{
  return value ? fmt::format("{:.2f}", *value) : "n/a";
}

std::string table(const std::vector<RunReport> &runs)
{
  size_t wide = 6, release = 7;
  for (const RunReport &run : runs) {
    wide = std::max(wide, label(run).size());
    release = std::max(release, run.release.size());
  }
  std::string text =
      fmt::format("{:{}}  {:{}}  {:17}  {:>4}  {:>7}  {:>9}  {:>7}\n", "kernel", wide, "release",
                  release, "outcome", "exit", "boot s", "command s", "total s");
  for (const RunReport &run : runs)
    text += fmt::format(
        "{:{}}  {:{}}  {:17}  {:>4}  {:>7}  {:>9}  {:>7.2f}\n", label(run), wide, run.release,
        release, info(run.result.outcome).name, exit_code(run.result.outcome, run.result.status),
        seconds(run.result.boot_s), seconds(run.result.command_s), run.result.total_s);
  return text;
}

template <class T> static nlohmann::ordered_json number(const std::optional<T> &value)
{
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

static nlohmann::ordered_json to_json(const RunReport &run)
{
  const BootResult &result = run.result;
  nlohmann::ordered_json out = {{"kernel", run.kernel},
                                {"release", run.release},
                                {"build_id", run.build_id},
                                {"outcome", info(result.outcome).name},
                                {"exit_code", exit_code(result.outcome, result.status)}};
  out["status"] = number(result.command);
  out["detail"] = result.detail;
  out["remark"] = result.remark;
  out["prepare_seconds"] = run.prepare_s;
  out["boot_seconds"] = number(result.boot_s);
  out["command_seconds"] = number(result.command_s);
  out["total_seconds"] = result.total_s;
  out["files"] = result.files;
  out["accelerator"] = run.accelerator;
  out["qemu_version"] = run.qemu_version;
  out["cpu"] = run.cpu;
  out["initramfs_sha256"] = run.initramfs;
  out["seed"] = run.seed ? nlohmann::ordered_json(*run.seed) : nlohmann::ordered_json();
  out["console"] = result.console;
  return out;
}

std::string to_json(const std::vector<RunReport> &runs)
{
  nlohmann::ordered_json out = {{"format", "bpfgate-vmtest"}, {"version", 1}};
  out["vmtest"] = BPFGATE_VERSION;
  out["runs"] = nlohmann::ordered_json::array();
  for (const RunReport &run : runs)
    out["runs"].push_back(to_json(run));
  // What a guest says on its console need not be UTF-8.
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int exit_code(const std::vector<RunReport> &runs)
{
  for (const RunReport &run : runs)
    if (int code = exit_code(run.result.outcome, run.result.status))
      return code;
  return 0;
}

} // namespace vmtest
