// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Stores of version 1: a JSON file "bpfgate-baseline" for each machine class, without history.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "tools/gate/store_schema.h"
#include "tools/gate/store_tables.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"

namespace fs = std::filesystem;

namespace gate
{

using result::json;

static constexpr const char *schema = "bpfgate-baseline";

std::vector<std::string> version_1_files(const std::string &directory)
{
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".json" && entry.path().filename() != "waivers.json")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

static void insert_recording(const Database &database, const std::string &class_name,
                             const json &value, const std::string &where)
{
  // The member is a whole result file, read by that file's one reader.
  result::Result result = result::parse_result(value.at("result").dump(), where);
  Run run = {.series = {class_name, value.at("arguments").get<std::vector<std::string>>()},
             .command = "record",
             .time = result.started,
             .accepted = true,
             .reason = "taken over from a store of version 1",
             .artefact = value.at("artefact").get<std::string>(),
             .seed = value.value("seed", uint64_t{0}),
             .revision = result.tool.revision,
             .environment = result.environment};
  run.id = insert_run(database, run, result, {});
  make_baseline(database, run, result);
}

// A subset that was recorded later took rows out of an earlier recording, whose selection kept
// their keys.
static void insert_selection(const Database &database, const std::string &class_name,
                             const json &value)
{
  Statement put = database.prepare("INSERT OR IGNORE INTO selections VALUES (?1, ?2, ?3)");
  std::string suite = suite_text(value.at("arguments").get<std::vector<std::string>>());
  for (const std::string &key : value.at("keys").get<std::vector<std::string>>())
    put.bind(class_name, suite, key).run();
}

void insert_version_1(const Database &database, const std::string &class_name,
                      const std::string &file)
{
  json value = result::parse_json(read_file(file), file);
  if (!value.is_object() || value.value("schema", json()) != schema)
    throw result::error(fmt::format("{}: not a baseline: \"schema\" is not \"{}\"", file, schema));
  if (value.value("version", json()) != 1)
    throw result::error(fmt::format("{}: /version is not 1", file));
  try {
    const json recordings = value.value("recordings", json::array());
    for (const json &each : recordings)
      insert_recording(database, class_name, each, file);
    const json selections = value.value("selections", json::array());
    for (const json &each : selections)
      insert_selection(database, class_name, each);
  } catch (const json::exception &failure) {
    throw result::error(fmt::format("{}: damaged baseline: {}", file, failure.what()));
  }
}

} // namespace gate
