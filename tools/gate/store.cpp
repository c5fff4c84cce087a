// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Opening the store, baselines and executables. History is in store_history.cpp.
#include "tools/gate/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "tools/gate/hash.h"
#include "tools/gate/store_schema.h"
#include "tools/gate/store_tables.h"
#include "tools/lib/atomic_file.h"

namespace fs = std::filesystem;

namespace gate
{

using result::Benchmark;

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

std::string Store::artefact_path(const std::string &hash) const
{
  return x_directory + "/artefacts/" + hash + "/bench";
}

Database Store::open_for_writing() const
{
  fs::create_directories(x_directory + "/artefacts");
  Database database(path(), true);
  bring_up_to_date(database, path());
  migrate_version_1(database);
  return database;
}

std::optional<Database> Store::open_existing() const
{
  if (!version_1_files(x_directory).empty())
    return open_for_writing();
  if (!fs::exists(path()))
    return std::nullopt;
  Database database(path(), false);
  bring_up_to_date(database, path());
  return database;
}

// Old files stay under another name: nothing that was accepted is ever deleted by the way.
void Store::migrate_version_1(const Database &database) const
{
  for (const std::string &file : version_1_files(x_directory)) {
    Transaction transaction(database);
    if (!fs::exists(file))
      continue; // another gate has been here
    std::string name = fs::path(file).stem();
    Statement known = database.prepare("SELECT 1 FROM baselines WHERE class = ?1");
    if (!known.bind(name).step())
      insert_version_1(database, name, file);
    transaction.commit();
    fs::rename(file, file + ".version-1");
    std::error_code ignored;
    fs::remove(x_directory + "/lock", ignored);
  }
}

// Of the result, what the baseline takes from this run.
static void keep_only(result::Result &result, const std::set<std::string> &keys)
{
  std::erase_if(result.benchmarks, [&](const Benchmark &benchmark) {
    return keys.count(result::benchmark_key(benchmark)) == 0;
  });
}

Baseline Store::read(const std::string &class_name) const
{
  Baseline baseline;
  std::optional<Database> database = open_existing();
  if (!database)
    return baseline;
  database->execute("BEGIN"); // one state of the file for all that follows
  std::map<int64_t, std::set<std::string>> keys;
  Statement rows = database->prepare("SELECT run, key FROM baselines WHERE class = ?1");
  for (rows.bind(class_name); rows.step();)
    keys[rows.whole(0)].insert(rows.text(1));
  for (const auto &[run, own] : keys) {
    baseline.recordings.push_back(read_recording(*database, run, path()));
    keep_only(baseline.recordings.back().result, own);
  }
  Statement chosen = database->prepare("SELECT suite, key FROM selections WHERE class = ?1");
  for (chosen.bind(class_name); chosen.step();)
    baseline.selections[suite_from(chosen.text(0))].insert(chosen.text(1));
  return baseline;
}

std::vector<std::string> Store::classes() const
{
  std::vector<std::string> names;
  std::optional<Database> database = open_existing();
  if (!database)
    return names;
  Statement rows = database->prepare("SELECT DISTINCT class FROM baselines ORDER BY class");
  while (rows.step())
    names.push_back(rows.text(0));
  return names;
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

Store::Kept Store::keep(Run run, const std::string &executable, const result::Result &result,
                        const Judgements &judgements, bool as_baseline)
{
  Database database = open_for_writing();
  Kept kept;
  {
    // The write lock is held while the executable is written, so no gate takes it for a leftover.
    Transaction transaction(database);
    if (!executable.empty()) {
      run.artefact = content_hash(executable);
      keep_artefact(run.artefact, executable);
    }
    run.environment = result.environment;
    run.id = kept.run = insert_run(database, run, result, judgements);
    if (as_baseline)
      kept.replaced = make_baseline(database, run, result);
    thin_out(database, Limits().in_full);
    transaction.commit();
  }
  remove_leftovers(database);
  return kept;
}

size_t Store::add(const std::string &class_name, const std::string &executable, Recording recording)
{
  Run run = {.series = {class_name, recording.arguments},
             .command = "record",
             .time = recording.result.started,
             .accepted = true,
             .reason = "recorded",
             .seed = recording.seed,
             .revision = recording.result.tool.revision};
  return keep(std::move(run), executable, recording.result, {}, true).replaced;
}

static std::set<std::string> named_artefacts(const Database &database)
{
  std::set<std::string> names;
  Statement rows = database.prepare("SELECT DISTINCT artefact FROM runs WHERE result IS NOT NULL");
  while (rows.step())
    names.insert(rows.text(0));
  return names;
}

// Artefacts that no run in full names and no other gate holds, and their temporary files.
void Store::remove_leftovers(const Database &database) const
{
  try {
    Transaction transaction(database);
    std::set<std::string> named = named_artefacts(database);
    for (const fs::directory_entry &entry : fs::directory_iterator(x_directory + "/artefacts")) {
      for (const fs::directory_entry &file : fs::directory_iterator(entry.path()))
        if (file.path().filename() != "bench")
          fs::remove(file.path());
      if (named.count(entry.path().filename()))
        continue;
      Fd fd(open((entry.path() / "bench").c_str(), O_RDONLY | O_CLOEXEC));
      if (!fd || flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        fs::remove_all(entry.path());
    }
  } catch (const std::exception &) {
    // Only room is lost; the run itself is safe already.
  }
}

std::optional<Artefact> Store::artefact(const std::string &hash, std::string &why) const
{
  Artefact found = {.path = artefact_path(hash), .hold = {}};
  found.hold.reset(open(found.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (hash.empty() || !found.hold || flock(found.hold.get(), LOCK_SH | LOCK_NB) < 0) {
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
