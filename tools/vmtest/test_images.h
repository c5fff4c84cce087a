// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Small images for the unit tests: a vmlinux, a bzImage around it, modules. Not bootable.
#pragma once

#include <map>
#include <string>

namespace vmtest
{

// How: gzip, bzip2, xz, lzma, lz4 or zstd. lz4 in the kernel's older format.
std::string compress(const std::string &how, const std::string &bytes);

struct ImageParts {
  std::string release = "6.1.0-test";
  std::string build_id = std::string("\x01\x23\xab", 3);
  bool pvh = true;
  std::string config; // embedded, when it is not empty
};

// An ELF for x86-64 with one PT_LOAD segment and notes.
std::string make_vmlinux(const ImageParts &parts = {});

// A bzImage with this payload, followed by its size as the kernel's build does.
std::string make_bzimage(const std::string &how, const std::string &elf,
                         const std::string &release = "6.1.0-test");

// An ELF with a .modinfo section of name=value entries.
std::string make_module(const std::map<std::string, std::string> &info);

} // namespace vmtest
