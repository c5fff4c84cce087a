// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The files of $OUT as they come from the guest: streamed into a directory, each under a temporary
// name until it is whole. Names from a guest are not trusted: none leads out of the directory, not
// by "..", nor through a symbolic link.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/lib/fd.h"
#include "tools/vmtest/protocol.h"

namespace vmtest
{

class OutFiles {
public:
  // The directory is made where it is not there, when the first file comes.
  explicit OutFiles(std::string directory) : x_directory(std::move(directory)) {}
  ~OutFiles() { drop(); }
  OutFiles(const OutFiles &) = delete;
  OutFiles &operator=(const OutFiles &) = delete;

  // A File, FileData or FileHole frame. Throws outcome_error (OutputLost); what was not whole is
  // then gone.
  void take(const Frame &frame);
  // No more will come. Throws where one is not whole.
  void finish();
  // Gives the directories the permission bits that they had, which may be too few to write there.
  void set_modes();

  size_t files() const { return x_files; }
  uint64_t bytes() const { return x_bytes; }

private:
  void begin(const std::string &header);
  void add(std::string_view data);
  void skip(const std::string &length);
  void commit();
  void drop();

  std::string x_directory;
  std::vector<std::pair<std::string, unsigned>> x_modes; // paths below it
  Fd x_parent, x_file;
  std::string x_path, x_name, x_partial; // of the file that is under way
  uint64_t x_left = 0;
  size_t x_files = 0;
  uint64_t x_bytes = 0;
};

} // namespace vmtest
