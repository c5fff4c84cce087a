// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/run_config.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/vmtest/outcome.h"

namespace vmtest
{

using json = nlohmann::json;

static constexpr size_t page = 4096;

std::string to_text(const RunConfig &config)
{
  json out = {{"nonce", config.nonce},     {"command", config.command},
              {"argv0", config.argv0},     {"environment", config.environment},
              {"shell", config.shell},     {"rows", config.rows},
              {"columns", config.columns}, {"send_files", config.send_files},
              {"modules", config.modules}};
  // Only where it is asked for: all else shall give the same bytes as ever.
  if (config.input)
    out["input"] = true;
  if (!config.splats.empty())
    out["splats"] = config.splats;
  if (config.read_late)
    out["read_late"] = true;
  if (!config.host_directory.empty())
    out["host_root"] = {{"directory", config.host_directory},
                        {"modules", config.root_modules},
                        {"user", config.host_user}};
  std::string text;
  try {
    text = out.dump();
  } catch (const json::exception &) {
    throw outcome_error(Outcome::CommandNotFound, "the command's arguments are no UTF-8");
  }
  text.resize((text.size() + page) / page * page, ' ');
  text.back() = '\n';
  return text;
}

RunConfig parse_run_config(std::string_view text)
{
  try {
    json in = json::parse(text);
    RunConfig config;
    in.at("nonce").get_to(config.nonce);
    in.at("command").get_to(config.command);
    in.at("argv0").get_to(config.argv0);
    in.at("environment").get_to(config.environment);
    in.at("shell").get_to(config.shell);
    in.at("rows").get_to(config.rows);
    in.at("columns").get_to(config.columns);
    config.input = in.value("input", false);
    config.splats = in.value("splats", config.splats);
    config.read_late = in.value("read_late", false);
    in.at("send_files").get_to(config.send_files);
    in.at("modules").get_to(config.modules);
    if (auto root = in.find("host_root"); root != in.end()) {
      root->at("directory").get_to(config.host_directory);
      root->at("modules").get_to(config.root_modules);
      root->at("user").get_to(config.host_user);
    }
    if (config.command.empty())
      throw std::runtime_error("it has no command");
    return config;
  } catch (const std::exception &failure) {
    throw std::runtime_error(fmt::format("{}: {}", run_config_path, failure.what()));
  }
}

} // namespace vmtest
