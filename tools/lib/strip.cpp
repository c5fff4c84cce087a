// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What is loaded stays where it is in the file; behind it come the other sections that are kept,
// and a new table of all of them, in which the dropped ones are empty, so that their numbers stay
// right.
#include "tools/lib/strip.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "tools/lib/elf_file.h"

static constexpr size_t alignment = 16;

static bool is_debug(std::string_view name)
{
  return name.starts_with(".debug") || name.starts_with(".zdebug") || name == ".gdb_index";
}

// Nothing where they do not fit into the file.
static std::vector<Elf64_Shdr> read_sections(std::string_view elf, const Elf64_Ehdr &header)
{
  std::vector<Elf64_Shdr> sections;
  for (size_t i = 0; i < header.e_shnum; i++) {
    auto section = read_at<Elf64_Shdr>(elf, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!section ||
        (section->sh_type != SHT_NOBITS && !slice(elf, section->sh_offset, section->sh_size)))
      return {};
    sections.push_back(*section);
  }
  return sections;
}

static std::vector<std::string_view>
section_names(std::string_view elf, const std::vector<Elf64_Shdr> &sections, size_t index)
{
  const Elf64_Shdr &table = sections[index];
  std::string_view text = elf.substr(0, table.sh_offset + table.sh_size);
  std::vector<std::string_view> names;
  for (const Elf64_Shdr &section : sections)
    names.push_back(text_at(text, table.sh_offset + section.sh_name).value_or(""));
  return names;
}

// Up to where the program headers reach.
static uint64_t loaded_size(std::string_view elf, const Elf64_Ehdr &header)
{
  uint64_t end = header.e_phoff + uint64_t{header.e_phnum} * sizeof(Elf64_Phdr);
  ElfFile file(elf);
  for (const Elf64_Phdr &segment : file.segments())
    end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
  return end;
}

static void pad(std::string &out)
{
  out.resize((out.size() + alignment - 1) / alignment * alignment);
}

static void move_section(std::string_view elf, Elf64_Shdr &section, std::string_view name,
                         std::string &out)
{
  if (is_debug(name)) {
    section = {};
  } else if (!(section.sh_flags & SHF_ALLOC) && section.sh_size > 0 &&
             section.sh_type != SHT_NOBITS) {
    pad(out);
    uint64_t from = section.sh_offset;
    section.sh_offset = out.size();
    out += elf.substr(from, section.sh_size);
  }
}

static std::string rebuild(std::string_view elf)
{
  auto header = read_at<Elf64_Ehdr>(elf, 0).value();
  std::vector<Elf64_Shdr> sections = read_sections(elf, header);
  uint64_t loaded = loaded_size(elf, header);
  if (header.e_shstrndx >= sections.size() || !slice(elf, 0, loaded))
    return std::string(elf);
  std::vector<std::string_view> names = section_names(elf, sections, header.e_shstrndx);
  if (std::none_of(names.begin(), names.end(), is_debug))
    return std::string(elf);
  std::string out(elf.substr(0, loaded));
  for (size_t i = 0; i < sections.size(); i++)
    move_section(elf, sections[i], names[i], out);
  pad(out);
  header.e_shoff = out.size();
  memcpy(out.data(), &header, sizeof(header));
  out.append(reinterpret_cast<const char *>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
  return out;
}

std::string without_debug(std::string_view elf)
{
  try {
    if (ElfFile::is_elf(elf))
      return rebuild(elf);
  } catch (const std::exception &) { // not whole, or of another kind
    return std::string(elf);
  }
  return std::string(elf);
}
