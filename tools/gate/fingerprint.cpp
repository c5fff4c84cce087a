// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/fingerprint.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <set>

#include "tools/gate/hash.h"

namespace gate
{

using result::json;

static constexpr std::array class_members = {"cpu_model", "cpus", "arch", "hypervisor",
                                             "accelerator"};
// With JIT or run-time statistics on one side only, every op costs something else.
static constexpr std::array refused_members = {"cpu_model",   "cpus", "arch",      "hypervisor",
                                               "accelerator", "jit",  "bpf_stats", "vm.cpu"};
static constexpr std::array ignored_members = {"load",     "mhz",          "cpu_mhz", "bogomips",
                                               "hostname", "vm.initramfs", "vm.seed", "vm.seeds"};

template <class Names> static bool contains(const Names &names, const std::string &name)
{
  for (const char *each : names)
    if (name == each)
      return true;
  return false;
}

static std::string shown(const json *value)
{
  if (!value)
    return "unknown";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

static const json *find(const json &object, const std::string &name)
{
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

static void compare_member(const std::string &name, const json *base, const json *comp,
                           Differences &differences)
{
  if (base && comp && base->is_object() && comp->is_object()) {
    for (const auto &[member, value] : base->items())
      compare_member(name + "." + member, &value, find(*comp, member), differences);
    for (const auto &[member, value] : comp->items())
      if (!find(*base, member))
        compare_member(name + "." + member, nullptr, &value, differences);
    return;
  }
  if (shown(base) == shown(comp) || contains(ignored_members, name))
    return;
  std::string line = fmt::format("{}: {} against {}", name, shown(base), shown(comp));
  bool refused = base && comp && contains(refused_members, name);
  (refused ? differences.refused : differences.warned).push_back(line);
}

Differences compare_environments(const json &base, const json &comp)
{
  Differences differences;
  std::set<std::string> names;
  for (const json *side : {&base, &comp})
    for (const auto &[name, value] : side->items())
      names.insert(name);
  for (const std::string &name : names)
    compare_member(name, find(base, name), find(comp, name), differences);
  return differences;
}

std::string class_name(const json &environment)
{
  std::string full, name;
  for (const char *member : class_members) {
    const json *value = find(environment, member);
    full += shown(value) + "\n";
    for (unsigned char c : value ? shown(value) : "")
      if (std::isalnum(c))
        name += static_cast<char>(std::tolower(c));
      else if (!name.empty() && name.back() != '-')
        name += '-';
    if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return name.substr(0, 80) + content_hash(full).substr(0, 8);
}

bool same_kernel(const json &base, const json &comp)
{
  for (const char *member : {"kernel", "kernel_version"})
    if (shown(find(base, member)) != shown(find(comp, member)))
      return false;
  return true;
}

std::string joined(const std::vector<std::string> &parts, const char *separator)
{
  return fmt::format("{}", fmt::join(parts, separator));
}

} // namespace gate
