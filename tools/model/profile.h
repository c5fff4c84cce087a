// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Where it went: events by who called whom, first by addresses and then by names, written for
// KCachegrind (callgrind's format) and for flame graphs (folded stacks).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace model
{

enum Event : unsigned {
  Insns,
  Loads,
  Stores,
  Lines,
  L1iMisses,
  L1dMisses,
  L2Misses,
  L3Misses,
  TlbMisses,
  Walks,
  Branches,
  Mispredicted,
  nr_events
};

// As the page and the profiles call them.
extern const std::array<const char *, nr_events> event_names;

using Counts = std::array<uint64_t, nr_events>;
void add(Counts &to, const Counts &more);

// Names of addresses, from the text of /proc/kallsyms: functions only. A BPF program is called as
// its function, "op_lookup [bpf]"; what is of a module "name [module]".
class Symbols {
public:
  explicit Symbols(std::string_view kallsyms = "");
  // In the place of all of BPF programs.
  void renew_programs(std::string_view kallsyms);
  // "[user]" for the lower half, the address in hexadecimal where nothing is known.
  std::string name_of(uint64_t address) const;
  size_t size() const { return x_names.size(); }

private:
  void add(std::string_view kallsyms);

  std::vector<std::pair<uint64_t, std::string>> x_names; // sorted
};

// Functions by name, as a tree of calls.
class NamedProfile {
public:
  struct Node {
    Counts self{};
    uint64_t calls = 0;
    std::map<std::string, std::unique_ptr<Node>> children;
  };
  Node &root() { return x_root; }
  static Node &child(Node &parent, const std::string &name);

  // One line a stack: "bpf_prog;trie_lookup_elem 1234", of one event.
  std::string folded(Event event) const;
  // subject: what was profiled.
  std::string callgrind(const std::string &subject) const;

private:
  Node x_root;
};

// By addresses: nodes are called functions by where they begin, with costs of each block in them.
class Profile {
public:
  Profile() { clear(); }
  static constexpr uint32_t root = 0;
  uint32_t child(uint32_t node, uint64_t entry);
  uint32_t parent(uint32_t node) const { return x_nodes[node].parent; }
  void called(uint32_t node) { x_nodes[node].calls++; }
  // Stays where it is until clear().
  Counts &at(uint32_t node, uint64_t block);
  void add_to(NamedProfile &named, const Symbols &symbols) const;
  // A line each, whoever called it: "123 45 ... trie_lookup_elem", its own events in their order.
  std::string functions(const Symbols &symbols) const;
  void clear();

private:
  struct Node {
    uint32_t parent;
    uint64_t entry, calls = 0;
    std::map<uint64_t, uint32_t> children;
    std::map<uint64_t, Counts *> blocks;
  };
  std::vector<Node> x_nodes;
  std::deque<Counts> x_counts;
};

} // namespace model
