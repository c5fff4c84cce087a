// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What is inside a kernel image: the ELF in a bzImage, release, build-id, configuration. All of it
// comes from a file that may be truncated or hostile: every offset is checked.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vmtest
{

// One line: what in the image is wrong.
struct image_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The image may be good, but not its form or compression known here.
struct unsupported_image : image_error {
  using image_error::image_error;
};

enum class ImageKind { BzImage, Elf, Other };
ImageKind image_kind(std::string_view bytes);

// The release in a bzImage's setup header. Throws image_error.
std::string bzimage_release(std::string_view image);

// The ELF inside a bzImage, uncompressed (gzip, bzip2, xz, lzma, lz4, zstd). Throws image_error.
std::string extract_vmlinux(std::string_view image);

struct VmlinuxFacts {
  std::string release;  // from the banner; empty when there is none
  std::string build_id; // hexadecimal; empty when there is none
  bool has_pvh = false; // has the entry by which QEMU starts an ELF (CONFIG_PVH)
  std::string config;   // text from IKCONFIG; empty when there is none
};

// Throws image_error where it is no x86-64 ELF or its tables lie outside the file.
VmlinuxFacts read_vmlinux(std::string_view elf);

// CONFIG_X -> value from a kernel's .config; other lines are passed over.
std::map<std::string, std::string> parse_config(std::string_view text);

} // namespace vmtest
