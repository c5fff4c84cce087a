// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "tools/lib/hash.h"

namespace gate
{

static constexpr std::array class_members = {"cpu_model", "cpus", "arch", "hypervisor",
                                             "accelerator"};
// With these on one side only, every op costs something else: JIT, its hardening and run-time
// statistics by nanoseconds, the clock by what reading it takes, caches by where a map fits.
static constexpr std::array refused_members = {"cpu_model",   "cpus",   "arch",       "hypervisor",
                                               "accelerator", "jit",    "jit_harden", "bpf_stats",
                                               "clocksource", "caches", "vm.cpu",     "vm.model"};
// Differ between two boots of one machine, or from minute to minute.
static constexpr std::array recorded_members = {"load",         "mhz",      "cpu_mhz",
                                                "bogomips",     "hostname", "memory_mib",
                                                "vm.initramfs", "vm.seed",  "vm.seeds"};

static std::string shown(const Value *value) { return value ? value->shown() : "unknown"; }

static const Value *find(const Value &object, const std::string &name)
{
  const Value *found = object.find(name);
  return found && !found->is_null() ? found : nullptr;
}

static void compare_member(const std::string &name, const Value *base, const Value *comp,
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
  // An older bench did not look at all of it.
  bool unknown = (!base && comp && comp->is_object()) || (!comp && base && base->is_object());
  if (unknown || shown(base) == shown(comp) || fingerprint_class(name) == FingerprintClass::Record)
    return;
  std::string line = fmt::format("{}: {} against {}", name, shown(base), shown(comp));
  bool refused = base && comp && fingerprint_class(name) == FingerprintClass::Refuse;
  (refused ? differences.refused : differences.warned).push_back(line);
}

FingerprintClass fingerprint_class(const std::string &member)
{
  auto is_of = [&](const auto &members) {
    return std::any_of(members.begin(), members.end(), [&](const std::string &each) {
      return member == each || member.starts_with(each + ".");
    });
  };
  if (is_of(refused_members))
    return FingerprintClass::Refuse;
  return is_of(recorded_members) ? FingerprintClass::Record : FingerprintClass::Warn;
}

const char *to_string(FingerprintClass kind)
{
  static constexpr std::array names = {"refuse", "warn", "record"};
  return names[static_cast<size_t>(kind)];
}

static void add_lines(const std::string &name, const Value &value, std::vector<std::string> &lines)
{
  if (!value.is_object())
    return lines.push_back(fmt::format("{}: {}", name, shown(&value)));
  for (const auto &[member, each] : value.items())
    add_lines(name + "." + member, each, lines);
}

std::vector<std::string> fingerprint_lines(const Value &environment, FingerprintClass kind)
{
  std::vector<std::string> lines;
  std::vector<std::string> all;
  for (const auto &[name, value] : environment.items())
    add_lines(name, value, all);
  for (std::string &line : all)
    if (fingerprint_class(line.substr(0, line.find(':'))) == kind)
      lines.push_back(std::move(line));
  return lines;
}

Differences compare_environments(const Value &base, const Value &comp)
{
  Differences differences;
  std::set<std::string> names;
  for (const Value *side : {&base, &comp})
    for (const auto &[name, value] : side->items())
      names.insert(name);
  for (const std::string &name : names)
    compare_member(name, find(base, name), find(comp, name), differences);
  return differences;
}

std::string class_name(const Value &environment)
{
  std::string full, name;
  for (const char *member : class_members) {
    const Value *value = find(environment, member);
    full += shown(value) + "\n";
    for (unsigned char c : value ? shown(value) : "")
      if (std::isalnum(c))
        name += static_cast<char>(std::tolower(c));
      else if (!name.empty() && name.back() != '-')
        name += '-';
    if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return name.substr(0, 80) + sha1_hex(full).substr(0, 8);
}

bool same_kernel(const Value &base, const Value &comp)
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
