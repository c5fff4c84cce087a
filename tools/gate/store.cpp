// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tools/gate/hash.h"
#include "tools/gate/interrupt.h"
#include "tools/lib/atomic_file.h"

namespace fs = std::filesystem;

namespace gate
{

using result::Benchmark;
using result::json;

static constexpr const char *schema = "bpfgate-baseline";
static constexpr int version = 1;

std::string Store::default_directory()
{
  const char *state = getenv("XDG_STATE_HOME");
  if (state && state[0] == '/')
    return std::string(state) + "/bpfgate";
  const char *home = getenv("HOME");
  if (!home || !home[0])
    throw std::runtime_error("no --store given, and neither XDG_STATE_HOME nor HOME is set");
  return std::string(home) + "/.local/state/bpfgate";
}

std::string Store::baseline_path(const std::string &class_name) const
{
  return x_directory + "/" + class_name + ".json";
}

std::string Store::artefact_path(const std::string &hash) const
{
  return x_directory + "/artefacts/" + hash + "/bench";
}

Fd Store::lock() const
{
  fs::create_directories(x_directory + "/artefacts");
  std::string path = x_directory + "/lock";
  Fd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  while (fd && flock(fd.get(), LOCK_EX | LOCK_NB) < 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot lock '" + path + "'");
    check_interrupts();
    usleep(20000);
  }
  if (!fd)
    throw std::system_error(errno, std::generic_category(), "cannot open '" + path + "'");
  return fd;
}

static Recording recording_from_json(const json &value, const std::string &where)
{
  Recording recording;
  try {
    recording.artefact = value.at("artefact").get<std::string>();
    recording.arguments = value.at("arguments").get<std::vector<std::string>>();
    recording.seed = value.value("seed", uint64_t{0});
    // The member is a whole result file, read by that file's one reader.
    recording.result = result::parse_result(value.at("result").dump(), where);
  } catch (const json::exception &failure) {
    throw result::error(fmt::format("{}: damaged baseline: {}", where, failure.what()));
  }
  return recording;
}

static void read_selections(const json &value, const std::string &where, Baseline &baseline)
{
  try {
    const json selections = value.value("selections", json::array());
    for (const json &each : selections)
      baseline.selections[each.at("arguments").get<std::vector<std::string>>()] =
          each.at("keys").get<std::set<std::string>>();
  } catch (const json::exception &failure) {
    throw result::error(fmt::format("{}: damaged baseline: {}", where, failure.what()));
  }
}

Baseline Store::read(const std::string &class_name) const
{
  std::string path = baseline_path(class_name);
  Baseline baseline;
  if (!fs::exists(path))
    return baseline;
  json value = result::parse_json(read_file(path), path);
  if (!value.is_object() || value.value("schema", json()) != schema)
    throw result::error(fmt::format("{}: not a baseline: \"schema\" is not \"{}\"", path, schema));
  if (value.value("version", json()) != version)
    throw result::error(fmt::format("{}: /version is not {}", path, version));
  const json recordings = value.value("recordings", json::array());
  for (const json &each : recordings)
    baseline.recordings.push_back(recording_from_json(each, path));
  read_selections(value, path, baseline);
  return baseline;
}

static std::string format_baseline(const Baseline &baseline)
{
  std::string text =
      fmt::format("{{\"schema\": \"{}\", \"version\": {}, \"recordings\": [", schema, version);
  const char *separator = "\n";
  for (const Recording &recording : baseline.recordings) {
    text +=
        fmt::format("{}{{\"artefact\": \"{}\", \"arguments\": {}, \"seed\": {}, \"result\":\n{}}}",
                    separator, recording.artefact, json(recording.arguments).dump(), recording.seed,
                    result::format_result(recording.result));
    separator = ",\n";
  }
  text += "],\n\"selections\": [";
  separator = "\n";
  for (const auto &[arguments, keys] : baseline.selections) {
    text += separator + json{{"arguments", arguments}, {"keys", keys}}.dump();
    separator = ",\n";
  }
  return text + "]}\n";
}

std::vector<std::string> Store::classes() const
{
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(x_directory, error))
    if (entry.path().extension() == ".json")
      names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

// Drops what the new recording measured again. Returns how many rows that were.
static size_t drop_replaced(Baseline &baseline, const result::Result &fresh)
{
  std::set<std::string> keys;
  for (const Benchmark &benchmark : fresh.benchmarks)
    keys.insert(result::benchmark_key(benchmark));
  size_t dropped = 0;
  for (Recording &recording : baseline.recordings)
    dropped += std::erase_if(recording.result.benchmarks, [&](const Benchmark &benchmark) {
      return keys.count(result::benchmark_key(benchmark)) != 0;
    });
  std::erase_if(baseline.recordings,
                [](const Recording &recording) { return recording.result.benchmarks.empty(); });
  return dropped;
}

void Store::keep_artefact(const std::string &hash, const std::string &bytes) const
{
  std::string path = artefact_path(hash), why;
  if (artefact(hash, why))
    return;
  fs::create_directories(fs::path(path).parent_path());
  fs::remove(path);
  write_file(path, bytes, 0777);
}

size_t Store::add(const std::string &class_name, const std::string &executable, Recording recording)
{
  Fd held = lock();
  Baseline baseline = read(class_name);
  recording.artefact = content_hash(executable);
  keep_artefact(recording.artefact, executable);
  size_t replaced = drop_replaced(baseline, recording.result);
  std::set<std::string> &selection = baseline.selections[recording.arguments];
  selection.clear();
  for (const Benchmark &benchmark : recording.result.benchmarks)
    selection.insert(result::benchmark_key(benchmark));
  baseline.recordings.push_back(std::move(recording));
  write_file(baseline_path(class_name), format_baseline(baseline));
  remove_leftovers();
  return replaced;
}

std::set<std::string> Store::named_artefacts() const
{
  std::set<std::string> names;
  for (const std::string &name : classes())
    for (const Recording &recording : read(name).recordings)
      names.insert(recording.artefact);
  return names;
}

// Temporary files of gates that were killed, and artefacts that no recording names and no other
// gate holds. Without a readable index of all classes nothing is removed.
void Store::remove_leftovers() const
{
  try {
    std::set<std::string> named = named_artefacts();
    for (const fs::directory_entry &entry : fs::directory_iterator(x_directory))
      if (entry.path().filename().string().find(".json.tmp.") != std::string::npos)
        fs::remove(entry.path());
    for (const fs::directory_entry &entry : fs::directory_iterator(x_directory + "/artefacts")) {
      if (named.count(entry.path().filename()))
        continue;
      Fd fd(open((entry.path() / "bench").c_str(), O_RDONLY | O_CLOEXEC));
      if (!fd || flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        fs::remove_all(entry.path());
    }
  } catch (const std::exception &) {
    // Only room is lost; the recording itself is safe already.
  }
}

std::optional<Artefact> Store::artefact(const std::string &hash, std::string &why) const
{
  Artefact found = {.path = artefact_path(hash), .hold = {}};
  found.hold.reset(open(found.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!found.hold || flock(found.hold.get(), LOCK_SH | LOCK_NB) < 0) {
    why = "its executable is gone from the store";
    return std::nullopt;
  }
  if (content_hash(read_file(found.path, size_t{1} << 30)) != hash) {
    why = "its executable in the store is damaged";
    return std::nullopt;
  }
  return found;
}

} // namespace gate
