// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Property tests by random operation sequences: a generator of operations, a run that replays a
// sequence on the subject and on its model and says where they part, and a shrinker that finds a
// short sequence which still fails. Own code instead of RapidCheck's state testing: the sequence
// must replay from one number (--seed) and the run makes kernel objects, which RapidCheck would
// make anew inside its own shrinking of every single value.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/lib/text.h"
#include "tools/test_progs/test_progs.h"

namespace model
{

// splitmix64: one number of state, every seed is a good one.
class Random {
public:
  explicit Random(uint64_t seed) : x_state(seed) {}
  uint64_t next()
  {
    uint64_t z = x_state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // 0 to bound - 1; bound: at least 1.
  uint64_t below(uint64_t bound) { return next() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }

private:
  uint64_t x_state;
};

// The seed of one named property: the run's seed, mixed with the name so that no two properties
// see the same numbers.
inline uint64_t seed_of(std::string_view name) { return Random(test::seed() ^ fnv1a(name)).next(); }

// Replays ops from an empty subject. Nothing: all went as the model says; otherwise what did not.
template <class Op> using Run = std::function<std::optional<std::string>(const std::vector<Op> &)>;

template <class Op> struct Failed {
  std::vector<Op> ops; // shrunk
  std::string reason;
};

// Takes away ever smaller runs of operations as long as the rest still fails. At most `budget`
// replays: a shrunk sequence need not be the shortest.
template <class Op> Failed<Op> shrink(Failed<Op> failed, const Run<Op> &run, unsigned budget = 2000)
{
  for (size_t chunk = failed.ops.size() / 2; chunk; chunk = chunk / 2) {
    for (size_t at = 0; at < failed.ops.size() && budget; budget--) {
      std::vector<Op> fewer = failed.ops;
      auto from = fewer.begin() + static_cast<long>(at);
      auto to = fewer.begin() + static_cast<long>(std::min(at + chunk, fewer.size()));
      fewer.erase(from, to);
      if (auto reason = run(fewer))
        failed = {std::move(fewer), *reason};
      else
        at += chunk;
    }
  }
  return failed;
}

// One random sequence of nr_ops operations. Nothing, or the shrunk failure.
template <class Op>
std::optional<Failed<Op>> try_sequence(Random &random, size_t nr_ops,
                                       const std::function<Op(Random &)> &generate,
                                       const Run<Op> &run)
{
  std::vector<Op> ops;
  for (size_t i = 0; i < nr_ops; i++)
    ops.push_back(generate(random));
  auto reason = run(ops);
  if (!reason)
    return std::nullopt;
  return shrink<Op>({std::move(ops), *reason}, run);
}

// What to print of a failure. Op has a member std::string text() const.
template <class Op> std::string describe(const Failed<Op> &failed)
{
  std::string text = fmt::format("{}; replay with --seed {}; {} operations:", failed.reason,
                                 test::seed(), failed.ops.size());
  for (const Op &op : failed.ops)
    text += "\n    " + op.text();
  return text;
}

// nr_sequences random sequences; fails the running (sub)test by the first that goes wrong.
template <class Op>
void check_property(const char *name, unsigned nr_sequences, size_t nr_ops,
                    const std::function<Op(Random &)> &generate, const Run<Op> &run)
{
  Random random(seed_of(name));
  for (unsigned i = 0; i < nr_sequences; i++) {
    if (auto failed = try_sequence<Op>(random, nr_ops, generate, run)) {
      test::fail(name, __LINE__, name, describe(*failed));
      return;
    }
  }
  test::pass(name, name);
}

} // namespace model
