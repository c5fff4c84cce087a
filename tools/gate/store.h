// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where baselines live: one file per machine class, and the executables they were measured with.
//
//   STORE/lock                   held while something is changed
//   STORE/<class>.json           the baseline: a list of recordings
//   STORE/artefacts/<hash>/bench an executable, by its contents
//
// A recording keeps the rows that no later one replaced, so every row knows the executable and the
// arguments that made it. Files are replaced whole, under the lock: two gates lose nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/lib/fd.h"
#include "tools/lib/result.h"

namespace gate
{

struct Recording {
  std::string artefact; // content_hash() of the executable
  std::vector<std::string> arguments;
  uint64_t seed = 0;
  result::Result result;
};

// The baseline of one machine class, oldest recording first.
struct Baseline {
  std::vector<Recording> recordings;
  // What a selection (the bench's arguments) last recorded, by benchmark_key().
  std::map<std::vector<std::string>, std::set<std::string>> selections;
};

// An executable of the store. While this lives, no gate removes it.
struct Artefact {
  std::string path;
  Fd hold;
};

class Store {
public:
  explicit Store(std::string directory) : x_directory(std::move(directory)) {}

  // $XDG_STATE_HOME/bpfgate or ~/.local/state/bpfgate. Throws std::runtime_error without either.
  static std::string default_directory();

  // Empty if nothing was recorded for this class. Throws result::error for a damaged file.
  Baseline read(const std::string &class_name) const;

  // The names of the classes that have a baseline.
  std::vector<std::string> classes() const;

  // Keeps the executable (its bytes) and adds the recording to its class; of older recordings of
  // that class, rows that the new one has are dropped, then artefacts that nobody names any more.
  // Returns how many rows were replaced. Throws; then the old baseline is untouched.
  size_t add(const std::string &class_name, const std::string &executable, Recording recording);

  // Nothing, and why, if it is gone or damaged.
  std::optional<Artefact> artefact(const std::string &hash, std::string &why) const;

  std::string baseline_path(const std::string &class_name) const;

private:
  std::string artefact_path(const std::string &hash) const;
  Fd lock() const;
  void keep_artefact(const std::string &hash, const std::string &bytes) const;
  void remove_leftovers() const;
  std::set<std::string> named_artefacts() const;

  std::string x_directory;
};

} // namespace gate
