// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/elf_file.h"

#include <fmt/format.h>

std::optional<std::string_view> slice(std::string_view bytes, uint64_t offset, uint64_t length)
{
  if (offset > bytes.size() || length > bytes.size() - offset)
    return std::nullopt;
  return bytes.substr(offset, length);
}

std::optional<std::string_view> text_at(std::string_view bytes, uint64_t offset)
{
  if (offset >= bytes.size())
    return std::nullopt;
  size_t end = bytes.find('\0', offset);
  if (end == std::string_view::npos)
    return std::nullopt;
  return bytes.substr(offset, end - offset);
}

template <class T> static T get(const std::optional<T> &part, const char *what)
{
  if (!part)
    throw elf_error(fmt::format("truncated or damaged ELF ({} outside the file)", what));
  return *part;
}

ElfFile::ElfFile(std::string_view bytes) : x_bytes(bytes)
{
  if (!is_elf(bytes))
    throw elf_error("no ELF");
  x_header = get(read_at<Elf64_Ehdr>(bytes, 0), "header");
  if (x_header.e_ident[EI_CLASS] != ELFCLASS64 || x_header.e_ident[EI_DATA] != ELFDATA2LSB)
    throw elf_error("no 64-bit little-endian ELF");
  if (x_header.e_phnum && x_header.e_phentsize != sizeof(Elf64_Phdr))
    throw elf_error("damaged ELF (size of its segment headers)");
  for (size_t i = 0; i < x_header.e_phnum; i++) {
    auto table = slice(bytes, x_header.e_phoff, x_header.e_phnum * sizeof(Elf64_Phdr));
    x_segments.push_back(
        *read_at<Elf64_Phdr>(get(table, "segment headers"), i * sizeof(Elf64_Phdr)));
  }
}

std::string_view ElfFile::content(const Elf64_Phdr &segment) const
{
  return get(slice(x_bytes, segment.p_offset, segment.p_filesz), "segment");
}

Elf64_Shdr ElfFile::section_header(size_t index) const
{
  if (index >= x_header.e_shnum || x_header.e_shentsize != sizeof(Elf64_Shdr))
    throw elf_error("damaged ELF (section headers)");
  auto table = slice(x_bytes, x_header.e_shoff, x_header.e_shnum * sizeof(Elf64_Shdr));
  return *read_at<Elf64_Shdr>(get(table, "section headers"), index * sizeof(Elf64_Shdr));
}

std::optional<std::string_view> ElfFile::section(std::string_view name) const
{
  if (x_header.e_shnum == 0)
    return std::nullopt;
  Elf64_Shdr names_header = section_header(x_header.e_shstrndx);
  std::string_view names =
      get(slice(x_bytes, names_header.sh_offset, names_header.sh_size), "section names");
  for (size_t i = 0; i < x_header.e_shnum; i++) {
    Elf64_Shdr header = section_header(i);
    if (header.sh_type != SHT_NOBITS && text_at(names, header.sh_name) == name)
      return get(slice(x_bytes, header.sh_offset, header.sh_size), "section");
  }
  return std::nullopt;
}

// Calls visit for the notes of one segment, whose parts are padded to alignment.
static void walk_notes(std::string_view notes, uint64_t alignment,
                       const std::function<void(const ElfNote &)> &visit)
{
  auto padded = [&](uint64_t size) { return (size + alignment - 1) / alignment * alignment; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    auto header = *read_at<Elf64_Nhdr>(notes, 0);
    uint64_t from = padded(sizeof(header) + header.n_namesz);
    std::string_view owner = get(slice(notes, sizeof(header), header.n_namesz), "note");
    visit({.owner = owner.substr(0, owner.find('\0')),
           .type = header.n_type,
           .content = get(slice(notes, from, header.n_descsz), "note")});
    notes.remove_prefix(std::min<uint64_t>(notes.size(), padded(from + header.n_descsz)));
  }
}

void ElfFile::each_note(const std::function<void(const ElfNote &)> &visit) const
{
  for (const Elf64_Phdr &segment : x_segments)
    if (segment.p_type == PT_NOTE)
      walk_notes(content(segment), segment.p_align == 8 ? 8 : 4, visit);
}

std::string_view ElfFile::at_address(uint64_t address) const
{
  for (const Elf64_Phdr &segment : x_segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return content(segment).substr(address - segment.p_vaddr);
  throw elf_error("damaged ELF (an address outside its segments)");
}
