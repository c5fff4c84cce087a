// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A 64-bit little-endian ELF in memory. What it says of itself is not believed: whatever lies
// outside the bytes is an error. By hand, as strip.cpp is: both are 10 KB, libelf is 58 KB in
// vmtest, which is in every guest, and writes to file descriptors only.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// One line: what is wrong with the ELF.
struct elf_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// length bytes from offset; nullopt where these are not all there.
std::optional<std::string_view> slice(std::string_view bytes, uint64_t offset, uint64_t length);

// A T at offset, of any alignment; nullopt where it is not all there.
template <class T> std::optional<T> read_at(std::string_view bytes, uint64_t offset)
{
  auto part = slice(bytes, offset, sizeof(T));
  if (!part)
    return std::nullopt;
  T value;
  memcpy(&value, part->data(), sizeof(T));
  return value;
}

// The text from offset to the next NUL; nullopt where there is none.
std::optional<std::string_view> text_at(std::string_view bytes, uint64_t offset);

struct ElfNote {
  std::string_view owner; // without its NUL
  uint32_t type;
  std::string_view content;
};

class ElfFile {
public:
  // Throws elf_error where bytes, which must outlive this, begin with no such ELF, or its tables do
  // not fit.
  explicit ElfFile(std::string_view bytes);

  static bool is_elf(std::string_view bytes) { return bytes.starts_with(ELFMAG); }

  uint16_t machine() const { return x_header.e_machine; }
  const std::vector<Elf64_Phdr> &segments() const { return x_segments; }

  // The bytes of a segment in the file. Throws elf_error.
  std::string_view content(const Elf64_Phdr &segment) const;
  // The content of the section of that name, if there is one. Throws elf_error.
  std::optional<std::string_view> section(std::string_view name) const;
  // Calls visit for every note of the PT_NOTE segments. Throws elf_error.
  void each_note(const std::function<void(const ElfNote &)> &visit) const;
  // What in the file stands for a virtual address, up to the end of its segment. Throws elf_error.
  std::string_view at_address(uint64_t address) const;

private:
  Elf64_Shdr section_header(size_t index) const;

  std::string_view x_bytes;
  Elf64_Ehdr x_header;
  std::vector<Elf64_Phdr> x_segments;
};
