// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The operations of a map as an interface, so that one check runs against the kernel's map by
// system calls, by BPF helpers, and against mutants of it that are wrong on purpose. Checks note
// what they find in a Findings instead of failing the test, since a finding about a mutant is good.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tools/lib/map.h"
#include "tools/test_progs/test_progs.h"

namespace map_test
{

using Bytes = std::vector<uint8_t>;

// Every map of a check has values of eight bytes.
inline constexpr uint32_t value_size = sizeof(uint64_t);

class MapOps {
public:
  virtual ~MapOps() = default;
  virtual const bpf::MapSpec &spec() const = 0;

  // All return 0 or a negative errno. key: spec().key_size bytes.
  virtual int update(const Bytes &key, uint64_t value, uint64_t flags = BPF_ANY) = 0;
  virtual int lookup(const Bytes &key, uint64_t &value) = 0;
  virtual int erase(const Bytes &key) = 0;
  // previous: null for the first key. next may be the same object as *previous.
  virtual int next_key(const Bytes *previous, Bytes &next) = 0;
};

// By system calls.
class SyscallOps : public MapOps {
public:
  explicit SyscallOps(const bpf::MapSpec &spec) : x_map(spec) {}
  const bpf::MapSpec &spec() const override { return x_map.spec(); }
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return x_map.update(key.data(), &value, flags);
  }
  int lookup(const Bytes &key, uint64_t &value) override
  {
    return x_map.lookup(key.data(), &value);
  }
  int erase(const Bytes &key) override { return x_map.erase(key.data()); }
  int next_key(const Bytes *previous, Bytes &next) override
  {
    Bytes found(spec().key_size);
    int err = x_map.next_key(previous ? previous->data() : nullptr, found.data());
    if (!err)
      next = found;
    return err;
  }

private:
  bpf::Map x_map;
};

// Makes the map that a check asks for.
using Maker = std::function<std::unique_ptr<MapOps>(const bpf::MapSpec &)>;

inline std::unique_ptr<MapOps> by_syscall(const bpf::MapSpec &spec)
{
  return std::make_unique<SyscallOps>(spec);
}

// What a check found to be wrong; empty is good.
class Findings {
public:
  template <class A, class B>
  bool equal(int line, const char *what, const A &actual, const B &expected)
  {
    if (actual == static_cast<A>(expected))
      return true;
    add(fmt::format("line {}: {} is {}, not {}", line, what, actual, expected));
    return false;
  }
  void add(std::string text) { x_texts.push_back(std::move(text)); }
  bool empty() const { return x_texts.empty(); }
  const std::vector<std::string> &texts() const { return x_texts; }

private:
  std::vector<std::string> x_texts;
};

// Inside a check, whose Findings is called `out`.
#define EXPECT(actual, expected) out.equal(__LINE__, #actual, (actual), (expected))

// A named claim about a map made by spec.
struct Check {
  const char *name;
  bpf::MapSpec spec;
  void (*run)(MapOps &map, Findings &out);
};

inline Findings run_check(const Check &check, const Maker &make)
{
  Findings out;
  check.run(*make(check.spec), out);
  return out;
}

// Fails the running (sub)test by every finding.
inline void report(const Check &check, const Findings &findings)
{
  for (const std::string &text : findings.texts())
    test::fail(__func__, __LINE__, check.name, text);
  if (findings.empty())
    test::pass(__func__, check.name);
}

// Runs every check as a subtest of its name.
inline void run_checks(const std::vector<Check> &checks, const Maker &make)
{
  for (const Check &check : checks) {
    SUBTEST_NAMED(check.name) { report(check, run_check(check, make)); };
  }
}

// Value of key, or absent: so that one comparison says both.
inline constexpr uint64_t absent = ~0ULL;

inline uint64_t value_of(MapOps &map, const Bytes &key)
{
  uint64_t value = 0;
  int err = map.lookup(key, value);
  return err == -ENOENT ? absent : err ? ~1ULL : value;
}

// All keys in the map's order; stops after limit keys, in case the order never ends.
inline std::vector<Bytes> keys_of(MapOps &map, size_t limit)
{
  std::vector<Bytes> keys;
  Bytes key;
  int err = map.next_key(nullptr, key);
  while (!err && keys.size() < limit) {
    keys.push_back(key);
    err = map.next_key(&key, key);
  }
  return keys;
}

} // namespace map_test
