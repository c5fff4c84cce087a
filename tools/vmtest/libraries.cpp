// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/libraries.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <system_error>

#include "tools/lib/elf_file.h"
#include "tools/vmtest/mapped_file.h"

namespace fs = std::filesystem;

namespace vmtest
{

namespace
{

// What the dynamic section of an object says.
struct Dynamic {
  uint16_t machine = 0;
  std::string loader;
  std::vector<std::string> needed;
  std::vector<std::string> rpath, runpath;
};

// An object on the way, and who needs it: RPATH is inherited.
struct Object {
  GuestFile file;
  Dynamic dynamic;
  const Object *needed_by = nullptr;
};

} // namespace

static std::vector<std::string> split(std::string_view text)
{
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(':'), text.size());
    if (end > 0)
      parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

static std::vector<Elf64_Dyn> dynamic_entries(const ElfFile &elf)
{
  std::vector<Elf64_Dyn> entries;
  for (const Elf64_Phdr &segment : elf.segments()) {
    if (segment.p_type != PT_DYNAMIC)
      continue;
    std::string_view bytes = elf.content(segment);
    for (size_t at = 0; auto entry = read_at<Elf64_Dyn>(bytes, at); at += sizeof(Elf64_Dyn)) {
      if (entry->d_tag == DT_NULL)
        break;
      entries.push_back(*entry);
    }
  }
  return entries;
}

static Dynamic parse_dynamic(std::string_view bytes)
{
  ElfFile elf(bytes);
  Dynamic found = {.machine = elf.machine()};
  for (const Elf64_Phdr &segment : elf.segments())
    if (segment.p_type == PT_INTERP)
      found.loader = text_at(elf.content(segment), 0).value_or("");
  std::vector<Elf64_Dyn> entries = dynamic_entries(elf);
  std::string_view strings;
  for (const Elf64_Dyn &entry : entries)
    if (entry.d_tag == DT_STRTAB)
      strings = elf.at_address(entry.d_un.d_ptr);
  for (const Elf64_Dyn &entry : entries) {
    bool text = entry.d_tag == DT_NEEDED || entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH;
    std::optional<std::string_view> value = text ? text_at(strings, entry.d_un.d_val) : "";
    if (!value)
      throw elf_error("damaged ELF (a name outside its strings)");
    if (entry.d_tag == DT_NEEDED)
      found.needed.emplace_back(*value);
    if (entry.d_tag == DT_RPATH)
      found.rpath = split(*value);
    if (entry.d_tag == DT_RUNPATH)
      found.runpath = split(*value);
  }
  return found;
}

static Dynamic read_dynamic(const fs::path &path)
{
  MappedFile file(path);
  try {
    return parse_dynamic(file.bytes());
  } catch (const elf_error &failure) {
    throw library_error(fmt::format("'{}' is {}", path.string(), failure.what()));
  }
}

// Names and their paths from the loader's cache, best first: the entries for any CPU. The format is
// that of glibc's sysdeps/generic/dl-cache.h: a header, then entries with offsets of two strings.
static std::map<std::string, std::vector<std::string>> parse_cache(std::string_view bytes)
{
  struct Entry {
    int32_t flags;
    uint32_t key, value, unused;
    uint64_t hwcap;
  };
  constexpr std::string_view magic = "glibc-ld.so.cache1.1";
  constexpr uint64_t header_size = 48;
  std::map<std::string, std::vector<std::string>> paths;
  // Before glibc 2.32 there is an older cache in front of it.
  size_t from = bytes.find(magic);
  if (from == std::string_view::npos)
    return paths;
  bytes.remove_prefix(from);
  uint32_t count = read_at<uint32_t>(bytes, magic.size()).value_or(0);
  for (uint64_t i = 0; i < count; i++) {
    std::optional<Entry> entry = read_at<Entry>(bytes, header_size + i * sizeof(Entry));
    auto key = entry ? text_at(bytes, entry->key) : std::nullopt;
    auto value = entry ? text_at(bytes, entry->value) : std::nullopt;
    if (!key || !value)
      break;
    if (entry->hwcap == 0)
      paths[std::string(*key)].emplace_back(*value);
  }
  return paths;
}

static std::map<std::string, std::vector<std::string>> read_cache()
{
  std::error_code error;
  if (!fs::exists("/etc/ld.so.cache", error))
    return {};
  return parse_cache(MappedFile("/etc/ld.so.cache").bytes());
}

namespace
{

class Search {
public:
  explicit Search(const GuestFile &executable)
  {
    add(executable, nullptr);
    const Object &first = *x_objects.front();
    if (first.dynamic.loader.empty())
      return;
    x_loader_directory = fs::canonical(first.dynamic.loader).parent_path();
    found.push_back({first.dynamic.loader, first.dynamic.loader});
    x_known.insert(fs::path(first.dynamic.loader).filename());
    // Breadth first, as the loader does; the list grows on the way.
    for (size_t i = 0; i < x_objects.size(); i++)
      for (const std::string &name : x_objects[i]->dynamic.needed)
        resolve(name, *x_objects[i]);
  }

  std::vector<GuestFile> found;

private:
  void add(const GuestFile &file, const Object *needed_by)
  {
    x_objects.push_back(std::make_unique<Object>(Object{file, read_dynamic(file.host), needed_by}));
  }

  void resolve(const std::string &name, const Object &object)
  {
    if (!x_known.insert(name).second)
      return;
    std::optional<GuestFile> file =
        name.find('/') != std::string::npos ? GuestFile{name, name} : locate(name, object);
    if (!file)
      throw library_error(fmt::format("'{}' needs the library {}, which was not found",
                                      object.file.host.string(), name));
    found.push_back(*file);
    add(*file, &object);
  }

  std::optional<GuestFile> locate(const std::string &name, const Object &object)
  {
    if (object.dynamic.runpath.empty())
      for (const Object *each = &object; each; each = each->needed_by)
        if (each->dynamic.runpath.empty())
          if (auto file = in_run_path(name, *each, each->dynamic.rpath))
            return file;
    const char *environment = getenv("LD_LIBRARY_PATH");
    for (const std::string &directory : split(environment ? environment : ""))
      if (usable(fs::path(directory) / name))
        return moved(fs::absolute(fs::path(directory) / name), name);
    if (auto file = in_run_path(name, object, object.dynamic.runpath))
      return file;
    if (auto at = x_cache.find(name); at != x_cache.end())
      for (const std::string &path : at->second)
        if (usable(path))
          return moved(path, name);
    for (const fs::path &directory :
         {x_loader_directory, fs::path("/lib64"), fs::path("/usr/lib64"), fs::path("/lib"),
          fs::path("/usr/lib")})
      if (usable(directory / name))
        return moved(directory / name, name);
    return std::nullopt;
  }

  GuestFile moved(const fs::path &host, const std::string &name) const
  {
    return {host, x_loader_directory / name};
  }

  std::optional<GuestFile> in_run_path(const std::string &name, const Object &object,
                                       const std::vector<std::string> &directories) const
  {
    for (const std::string &directory : directories) {
      fs::path host = expanded(directory, fs::canonical(object.file.host).parent_path()) / name;
      if (usable(host))
        return GuestFile{host, expanded(directory, object.file.guest.parent_path()) / name};
    }
    return std::nullopt;
  }

  static fs::path expanded(std::string directory, const fs::path &origin)
  {
    for (const std::string variable : {"$ORIGIN", "${ORIGIN}"})
      for (size_t at = 0; (at = directory.find(variable, at)) != std::string::npos;) {
        directory.replace(at, variable.size(), origin.string());
        at += origin.string().size();
      }
    return fs::path(directory).lexically_normal();
  }

  // A library for another machine is passed over.
  bool usable(const fs::path &path) const
  {
    std::error_code error;
    if (!fs::is_regular_file(path, error))
      return false;
    try {
      MappedFile file(path);
      return ElfFile(file.bytes()).machine() == x_objects.front()->dynamic.machine;
    } catch (const std::runtime_error &) {
      return false;
    }
  }

  std::vector<std::unique_ptr<Object>> x_objects;
  std::set<std::string> x_known;
  fs::path x_loader_directory;
  std::map<std::string, std::vector<std::string>> x_cache = read_cache();
};

} // namespace

std::vector<GuestFile> find_libraries(const GuestFile &executable)
{
  return Search(executable).found;
}

} // namespace vmtest
