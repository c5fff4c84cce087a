// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/lib/elf_file.h"

namespace vmtest
{

std::optional<std::string> module_info(std::string_view module, std::string_view name)
{
  try {
    std::string_view info = ElfFile(module).section(".modinfo").value_or("");
    while (!info.empty()) {
      size_t end = std::min(info.find('\0'), info.size());
      std::string_view entry = info.substr(0, end);
      info.remove_prefix(std::min(end + 1, info.size()));
      if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
        return std::string(entry.substr(name.size() + 1));
    }
    return std::nullopt;
  } catch (const elf_error &failure) {
    throw module_error(failure.what());
  }
}

std::string module_name(const std::filesystem::path &path)
{
  std::string name = path.filename();
  name.resize(std::min(name.find(".ko"), name.size()));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

namespace
{

using ReadModule = std::function<std::optional<std::string>(const std::string &)>;

// Depth first; a module that is met again while its own dependencies are walked closes a circle.
class Order {
public:
  explicit Order(const ReadModule &read) : x_read(read) {}

  bool add(const std::string &name)
  {
    auto [at, fresh] = x_done.try_emplace(name, false);
    if (!fresh && !at->second)
      throw module_error(fmt::format("module {} depends on itself", name));
    if (!fresh)
      return true;
    std::optional<std::string> module = x_read(name);
    if (!module) {
      x_done.erase(name);
      return false;
    }
    add_dependencies(name, *module);
    x_done[name] = true;
    names.push_back(name);
    return true;
  }

  std::vector<std::string> names;

private:
  void add_dependencies(const std::string &name, const std::string &module)
  {
    std::string depends;
    try {
      depends = module_info(module, "depends").value_or("");
    } catch (const module_error &failure) {
      throw module_error(fmt::format("module {}: {}", name, failure.what()));
    }
    for (size_t from = 0; from < depends.size();) {
      size_t to = std::min(depends.find(',', from), depends.size());
      std::string needed = module_name(depends.substr(from, to - from));
      if (!needed.empty() && !add(needed))
        throw module_error(fmt::format("module {} needs {}, which is not there", name, needed));
      from = to + 1;
    }
  }

  const ReadModule &x_read;
  std::map<std::string, bool> x_done;
};

} // namespace

std::vector<std::string> insertion_order(const std::vector<std::string> &wanted,
                                         const ReadModule &read)
{
  Order order(read);
  for (const std::string &name : wanted)
    order.add(module_name(name));
  return order.names;
}

} // namespace vmtest
