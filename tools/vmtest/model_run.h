// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// --model on this side of the guest: the plugin and the memory that it shares with the guest, and
// what that says after the run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/lib/fd.h"

struct model_page;

namespace vmtest
{

// What a machine is modelled with.
struct Model {
  std::string plugin;  // its path
  std::string text;    // the machine, as TOML
  std::string profile; // a directory that is there; empty: no profile
  // What tells it from others: its name and a hash of the text. Empty: it is nowhere told.
  std::string identity = {};
};

// Finds the plugin, in the build tree or where it is installed, and reads the machine: a preset's
// name or a file. Throws usage_error for the machine, outcome_error (QemuError) for the plugin.
Model find_model(const std::string &machine);

// The descriptors of one guest.
class ModelMemory {
public:
  // Throws std::system_error.
  explicit ModelMemory(const Model &model);
  ~ModelMemory();
  ModelMemory(const ModelMemory &) = delete;
  ModelMemory &operator=(const ModelMemory &) = delete;

  int page() const { return x_page_file.get(); }
  int machine() const { return x_machine.get(); }

  // What the model said was wrong; empty: nothing.
  std::string error() const;
  // What is wrong with the figures after a run that was otherwise good; empty: nothing.
  std::string complaint(bool profiling) const;
  // What was counted since the last reset, in one line; nullopt: nothing was, or the command has
  // taken it already.
  std::optional<std::string> sums() const;

private:
  Fd x_page_file, x_machine;
  model_page *x_page;
};

// The plugin's, which vmtest was built with.
std::string model_build();

// QEMU's arguments.
std::vector<std::string> model_arguments(const Model &model, int page, int machine);

} // namespace vmtest
