// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A file's content, mapped for reading.
#pragma once

#include <filesystem>
#include <string_view>

namespace vmtest
{

class MappedFile {
public:
  // Throws std::system_error that names path; what is no regular file is an error too.
  explicit MappedFile(const std::filesystem::path &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return {x_begin, x_size}; }

private:
  const char *x_begin = nullptr;
  size_t x_size = 0;
};

} // namespace vmtest
