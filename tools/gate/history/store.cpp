// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Opening the store, baselines and executables. History is in store_history.cpp.
#include "tools/gate/history/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tools/gate/history/store_schema.h"
#include "tools/gate/history/store_tables.h"
#include "tools/gate/system/packed.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/hash.h"

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
  return x_directory + "/artefacts/" + hash + "/bench.zst";
}

// Where it is: packed, or as an older gate left it.
std::string Store::kept_path(const std::string &hash) const
{
  std::string packed = artefact_path(hash);
  fs::path old = fs::path(packed).replace_extension();
  return !fs::exists(packed) && fs::exists(old) ? old.string() : packed;
}

Database Store::open_for_writing() const
{
  fs::create_directories(x_directory + "/artefacts");
  Database database(path(), true);
  bring_up_to_date(database, path());
  return database;
}

// A store that is not there is an empty one.
Database Store::open_for_reading() const
{
  bool is_there = fs::exists(path());
  Database database(is_there ? path() : ":memory:", !is_there);
  bring_up_to_date(database, path());
  return database;
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
  Database database = open_for_reading();
  database.execute("BEGIN"); // one state of the file for all that follows
  std::map<int64_t, std::set<std::string>> keys;
  Statement rows = database.prepare("SELECT run, key FROM baselines WHERE class = ?1");
  for (rows.bind(class_name); rows.step();)
    keys[rows.integer(0)].insert(rows.text(1));
  for (const auto &[run, own] : keys) {
    baseline.recordings.push_back(read_recording(database, run, path()));
    keep_only(baseline.recordings.back().result, own);
  }
  Statement chosen = database.prepare("SELECT suite, key FROM selections WHERE class = ?1");
  for (chosen.bind(class_name); chosen.step();)
    baseline.selections[suite_from(chosen.text(0))].insert(chosen.text(1));
  return baseline;
}

std::vector<std::string> Store::classes() const
{
  std::vector<std::string> names;
  Database database = open_for_reading();
  Statement rows = database.prepare("SELECT DISTINCT class FROM baselines ORDER BY class");
  while (rows.step())
    names.push_back(rows.text(0));
  return names;
}

void Store::keep_artefact(const std::string &hash, const std::string &bytes) const
{
  std::string path = artefact_path(hash), why;
  if (has_artefact(hash, why))
    return;
  fs::create_directories(fs::path(path).parent_path());
  fs::remove(path);
  write_file(path, pack(bytes));
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
      run.artefact = sha1_hex(executable);
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

static std::set<std::string> named_artefacts(const Database &database)
{
  std::set<std::string> names;
  Statement rows = database.prepare("SELECT DISTINCT artefact FROM runs WHERE result IS NOT NULL");
  while (rows.step())
    names.insert(rows.text(0));
  return names;
}

// Artefacts that no run in full names and no other gate holds, and what a gate that was killed left
// beside them.
void Store::remove_leftovers(const Database &database) const
{
  try {
    Transaction transaction(database);
    std::set<std::string> named = named_artefacts(database);
    for (const fs::directory_entry &entry : fs::directory_iterator(x_directory + "/artefacts")) {
      fs::path kept = kept_path(entry.path().filename());
      Fd fd(open(kept.c_str(), O_RDONLY | O_CLOEXEC));
      if (fd && flock(fd.get(), LOCK_EX | LOCK_NB) < 0)
        continue; // in use, what is unpacked too
      if (named.count(entry.path().filename()) == 0) {
        fs::remove_all(entry.path());
        continue;
      }
      for (const fs::directory_entry &file : fs::directory_iterator(entry.path()))
        if (file.path() != kept)
          fs::remove(file.path());
    }
  } catch (const std::exception &) {
    // Only room is lost; the run itself is safe already.
  }
}

Fd Store::hold_artefact(const std::string &hash, std::string &bytes, std::string &why) const
{
  constexpr size_t most_bytes = size_t{1} << 30;
  std::string path = kept_path(hash);
  Fd hold(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (hash.empty() || !hold || flock(hold.get(), LOCK_SH | LOCK_NB) < 0) {
    why = "its executable is gone from the store";
    return Fd();
  }
  try {
    bytes = read_file(path, most_bytes);
    if (path == artefact_path(hash))
      bytes = unpack(bytes, most_bytes);
  } catch (const std::runtime_error &) {
    bytes.clear();
  }
  if (sha1_hex(bytes) == hash)
    return hold;
  why = "its executable in the store is damaged";
  return Fd();
}

bool Store::has_artefact(const std::string &hash, std::string &why) const
{
  std::string bytes;
  return static_cast<bool>(hold_artefact(hash, bytes, why));
}

uintmax_t Store::artefact_size(const std::string &hash) const
{
  std::error_code gone;
  uintmax_t size = fs::file_size(kept_path(hash), gone);
  return gone ? 0 : size;
}

std::optional<Artefact> Store::artefact(const std::string &hash, std::string &why) const
{
  std::string bytes;
  Fd hold = hold_artefact(hash, bytes, why);
  if (!hold)
    return std::nullopt;
  std::string path = fs::path(artefact_path(hash)).parent_path() / "bench.XXXXXX";
  Fd file(mkostemp(path.data(), O_CLOEXEC));
  if (!file) {
    why = fmt::format("its executable cannot be unpacked to '{}': {}", path, strerror(errno));
    return std::nullopt;
  }
  Artefact unpacked(path, std::move(hold));
  try {
    write_file(path, bytes);
    fs::permissions(path, fs::perms::owner_all);
  } catch (const std::system_error &failure) {
    why = fmt::format("its executable cannot be unpacked: {}", failure.what());
    return std::nullopt;
  }
  return unpacked;
}

Artefact::~Artefact()
{
  if (!x_path.empty())
    unlink(x_path.c_str());
}

} // namespace gate
