// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/vmlinux.h"

#include <fmt/format.h>

#include <cctype>

#include "tools/lib/elf_file.h"
#include "tools/lib/hash.h"
#include "tools/vmtest/unpack.h"

namespace vmtest
{

// Offsets in the setup header, from the kernel's Documentation/arch/x86/boot.rst.
static constexpr uint64_t setup_sectors_at = 0x1f1, boot_flag_at = 0x1fe, magic_at = 0x202,
                          protocol_at = 0x206, version_text_at = 0x20e, payload_offset_at = 0x248,
                          payload_length_at = 0x24c;
static constexpr size_t largest_vmlinux = size_t{1} << 30;

ImageKind image_kind(std::string_view bytes)
{
  if (ElfFile::is_elf(bytes))
    return ImageKind::Elf;
  if (read_at<uint16_t>(bytes, boot_flag_at) == 0xaa55 && slice(bytes, magic_at, 4) == "HdrS")
    return ImageKind::BzImage;
  return ImageKind::Other;
}

template <class T> static T field(std::string_view image, uint64_t offset)
{
  std::optional<T> value = read_at<T>(image, offset);
  if (!value)
    throw image_error("the setup header is cut short");
  return *value;
}

static void require_bzimage(std::string_view image)
{
  if (image_kind(image) != ImageKind::BzImage)
    throw image_error("is no bzImage");
}

// The first word of text, if it can be a release.
static std::string release_in(std::string_view text)
{
  std::string_view word = text.substr(0, text.find(' '));
  bool plain = !word.empty() && word.size() < 65 && isdigit(static_cast<unsigned char>(word[0]));
  for (unsigned char letter : word)
    plain = plain && isgraph(letter);
  return plain ? std::string(word) : "";
}

std::string bzimage_release(std::string_view image)
{
  require_bzimage(image);
  // The field counts from the end of the boot sector.
  auto at = field<uint16_t>(image, version_text_at);
  std::optional<std::string_view> text = at ? text_at(image, at + uint64_t{0x200}) : std::nullopt;
  std::string release = text ? release_in(*text) : "";
  if (release.empty())
    throw image_error("has no release in its setup header");
  return release;
}

static std::string_view payload(std::string_view image)
{
  require_bzimage(image);
  if (field<uint16_t>(image, protocol_at) < 0x208)
    throw unsupported_image("is older than boot protocol 2.08");
  auto sectors = field<uint8_t>(image, setup_sectors_at);
  uint64_t from = (uint64_t{sectors ? sectors : 4u} + 1) * 512;
  auto part = slice(image, from + field<uint32_t>(image, payload_offset_at),
                    field<uint32_t>(image, payload_length_at));
  if (!part || part->size() < 8)
    throw image_error("is cut short (its payload lies outside the file)");
  return *part;
}

// The build appends the uncompressed size to the payload; gzip ends with one of its own.
static std::string inflate(std::string_view compressed)
{
  if (compressed.starts_with("\x89LZO"))
    throw unsupported_image("is compressed by LZO, which is not supported");
  auto size = *read_at<uint32_t>(compressed, compressed.size() - 4);
  if (!compressed.starts_with("\x1f\x8b"))
    compressed.remove_suffix(4);
  if (size > largest_vmlinux)
    throw image_error("has a damaged payload (its size)");
  std::string elf;
  try {
    elf = decompress(compressed, size);
  } catch (const archive_error &failure) {
    throw image_error(fmt::format("has a damaged payload ({})", failure.what()));
  }
  if (elf.size() != size)
    throw image_error(fmt::format("has a damaged payload ({} of {} bytes)", elf.size(), size));
  return elf;
}

std::string extract_vmlinux(std::string_view image)
{
  std::string elf = inflate(payload(image));
  if (!ElfFile::is_elf(elf))
    throw image_error("holds no ELF");
  return elf;
}

static void read_notes(const ElfFile &elf, VmlinuxFacts &facts)
{
  elf.each_note([&](const ElfNote &note) {
    if (note.owner == "GNU" && note.type == NT_GNU_BUILD_ID)
      facts.build_id = to_hex(note.content);
    // XEN_ELFNOTE_PHYS32_ENTRY
    if (note.owner == "Xen" && note.type == 18)
      facts.has_pvh = true;
  });
}

static std::string find_release(std::string_view content)
{
  constexpr std::string_view banner = "Linux version ";
  for (size_t at = 0; (at = content.find(banner, at)) != std::string_view::npos;) {
    at += banner.size();
    if (std::string release = release_in(content.substr(at, 80)); !release.empty())
      return release;
  }
  return "";
}

static std::string find_config(std::string_view content)
{
  constexpr std::string_view start = "IKCFG_ST\x1f\x8b", end = "IKCFG_ED";
  size_t from = content.find(start);
  if (from == std::string_view::npos)
    return "";
  from += start.size() - 2;
  size_t to = content.find(end, from);
  if (to == std::string_view::npos)
    return "";
  try {
    return decompress(content.substr(from, to - from), 16u << 20);
  } catch (const archive_error &failure) {
    throw image_error(fmt::format("has a damaged configuration ({})", failure.what()));
  }
}

VmlinuxFacts read_vmlinux(std::string_view bytes)
{
  try {
    ElfFile elf(bytes);
    if (elf.machine() != EM_X86_64)
      throw image_error("is no ELF for x86-64");
    VmlinuxFacts facts;
    read_notes(elf, facts);
    for (const Elf64_Phdr &segment : elf.segments()) {
      if (segment.p_type != PT_LOAD)
        continue;
      std::string_view content = elf.content(segment);
      if (facts.release.empty())
        facts.release = find_release(content);
      if (facts.config.empty())
        facts.config = find_config(content);
    }
    return facts;
  } catch (const elf_error &failure) {
    throw image_error(failure.what());
  }
}

static std::string unquoted(std::string_view value)
{
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return std::string(value);
}

std::map<std::string, std::string> parse_config(std::string_view text)
{
  std::map<std::string, std::string> config;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    size_t equals = line.find('=');
    if (line.starts_with("CONFIG_") && equals != std::string_view::npos)
      config[std::string(line.substr(0, equals))] = unquoted(line.substr(equals + 1));
  }
  return config;
}

} // namespace vmtest
