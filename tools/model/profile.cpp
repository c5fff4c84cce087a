// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/model/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace model
{

const std::array<const char *, nr_events> event_names = {
    "insns",     "loads",     "stores",     "lines", "l1i_misses", "l1d_misses",
    "l2_misses", "l3_misses", "tlb_misses", "walks", "branches",   "mispredicted"};

void add(Counts &to, const Counts &more)
{
  for (unsigned i = 0; i < nr_events; i++)
    to[i] += more[i];
}

static std::string_view take_word(std::string_view &line)
{
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

// "bpf_prog_6deef7357e7b4530_lookup" is lookup; old kernels have no name there.
static std::string_view bpf_name(std::string_view name)
{
  constexpr std::string_view prefix = "bpf_prog_";
  constexpr size_t tag = 16;
  return name.starts_with(prefix) && name.size() > prefix.size() + tag + 1
             ? name.substr(prefix.size() + tag + 1)
             : name;
}

static constexpr std::string_view of_programs = "[bpf]";

Symbols::Symbols(std::string_view kallsyms) { add(kallsyms); }

void Symbols::renew_programs(std::string_view kallsyms)
{
  std::erase_if(x_names, [](const auto &entry) { return entry.second.ends_with(of_programs); });
  add(kallsyms);
}

void Symbols::add(std::string_view kallsyms)
{
  constexpr std::string_view of_functions = "tTwW";
  while (!kallsyms.empty()) {
    std::string_view line = kallsyms.substr(0, kallsyms.find('\n'));
    kallsyms.remove_prefix(std::min(kallsyms.size(), line.size() + 1));
    std::string_view address = take_word(line), type = take_word(line), name = take_word(line),
                     module = take_word(line);
    uint64_t value = 0;
    auto [end, error] = std::from_chars(address.data(), address.data() + address.size(), value, 16);
    if (error != std::errc() || !value || name.empty() || type.size() != 1 ||
        of_functions.find(type[0]) == std::string_view::npos)
      continue;
    if (module == of_programs)
      name = bpf_name(name);
    x_names.emplace_back(value,
                         module.empty() ? std::string(name) : fmt::format("{} {}", name, module));
  }
  // Of several names at one address the first in the file.
  std::stable_sort(x_names.begin(), x_names.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
}

std::string Symbols::name_of(uint64_t address) const
{
  if (address >> 63 == 0)
    return "[user]";
  auto after = std::upper_bound(x_names.begin(), x_names.end(), address,
                                [](uint64_t a, const auto &entry) { return a < entry.first; });
  if (after == x_names.begin())
    return fmt::format("{:#x}", address);
  uint64_t start = std::prev(after)->first;
  auto first = std::lower_bound(x_names.begin(), after, start,
                                [](const auto &entry, uint64_t a) { return entry.first < a; });
  return first->second;
}

NamedProfile::Node &NamedProfile::child(Node &parent, const std::string &name)
{
  auto &node = parent.children[name];
  if (!node)
    node = std::make_unique<Node>();
  return *node;
}

static void fold(const NamedProfile::Node &node, const std::string &stack, Event event,
                 std::string &out)
{
  if (node.self[event] && !stack.empty())
    out += fmt::format("{} {}\n", stack, node.self[event]);
  for (const auto &[name, child] : node.children)
    fold(*child, stack.empty() ? name : stack + ";" + name, event, out);
}

std::string NamedProfile::folded(Event event) const
{
  std::string out;
  fold(x_root, "", event, out);
  return out;
}

namespace
{

struct Edge {
  uint64_t calls = 0;
  Counts inclusive{};
};

struct Function {
  Counts self{};
  std::map<std::string, Edge> callees;
};

} // namespace

static Counts gather(const NamedProfile::Node &node, const std::string &name,
                     std::map<std::string, Function> &functions)
{
  Counts inclusive = node.self;
  add(functions[name].self, node.self);
  for (const auto &[callee, child] : node.children) {
    Counts below = gather(*child, callee, functions);
    if (!name.empty()) {
      Edge &edge = functions[name].callees[callee];
      edge.calls += child->calls;
      add(edge.inclusive, below);
    }
    add(inclusive, below);
  }
  return inclusive;
}

static std::string counts_text(const Counts &counts)
{
  std::string text;
  for (uint64_t count : counts)
    text += fmt::format(" {}", count);
  return text;
}

std::string NamedProfile::callgrind(const std::string &subject) const
{
  std::map<std::string, Function> functions;
  Counts all = gather(x_root, "", functions);
  functions.erase("");
  std::string out = fmt::format("# callgrind format\nversion: 1\ncreator: bpfgate\ncmd: {}\n"
                                "positions: line\nevents:",
                                subject);
  for (const char *name : event_names)
    out += fmt::format(" {}", name);
  // Of files nothing is known, which is written so.
  out += fmt::format("\nsummary:{}\n\nfl=???\n", counts_text(all));
  for (const auto &[name, function] : functions) {
    out += fmt::format("\nfn={}\n0{}\n", name, counts_text(function.self));
    for (const auto &[callee, edge] : function.callees)
      out +=
          fmt::format("cfn={}\ncalls={} 0\n0{}\n", callee, edge.calls, counts_text(edge.inclusive));
  }
  return out;
}

uint32_t Profile::child(uint32_t node, uint64_t entry)
{
  auto [found, fresh] =
      x_nodes[node].children.try_emplace(entry, static_cast<uint32_t>(x_nodes.size()));
  uint32_t index = found->second;
  if (fresh)
    x_nodes.push_back({node, entry, 0, {}, {}});
  return index;
}

Counts &Profile::at(uint32_t node, uint64_t block)
{
  Counts *&counts = x_nodes[node].blocks[block];
  if (!counts)
    counts = &x_counts.emplace_back();
  return *counts;
}

// Parents come before their children. A block of another function than the one that was called came
// there by a jump: it is a child, so that neither name is lost.
void Profile::add_to(NamedProfile &named, const Symbols &symbols) const
{
  std::vector<NamedProfile::Node *> nodes(x_nodes.size());
  std::vector<std::string> names(x_nodes.size());
  nodes[root] = &named.root();
  for (size_t i = 0; i < x_nodes.size(); i++) {
    const Node &node = x_nodes[i];
    if (i != root) {
      names[i] = symbols.name_of(node.entry);
      nodes[i] = &NamedProfile::child(*nodes[node.parent], names[i]);
      nodes[i]->calls += node.calls;
    }
    for (const auto &[block, counts] : node.blocks) {
      std::string name = symbols.name_of(block);
      add(name == names[i] ? nodes[i]->self : NamedProfile::child(*nodes[i], name).self, *counts);
    }
  }
}

std::string Profile::functions(const Symbols &symbols) const
{
  std::map<std::string, Counts> functions;
  for (const Node &node : x_nodes)
    for (const auto &[block, counts] : node.blocks)
      add(functions[symbols.name_of(block)], *counts);
  std::string text;
  for (const auto &[name, counts] : functions)
    text += fmt::format("{} {}\n", fmt::join(counts, " "), name);
  return text;
}

void Profile::clear()
{
  x_nodes.assign(1, Node{root, 0, 0, {}, {}});
  x_counts.clear();
}

} // namespace model
