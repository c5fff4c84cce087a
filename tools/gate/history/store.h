// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where baselines and history live: one SQLite file, and the executables that were measured.
//
//   STORE/gate.db                     runs, their figures, and which of them are baselines
//   STORE/artefacts/<hash>/bench.zst  an executable, packed, by its contents;
//                                     gates before 0.2 kept it unpacked, as "bench"
//   STORE/waivers.json                see waivers.h
//
// One mechanism for both, since a baseline is an accepted run: whatever happens in between, a run
// that is the baseline is in the history with its figures, and one transaction changes both. Every
// row of a baseline knows the run that made it, hence the executable and the arguments.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/gate/history/database.h"
#include "tools/gate/history/history.h"
#include "tools/lib/fd.h"
#include "tools/lib/result.h"

namespace gate
{

struct Recording {
  std::string artefact; // sha1_hex() of the executable
  std::vector<std::string> arguments;
  uint64_t seed = 0;
  result::Result result;
  int64_t run = 0; // that made it
};

// The baseline of one machine class, oldest recording first.
struct Baseline {
  std::vector<Recording> recordings;
  // What a selection (the bench's arguments) last recorded, by benchmark_key().
  std::map<std::vector<std::string>, std::set<std::string>> selections;
};

// An executable of the store, unpacked beside what is kept. While this lives, no gate removes it.
class Artefact {
public:
  Artefact(std::string path, Fd hold) : x_path(std::move(path)), x_hold(std::move(hold)) {}
  Artefact(Artefact &&other) noexcept
      : x_path(std::exchange(other.x_path, "")), x_hold(std::move(other.x_hold))
  {
  }
  Artefact &operator=(Artefact &&other) noexcept
  {
    std::swap(x_path, other.x_path);
    std::swap(x_hold, other.x_hold);
    return *this;
  }
  ~Artefact();
  const std::string &path() const { return x_path; }

private:
  std::string x_path;
  Fd x_hold;
};

struct Anchor {
  std::string name;
  int64_t run = 0;
  std::string time;
};

// How much is kept. A baseline or an anchor is never dropped, whatever these say.
struct Limits {
  size_t runs = 1000;  // of a series, the newest ones
  size_t in_full = 10; // executables, each with all samples of its newest runs
};

class Store {
public:
  explicit Store(std::string directory) : x_directory(std::move(directory)) {}

  // $XDG_STATE_HOME/bpfgate or ~/.local/state/bpfgate. Throws std::runtime_error without either.
  static std::string default_directory();

  std::string path() const { return x_directory + "/gate.db"; }

  // All functions throw store_error for a store that cannot be used; it is then as it was before.

  // Empty if nothing was recorded for this class.
  Baseline read(const std::string &class_name) const;

  // The names of the classes that have a baseline.
  std::vector<std::string> classes() const;

  struct Kept {
    int64_t run = 0;
    size_t replaced = 0; // rows of the baseline
  };
  // Keeps a run, and the executable (its bytes; empty: none). id, artefact and environment of run
  // are filled in here. as_baseline: its benchmarks become the baseline; those that are not Ok
  // never do. Executables and samples of older runs are dropped by Limits.
  Kept keep(Run run, const std::string &executable, const result::Result &result,
            const Judgements &judgements, bool as_baseline);

  // Nothing, and why, if it is gone or damaged, or cannot be unpacked.
  std::optional<Artefact> artefact(const std::string &hash, std::string &why) const;
  // Whether it is there and whole; why not.
  bool has_artefact(const std::string &hash, std::string &why) const;
  // What it takes in the store, in bytes; 0: it is gone.
  uintmax_t artefact_size(const std::string &hash) const;

  // All of them, oldest first.
  std::vector<Run> runs() const;
  // Throws store_error if there is no such run.
  Run run(int64_t id) const;
  std::vector<HistoryRow> rows(int64_t run) const;
  // Of all runs of a machine class, by run.
  std::map<int64_t, std::vector<HistoryRow>> rows(const std::string &class_name) const;
  // A run with all of its samples. Throws store_error if they were dropped.
  Recording recording(int64_t run) const;

  // Marks a run as accepted, for this reason, and makes it the baseline.
  Kept accept(int64_t run, const std::string &reason);

  std::vector<Anchor> anchors() const;
  // Gives the name to a run, and takes it from another one. The run must be there in full.
  void set_anchor(const Anchor &anchor);

  struct Expired {
    size_t runs = 0;    // forgotten
    size_t thinned = 0; // samples and executable dropped
  };
  Expired expire(const Limits &limits);
  // Forgets the baseline of a series; its runs stay. Returns how many rows it had.
  size_t drop_baseline(const Series &series);

private:
  Database open_for_reading() const;
  Database open_for_writing() const;
  std::string artefact_path(const std::string &hash) const;
  std::string kept_path(const std::string &hash) const;
  Fd hold_artefact(const std::string &hash, std::string &bytes, std::string &why) const;
  void keep_artefact(const std::string &hash, const std::string &bytes) const;
  void remove_leftovers(const Database &database) const;

  std::string x_directory;
};

// The anchor of that name; empty: the one that was set last. Throws usage_error.
Anchor find_anchor(const Store &store, const std::string &name);

} // namespace gate
