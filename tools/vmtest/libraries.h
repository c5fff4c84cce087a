// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The shared libraries of an executable, found by the rules of glibc's dynamic loader, by reading
// files alone: nothing foreign is run.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace vmtest
{

// One line: which file needs what, and what is wrong.
struct library_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct GuestFile {
  std::filesystem::path host;
  std::filesystem::path guest;
};

// The loader and the libraries that the executable needs, itself not among them; empty for a static
// one. guest says where it will lie: $ORIGIN means that place. A library found by RPATH or RUNPATH
// lies where the loader will look for it; all others lie in the loader's own directory, which it
// searches without a cache. Throws library_error, or std::system_error.
std::vector<GuestFile> find_libraries(const GuestFile &executable);

} // namespace vmtest
