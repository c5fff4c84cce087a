// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Random operation sequences on LPM tries of every kind of key size, against the plain list of
// prefixes. A failure prints its seed and a shrunk sequence.
#include "prog_tests/lpm_trie_checks.h"
#include "prog_tests/map_ops_bpf.h"
#include "prog_tests/mutants.h"

using lpm_test::Op;
using lpm_test::trie_spec;

static constexpr uint32_t max_entries = 32;

static void check_sizes(const char *name, const std::vector<uint32_t> &data_sizes,
                        const map_test::Maker &make)
{
  for (uint32_t size : data_sizes) {
    std::string property = fmt::format("{} of {} bytes", name, size);
    model::check_property<Op>(
        property.c_str(), 3, 300,
        [=](model::Random &random) { return lpm_test::random_op(random, size); },
        [&](const std::vector<Op> &ops) {
          return lpm_test::compare_with_model(*make(trie_spec(size, max_entries)), ops);
        });
  }
}

static std::vector<uint32_t> from_to(uint32_t from, uint32_t to)
{
  std::vector<uint32_t> numbers;
  for (uint32_t i = from; i <= to; i++)
    numbers.push_back(i);
  return numbers;
}

// Keys at random all over, so that most part early: the shape that random addresses give.
static lpm_test::Bytes scattered_key(model::Random &random, uint32_t size)
{
  lpm_test::Bytes data(size);
  for (uint8_t &byte : data)
    byte = static_cast<uint8_t>(random.next());
  return lpm_test::make_key(static_cast<uint32_t>(random.below(size * 8 + 1)), data);
}

static std::vector<Op> fill_look_erase_half_look(model::Random &random, uint32_t size)
{
  std::vector<Op> ops, lookups;
  for (uint64_t i = 0; i < 256; i++)
    ops.push_back({Op::update, scattered_key(random, size), i, BPF_ANY});
  for (int i = 0; i < 512; i++)
    lookups.push_back({Op::lookup, scattered_key(random, size), 0, 0});
  std::vector<Op> all = ops;
  all.insert(all.end(), lookups.begin(), lookups.end());
  for (size_t i = 0; i < ops.size(); i += 2)
    all.push_back({Op::erase, ops[i].key, 0, 0});
  all.insert(all.end(), lookups.begin(), lookups.end());
  return all;
}

TEST(lpm_trie_model)
{
  // covers: lpm T1
  SUBTEST(scattered_keys_half_erased)
  {
    model::Random random(model::seed_of("scattered_keys_half_erased"));
    for (uint32_t size = 1; size <= 16; size++) {
      auto ops = fill_look_erase_half_look(random, size);
      map_test::SyscallOps map(trie_spec(size, 256));
      auto reason = lpm_test::compare_with_model(map, ops);
      if (reason)
        test::log(fmt::format("replay with --seed {}", test::seed()));
      CHECK_EQ(reason.value_or(""), "");
    }
  };
  // covers: lpm T1
  SUBTEST(sizes_1_to_16) { check_sizes("syscall", from_to(1, 16), map_test::by_syscall); };
  // covers: lpm N6
  SUBTEST(sizes_17_to_64) { check_sizes("syscall", from_to(17, 64), map_test::by_syscall); };
  // covers: lpm N6
  SUBTEST(sizes_65_to_256)
  {
    check_sizes("syscall", {65, 66, 67, 68, 71, 96, 127, 128, 129, 200, 253, 254, 255, 256},
                map_test::by_syscall);
  };
  // covers: lpm N6, lpm N9
  SUBTEST(sizes_1_to_256_bpf)
  {
    check_sizes("helper", {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 24, 31, 64, 255, 256},
                map_test::by_helper);
  };
}

namespace
{

// Needs an update, an erase and a look to be seen.
struct EraseForgets : map_test::Mutant {
  using Mutant::Mutant;
  int erase(const lpm_test::Bytes &key) override
  {
    uint64_t value = 0;
    Mutant::lookup(key, value);
    int err = Mutant::erase(key);
    if (!err)
      Mutant::update(key, value, BPF_ANY);
    return err;
  }
};

} // namespace

TEST(model_shrinker)
{
  const model::Run<Op> run = [](const std::vector<Op> &ops) {
    EraseForgets map(trie_spec(4, max_entries));
    return lpm_test::compare_with_model(map, ops);
  };
  const auto generate = [](model::Random &random) { return lpm_test::random_op(random, 4); };

  SUBTEST(failure_is_found_and_short)
  {
    model::Random random(model::seed_of("shrinker"));
    auto failed = model::try_sequence<Op>(random, 400, generate, run);
    REQUIRE(failed.has_value());
    test::log(model::describe(*failed));
    CHECK(failed->ops.size() <= 4);
    CHECK(run(failed->ops).has_value());
  };
  SUBTEST(same_seed_same_sequence)
  {
    std::string texts[2];
    for (std::string &text : texts) {
      model::Random random(model::seed_of("shrinker"));
      text = model::describe(*model::try_sequence<Op>(random, 400, generate, run));
    }
    CHECK_EQ(texts[0], texts[1]);
    CHECK(texts[0].find(fmt::format("--seed {}", test::seed())) != std::string::npos);
  };
}
