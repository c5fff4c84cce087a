// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/model/machine.h"

#define TOML_HEADER_ONLY 1
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace model
{

static constexpr std::array policies = {"lru", "pseudo-lru", "fifo"};
static constexpr std::array prefetches = {"none", "next-line", "stride"};

namespace
{

// A table of the file: what is not asked for by name is a mistake in writing.
class Section {
public:
  Section(const toml::table &table, std::string name, const std::string &where)
      : x_table(table), x_name(std::move(name)), x_where(where)
  {
  }

  void number(const char *key, auto &value, uint64_t least, uint64_t most)
  {
    const toml::node *node = find(key);
    if (!node)
      return;
    auto given = node->is_integer() ? node->value<int64_t>() : std::nullopt;
    if (!given || *given < 0 || static_cast<uint64_t>(*given) < least ||
        static_cast<uint64_t>(*given) > most)
      complain(*node, fmt::format("'{}' is no whole number from {} to {}", path(key), least, most));
    value = static_cast<std::remove_reference_t<decltype(value)>>(*given);
  }

  template <class Word> void word(const char *key, Word &value, const auto &words)
  {
    const toml::node *node = find(key);
    if (!node)
      return;
    auto given = node->value<std::string>();
    auto found = std::find(words.begin(), words.end(), given.value_or(""));
    if (found == words.end())
      complain(*node, fmt::format("'{}' is none of {}", path(key), fmt::join(words, ", ")));
    value = static_cast<Word>(found - words.begin());
  }

  void text(const char *key, std::string &value, size_t most)
  {
    const toml::node *node = find(key);
    if (!node)
      return;
    auto given = node->value<std::string>();
    if (!given || given->empty() || given->size() > most)
      complain(*node, fmt::format("'{}' is no text of 1 to {} bytes", path(key), most));
    value = *given;
  }

  std::optional<Section> section(const char *key)
  {
    const toml::node *node = find(key);
    if (!node)
      return std::nullopt;
    if (!node->is_table())
      complain(*node, fmt::format("'{}' is no table", path(key)));
    return Section(*node->as_table(), key, x_where);
  }

  void end() const
  {
    for (const auto &[key, node] : x_table)
      if (!x_known.count(std::string(key.str())))
        complain(node, fmt::format("'{}' is unknown; it may be {}", path(key.str()),
                                   fmt::join(x_known, ", ")));
  }

  [[noreturn]] void complain(const std::string &what) const { complain(x_table, what); }
  const std::string &name() const { return x_name; }

private:
  const toml::node *find(const char *key)
  {
    x_known.insert(key);
    return x_table.get(key);
  }
  std::string path(std::string_view key) const
  {
    return x_name.empty() ? std::string(key) : fmt::format("{}.{}", x_name, key);
  }
  [[noreturn]] void complain(const toml::node &node, const std::string &what) const
  {
    throw machine_error(fmt::format("{}: line {}: {}", x_where, node.source().begin.line, what));
  }

  const toml::table &x_table;
  std::string x_name;
  const std::string &x_where;
  std::set<std::string> x_known;
};

} // namespace

static void read_cache(Section &top, const char *name, CacheShape &shape, unsigned line,
                       bool optional)
{
  auto section = top.section(name);
  if (!section)
    return;
  uint64_t kib = shape.bytes >> 10;
  section->number("kib", kib, optional ? 0 : 1, 1 << 20);
  section->number("ways", shape.ways, 1, 64);
  section->word("policy", shape.policy, policies);
  section->end();
  shape.bytes = kib << 10;
  if (shape.bytes % (uint64_t(line) * shape.ways))
    section->complain(
        fmt::format("'{}': {} KiB are no whole number of sets of {} lines of {} bytes", name, kib,
                    shape.ways, line));
  if (shape.policy == Policy::PseudoLru && !std::has_single_bit(shape.ways))
    section->complain(fmt::format("'{}': pseudo-lru needs a power of two of ways", name));
}

static void read_tlb(Section &top, const char *name, TlbShape &shape)
{
  auto section = top.section(name);
  if (!section)
    return;
  section->number("entries", shape.entries, 1, 65536);
  section->number("ways", shape.ways, 1, 4096);
  section->end();
  if (shape.entries % shape.ways)
    section->complain(fmt::format("'{}': {} entries are no whole number of sets of {}", name,
                                  shape.entries, shape.ways));
}

static Machine read_machine(const toml::table &table, const std::string &where)
{
  Machine machine;
  machine.name = where;
  Section top(table, "", where);
  top.text("name", machine.name, 60);
  top.number("line", machine.line, 16, 256);
  if (!std::has_single_bit(machine.line))
    top.complain("'line' is no power of two");
  read_cache(top, "l1i", machine.l1i, machine.line, false);
  read_cache(top, "l1d", machine.l1d, machine.line, false);
  read_cache(top, "l2", machine.l2, machine.line, false);
  read_cache(top, "l3", machine.l3, machine.line, true);
  read_tlb(top, "itlb", machine.itlb);
  read_tlb(top, "dtlb", machine.dtlb);
  read_tlb(top, "second_tlb", machine.second_tlb);
  top.word("prefetch", machine.prefetch, prefetches);
  if (auto branches = top.section("branches")) {
    branches->number("conditional_bits", machine.conditional_bits, 1, 24);
    branches->number("indirect_bits", machine.indirect_bits, 1, 24);
    branches->number("return_entries", machine.return_entries, 1, 4096);
    branches->end();
  }
  top.end();
  return machine;
}

Machine parse_machine(const std::string &text, const std::string &where)
{
  try {
    return read_machine(toml::parse(text), where);
  } catch (const toml::parse_error &error) {
    throw machine_error(fmt::format("{}: line {}: {}", where, error.source().begin.line,
                                    std::string(error.description())));
  }
}

static std::string cache_text(const char *name, const CacheShape &shape)
{
  return fmt::format("[{}]\nkib = {}\nways = {}\npolicy = '{}'\n", name, shape.bytes >> 10,
                     shape.ways, policies.at(static_cast<size_t>(shape.policy)));
}

static std::string tlb_text(const char *name, const TlbShape &shape)
{
  return fmt::format("[{}]\nentries = {}\nways = {}\n", name, shape.entries, shape.ways);
}

// A name with quotes in it would end the text early.
static std::string plain(std::string name)
{
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '\'' || c < ' '; }, '_');
  return name.substr(0, 60);
}

std::string to_text(const Machine &machine)
{
  return fmt::format("name = '{}'\nline = {}\nprefetch = '{}'\n", plain(machine.name), machine.line,
                     prefetches.at(static_cast<size_t>(machine.prefetch))) +
         cache_text("l1i", machine.l1i) + cache_text("l1d", machine.l1d) +
         cache_text("l2", machine.l2) + cache_text("l3", machine.l3) +
         tlb_text("itlb", machine.itlb) + tlb_text("dtlb", machine.dtlb) +
         tlb_text("second_tlb", machine.second_tlb) +
         fmt::format("[branches]\nconditional_bits = {}\nindirect_bits = {}\nreturn_entries = {}\n",
                     machine.conditional_bits, machine.indirect_bits, machine.return_entries);
}

// docs/model.md has the source of each figure. L3 of one complex, predictors of generic.
static Machine zen5()
{
  Machine machine;
  machine.name = "amd-zen5";
  machine.l1i = {32 << 10, 8};
  machine.l1d = {48 << 10, 12};
  machine.l2 = {1 << 20, 16};
  machine.l3 = {32 << 20, 16};
  machine.itlb = {64, 64};
  machine.dtlb = {96, 96};
  machine.second_tlb = {4096, 16};
  machine.return_entries = 52;
  return machine;
}

// docs/model.md, too. L2 and L3 (one slice) of Sapphire Rapids, predictors of generic.
static Machine golden_cove()
{
  Machine machine;
  machine.name = "intel-golden-cove";
  machine.l1i = {32 << 10, 8};
  machine.l1d = {48 << 10, 12};
  machine.l2 = {2 << 20, 16};
  machine.l3 = {1920 << 10, 15};
  machine.itlb = {256, 8};
  machine.dtlb = {96, 6};
  machine.second_tlb = {2048, 16};
  return machine;
}

std::vector<std::string> preset_names()
{
  return {Machine().name, zen5().name, golden_cove().name, "host"};
}

static std::string word_in(const std::string &path)
{
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

// "48K", "1024K", "32M"
static uint64_t bytes_in(const std::string &path)
{
  std::string word = word_in(path);
  char unit = word.empty() ? ' ' : word.back();
  uint64_t number = strtoull(word.c_str(), nullptr, 10);
  return number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

static CacheShape read_index(const std::string &index, unsigned line)
{
  CacheShape shape{bytes_in(index + "/size"),
                   static_cast<unsigned>(bytes_in(index + "/ways_of_associativity"))};
  if (!shape.ways || !shape.bytes || shape.bytes % (uint64_t(line) * shape.ways))
    throw machine_error(fmt::format("{}: does not tell a cache's size and ways", index));
  return shape;
}

Machine read_host(const std::string &directory)
{
  Machine machine;
  machine.name = "host";
  machine.l3.bytes = 0;
  std::set<std::string> found;
  for (unsigned i = 0; !word_in(fmt::format("{}/index{}/level", directory, i)).empty(); i++) {
    std::string index = fmt::format("{}/index{}", directory, i);
    std::string name = "l" + word_in(index + "/level");
    if (name == "l1")
      name += word_in(index + "/type") == "Instruction" ? "i" : "d";
    for (auto [known, shape] : {std::pair{"l1i", &machine.l1i},
                                {"l1d", &machine.l1d},
                                {"l2", &machine.l2},
                                {"l3", &machine.l3}})
      if (name == known) {
        *shape = read_index(index, machine.line);
        found.insert(name);
      }
  }
  for (const char *needed : {"l1i", "l1d", "l2"})
    if (!found.count(needed))
      throw machine_error(fmt::format("{}: tells of no {} cache", directory, needed));
  return machine;
}

std::string read_text(const std::string &path)
{
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw machine_error(fmt::format("{}: cannot be read", path));
  return text.str();
}

Machine find_machine(const std::string &name)
{
  for (const Machine &preset : {Machine(), zen5(), golden_cove()})
    if (preset.name == name)
      return preset;
  if (name == "host")
    return read_host("/sys/devices/system/cpu/cpu0/cache");
  if (name.ends_with(".toml"))
    return parse_machine(read_text(name), name);
  throw machine_error(fmt::format("'{}' is no model: it may be {}, or a file that ends in .toml",
                                  name, fmt::join(preset_names(), ", ")));
}

} // namespace model
