// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A directory under $TMPDIR or /tmp that is gone again with all that is in it.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

class TemporaryDirectory {
public:
  TemporaryDirectory()
      : x_path((std::filesystem::temp_directory_path() / "bpfgate.XXXXXX").string())
  {
    if (!mkdtemp(x_path.data()))
      throw std::system_error(errno, std::generic_category(), "cannot make '" + x_path + "'");
  }
  ~TemporaryDirectory()
  {
    std::error_code ignored;
    std::filesystem::remove_all(x_path, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

  const std::string &path() const { return x_path; }
  std::string operator/(const std::string &name) const { return x_path + "/" + name; }

private:
  std::string x_path;
};
