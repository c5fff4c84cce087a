// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Compressed bytes and Debian packages, read by libarchive.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vmtest
{

// One line: what could not be read and why.
struct archive_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// gzip, bzip2, xz, lzma, lz4 (also the kernel's older format) or zstd, whichever it is. Throws
// archive_error where it is none of them, is damaged, or gives more than limit bytes.
std::string decompress(std::string_view bytes, size_t limit);

// The regular files of a .deb whose path is wanted, in their order. Paths have no leading "./" or
// "/". Throws archive_error, also for a file of more than limit bytes.
void read_package(const std::filesystem::path &package,
                  const std::function<bool(const std::string &path)> &wanted,
                  const std::function<void(const std::string &path, std::string content)> &take,
                  size_t limit = size_t{1} << 30);

} // namespace vmtest
