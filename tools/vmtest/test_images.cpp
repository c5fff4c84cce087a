// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/test_images.h"

#include <archive.h>
#include <archive_entry.h>
#include <elf.h>

#include <cstring>
#include <stdexcept>
#include <vector>

namespace vmtest
{

template <class T> static void put(std::string &bytes, size_t at, const T &value)
{
  if (bytes.size() < at + sizeof(T))
    bytes.resize(at + sizeof(T));
  memcpy(bytes.data() + at, &value, sizeof(T));
}

template <class T> static void append(std::string &bytes, const T &value)
{
  put(bytes, bytes.size(), value);
}

// One block of nothing but literals: libarchive writes the newer format only.
static std::string legacy_lz4(const std::string &bytes)
{
  std::string block("\xf0", 1);
  size_t left = bytes.size() - 15;
  for (; left >= 255; left -= 255)
    block += '\xff';
  block += static_cast<char>(left);
  block += bytes;
  std::string frame;
  append(frame, uint32_t{0x184c2102});
  append(frame, static_cast<uint32_t>(block.size()));
  return frame + block;
}

std::string compress(const std::string &how, const std::string &bytes)
{
  if (how == "lz4")
    return legacy_lz4(bytes);
  std::vector<char> buffer(bytes.size() + (1 << 20));
  size_t used = 0;
  archive *writer = archive_write_new();
  archive_entry *entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_pathname(entry, "data");
  bool good =
      archive_write_add_filter_by_name(writer, how.c_str()) == ARCHIVE_OK &&
      archive_write_set_format_raw(writer) == ARCHIVE_OK &&
      archive_write_set_bytes_in_last_block(writer, 1) == ARCHIVE_OK &&
      archive_write_open_memory(writer, buffer.data(), buffer.size(), &used) == ARCHIVE_OK &&
      archive_write_header(writer, entry) == ARCHIVE_OK &&
      archive_write_data(writer, bytes.data(), bytes.size()) >= 0 &&
      archive_write_close(writer) == ARCHIVE_OK;
  archive_entry_free(entry);
  archive_write_free(writer);
  if (!good)
    throw std::runtime_error("cannot compress by " + how);
  return {buffer.data(), used};
}

static std::string note(const std::string &owner, uint32_t type, const std::string &content)
{
  std::string bytes;
  append(bytes, Elf64_Nhdr{static_cast<uint32_t>(owner.size() + 1),
                           static_cast<uint32_t>(content.size()), type});
  bytes += owner;
  bytes.append(4 - owner.size() % 4, '\0');
  bytes += content;
  bytes.append((4 - content.size() % 4) % 4, '\0');
  return bytes;
}

static Elf64_Ehdr elf_header(uint16_t type)
{
  Elf64_Ehdr header = {};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = type;
  header.e_machine = EM_X86_64;
  header.e_ehsize = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shentsize = sizeof(Elf64_Shdr);
  return header;
}

std::string make_vmlinux(const ImageParts &parts)
{
  std::string load = "text Linux version %s, and Linux version " + parts.release + " (me) #1\n";
  if (!parts.config.empty())
    load += "IKCFG_ST" + compress("gzip", parts.config) + "IKCFG_ED";
  load.append(5000, 'x');
  std::string notes = note("GNU", NT_GNU_BUILD_ID, parts.build_id);
  if (parts.pvh)
    notes += note("Xen", 18, std::string(8, '\1'));
  Elf64_Ehdr header = elf_header(ET_EXEC);
  header.e_phoff = sizeof(header);
  header.e_phnum = 2;
  size_t from = sizeof(header) + 2 * sizeof(Elf64_Phdr);
  std::string elf;
  append(elf, header);
  append(elf, Elf64_Phdr{PT_LOAD, 0, from, 0, 0, load.size(), load.size(), 4});
  append(elf, Elf64_Phdr{PT_NOTE, 0, from + load.size(), 0, 0, notes.size(), notes.size(), 4});
  return elf + load + notes;
}

std::string make_bzimage(const std::string &how, const std::string &elf, const std::string &release)
{
  constexpr size_t sectors = 4, start = (sectors + 1) * 512, stub = 100;
  std::string payload = compress(how, elf);
  if (how != "gzip")
    append(payload, static_cast<uint32_t>(elf.size()));
  std::string image(start + stub, '\0');
  put(image, 0x1f1, static_cast<uint8_t>(sectors));
  put(image, 0x1fe, uint16_t{0xaa55});
  memcpy(image.data() + 0x202, "HdrS", 4);
  put(image, 0x206, uint16_t{0x20f});
  put(image, 0x20e, uint16_t{0x300}); // from 0x200 on
  std::string text = release + " (me@here) #1 SMP";
  memcpy(image.data() + 0x500, text.data(), text.size());
  put(image, 0x248, static_cast<uint32_t>(stub));
  put(image, 0x24c, static_cast<uint32_t>(payload.size()));
  return image + payload + std::string(64, '\0');
}

std::string make_module(const std::map<std::string, std::string> &info)
{
  std::string modinfo, names(1, '\0');
  for (const auto &[name, value] : info)
    modinfo += name + "=" + value + '\0';
  names += std::string(".modinfo") + '\0';
  Elf64_Ehdr header = elf_header(ET_REL);
  header.e_shoff = sizeof(header);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  size_t from = sizeof(header) + 3 * sizeof(Elf64_Shdr);
  std::string elf;
  append(elf, header);
  append(elf, Elf64_Shdr{});
  append(elf, Elf64_Shdr{1, SHT_PROGBITS, 0, 0, from, modinfo.size(), 0, 0, 1, 0});
  append(elf, Elf64_Shdr{0, SHT_STRTAB, 0, 0, from + modinfo.size(), names.size(), 0, 0, 1, 0});
  return elf + modinfo + names;
}

} // namespace vmtest
