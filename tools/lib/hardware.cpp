// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/hardware.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <string_view>

#include "tools/lib/hash.h"
#include "tools/lib/text.h"

Value cache_sizes()
{
  Value sizes = Value::object();
  for (int i = 0;; i++) {
    std::string directory = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    auto level = read_small_file(directory + "level"), type = read_small_file(directory + "type");
    auto size = read_small_file(directory + "size");
    if (!level || !type || !size)
      return sizes;
    std::string suffix = *type == "Data" ? "d" : *type == "Instruction" ? "i" : "";
    sizes[fmt::format("L{}{}", *level, suffix)] = *size;
  }
}

// The GNU build ID in one segment of notes; empty without one.
static std::string build_id_in(const char *notes, size_t size)
{
  auto aligned = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes, sizeof(note));
    size_t name = sizeof(note), contents = name + aligned(note.n_namesz);
    size_t end = contents + aligned(note.n_descsz);
    if (end > size)
      return "";
    if (note.n_type == NT_GNU_BUILD_ID && std::string_view(notes + name, 3) == "GNU")
      return to_hex({notes + contents, note.n_descsz});
    notes += end;
    size -= end;
  }
  return "";
}

static std::string build_id(const dl_phdr_info &object)
{
  std::string id;
  for (int i = 0; i < object.dlpi_phnum && id.empty(); i++)
    if (const auto &header = object.dlpi_phdr[i]; header.p_type == PT_NOTE)
      id = build_id_in(reinterpret_cast<const char *>(object.dlpi_addr + header.p_vaddr),
                       header.p_memsz);
  return id;
}

static int add_library(dl_phdr_info *object, size_t, void *out)
{
  std::string path = object->dlpi_name ? object->dlpi_name : "";
  size_t slash = path.rfind('/');
  if (slash == path.npos) // the program itself, and the vDSO
    return 0;
  if (std::string id = build_id(*object); !id.empty())
    (*static_cast<Value *>(out))[path.substr(slash + 1)] = id;
  return 0;
}

Value shared_libraries()
{
  Value libraries = Value::object();
  dl_iterate_phdr(add_library, &libraries);
  return libraries;
}

std::string chosen_in_brackets(const std::string &text)
{
  size_t begin = text.find('['), end = text.find(']', begin == text.npos ? 0 : begin);
  return begin == text.npos || end == text.npos ? "" : text.substr(begin + 1, end - begin - 1);
}
