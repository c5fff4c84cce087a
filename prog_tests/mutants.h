// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The test of the tests: maps that are wrong on purpose, each to be caught by a named check. A
// mutant stands between the check and a map of the kernel and falsifies one operation.
#pragma once

#include "prog_tests/map_ops.h"

namespace map_test
{

// Passes everything on; a mutant overrides what it gets wrong.
class Mutant : public MapOps {
public:
  explicit Mutant(const bpf::MapSpec &spec) : x_spec(spec), x_map(spec) {}
  // A map whose kernel half is made by other attributes than it tells.
  Mutant(const bpf::MapSpec &spec, const bpf::MapSpec &real) : x_spec(spec), x_map(real) {}
  const bpf::MapSpec &spec() const override { return x_spec; }
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return x_map.update(key, value, flags);
  }
  int lookup(const Bytes &key, uint64_t &value) override { return x_map.lookup(key, value); }
  int erase(const Bytes &key) override { return x_map.erase(key); }
  int next_key(const Bytes *previous, Bytes &next) override
  {
    return x_map.next_key(previous, next);
  }

protected:
  bool has(const Bytes &key)
  {
    uint64_t value;
    return x_map.lookup(key, value) == 0;
  }

private:
  bpf::MapSpec x_spec;
  SyscallOps x_map;
};

// What any map may get wrong.

struct UpdateIgnoresNoexist : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return Mutant::update(key, value, flags == BPF_NOEXIST ? +BPF_ANY : flags);
  }
};

struct UpdateIgnoresExist : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return Mutant::update(key, value, flags == BPF_EXIST ? +BPF_ANY : flags);
  }
};

struct UpdateIgnoresHighFlags : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return Mutant::update(key, value, static_cast<uint32_t>(flags));
  }
};

struct OneTooMany : Mutant {
  static bpf::MapSpec wider(bpf::MapSpec spec)
  {
    spec.max_entries++;
    return spec;
  }
  explicit OneTooMany(const bpf::MapSpec &spec) : Mutant(spec, wider(spec)) {}
};

struct NamedMutant {
  const char *name;
  Maker make;
};

template <class T> NamedMutant mutant(const char *name)
{
  return {name, [](const bpf::MapSpec &spec) { return std::make_unique<T>(spec); }};
}

// Names of the checks that find something wrong with it, in their order; the first few.
inline std::vector<std::string> caught_by(const NamedMutant &mutant,
                                          const std::vector<Check> &checks)
{
  constexpr size_t enough = 4;
  std::vector<std::string> names;
  for (const Check &check : checks)
    if (names.size() < enough && !run_check(check, mutant.make).empty())
      names.push_back(check.name);
  return names;
}

// A subtest a mutant: fails where no check catches it. Logs who did.
inline void run_mutants(const std::vector<NamedMutant> &mutants, const std::vector<Check> &checks)
{
  SUBTEST(none_without_mutation)
  {
    CHECK_EQ(caught_by(mutant<Mutant>("none"), checks).size(), 0u);
  };
  for (const NamedMutant &mutant : mutants) {
    SUBTEST_NAMED(mutant.name)
    {
      std::vector<std::string> names = caught_by(mutant, checks);
      std::string text;
      for (const std::string &name : names)
        text += " " + name;
      test::log(fmt::format("mutant {}: caught by{}", mutant.name, names.empty() ? " none" : text));
      CHECK(!names.empty());
    };
  }
}

} // namespace map_test
