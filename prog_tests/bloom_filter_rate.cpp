// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The false positive rate of real filters against the theory, for every number of hash functions,
// from the syscall side and from BPF, filled and overfilled.
#include "prog_tests/bloom_filter_rate.h"

#include <cmath>

#include "prog_tests/bloom_filter.h"
#include "tools/lib/distributions.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

namespace bloom
{

// Of each of the four tails below, so that all together stay under 1e-9.
constexpr double tail = 1e-10;
constexpr double tail_sigmas = 6.5; // normal quantile of 1 - 4e-11

uint64_t bits_of(uint32_t max_entries, uint32_t hashes)
{
  uint64_t wanted = uint64_t(max_entries) * hashes / 5 * 7;
  uint64_t bits = 8 * sizeof(long);
  while (bits < wanted)
    bits *= 2;
  return bits;
}

Range fill_range(uint64_t bits, uint64_t throws)
{
  // Occupancy: the bits that no throw hit are close to normal, with this variance.
  double load = double(throws) / bits, clear = std::exp(-load);
  double sigma = std::sqrt(clear * (1 - (1 + load) * clear) / bits);
  // One bit more on both sides: the normal law knows no whole bits.
  double slack = tail_sigmas * sigma + 1.0 / bits;
  return {std::max(0.0, 1 - clear - slack), std::min(1.0, 1 - clear + slack)};
}

Range false_positives(uint64_t bits, uint32_t hashes, uint64_t pushed, uint64_t queries)
{
  Range fill = fill_range(bits, pushed * hashes);
  return {distributions::binomial_lower_quantile(queries, std::pow(fill.low, hashes), tail),
          distributions::binomial_upper_quantile(queries, std::pow(fill.high, hashes), tail)};
}

} // namespace bloom

namespace
{

constexpr uint32_t entries = 16000;
constexpr uint32_t queries = 50000;
constexpr uint64_t absent = 1ULL << 40; // values from this number on are never pushed

// The program's filter with these hash functions, and pushes and peeks on it by values' numbers.
class Filter {
public:
  explicit Filter(uint32_t hashes) : x_skel("bloom_filter")
  {
    bpf_map *map = x_skel->maps.bloom;
    bpf::check(bpf_map__set_map_extra(map, hashes), "set hash functions of", "bloom");
    bpf::check(bpf_map__set_max_entries(map, entries), "set max_entries of", "bloom");
    x_skel.load();
  }
  bloom_args run(bloom_op op, uint64_t first, uint32_t count)
  {
    bloom_args args = {.first = first, .count = count, .op = op};
    REQUIRE_OK(bloom::run(x_skel->progs.bloom_run, args));
    REQUIRE_EQ(args.failed, 0U);
    REQUIRE_EQ(args.done + args.absent, count);
    return args;
  }

private:
  bpf::Skeleton<bloom_filter> x_skel;
};

void check_in(const std::string &what, bloom::Range range, uint64_t found, uint64_t queries)
{
  test::log(fmt::format("{}: {} false positives of {}, bound {} to {}\n", what, found, queries,
                        range.low, range.high));
  CHECK(range.has(found));
}

// The rate when the filter holds so many values, for each of the numbers in turn. Overfilled ones
// tell more where many hash functions leave hardly a false positive.
void check_rate(uint32_t hashes, std::initializer_list<uint64_t> held)
{
  uint64_t bits = bloom::bits_of(entries, hashes), before = 0;
  Filter filter(hashes);
  CHECK_EQ(filter.run(BLOOM_PEEK, 0, queries).done, 0U);
  for (uint64_t pushed : held) {
    filter.run(BLOOM_PUSH, before, pushed - before);
    before = pushed;
    CHECK_EQ(filter.run(BLOOM_PEEK, 0, pushed).done, pushed);
    auto found = filter.run(BLOOM_PEEK, absent, queries).done;
    check_in(fmt::format("{} of {} values from BPF", pushed, entries),
             bloom::false_positives(bits, hashes, pushed, queries), found, queries);
  }
}

void check_rate_by_syscall(uint32_t value_size, uint32_t hashes)
{
  constexpr uint32_t pushed = 1000, queries = 10000;
  bpf::Map map(bloom::spec(value_size, pushed, hashes));
  for (uint32_t n = 0; n < pushed; n++)
    REQUIRE_OK(bloom::push(map, bloom::value_of(n, value_size)));
  uint64_t found = 0;
  for (uint32_t n = pushed; n < pushed + queries; n++)
    found += !bloom::peek(map, bloom::value_of(n, value_size));
  auto bound = bloom::false_positives(bloom::bits_of(pushed, hashes), hashes, pushed, queries);
  check_in("by syscall", bound, found, queries);
}

} // namespace

// covers: bloom N2
TEST(bloom_filter_rate)
{
  test::require(probe::map_bloom);
  test::require(probe::test_run);
  for (uint32_t hashes = 1; hashes <= 15; hashes++)
    SUBTEST_NAMED(fmt::format("{}_hashes", hashes)) { check_rate(hashes, {entries, 4 * entries}); };
  for (uint32_t value_size : {4, 8, 11})
    SUBTEST_NAMED(fmt::format("syscall_{}_bytes", value_size))
    {
      check_rate_by_syscall(value_size, 3);
    };
  SUBTEST(half_full) { check_rate(4, {entries / 2}); };
  SUBTEST(rises_when_overfilled)
  {
    check_rate(4, {entries, 3 * entries});
    uint64_t bits = bloom::bits_of(entries, 4);
    auto full = bloom::false_positives(bits, 4, entries, queries);
    auto overfull = bloom::false_positives(bits, 4, 3 * entries, queries);
    // The two bounds do not meet, so the filter was seen to get worse.
    CHECK(overfull.low > full.high);
  };
}

TEST(bloom_filter_rate_bound)
{
  SUBTEST(bits)
  {
    CHECK_EQ(bloom::bits_of(1, 1), 8 * sizeof(long));
    CHECK_EQ(bloom::bits_of(1000, 3), 8192U);
    CHECK_EQ(bloom::bits_of(100000, 15), 1U << 22);
  };
  // A filter that says yes always, or never, or looks at one bit less is outside.
  SUBTEST(is_narrow)
  {
    for (uint32_t hashes = 2; hashes <= 15; hashes++) {
      uint64_t bits = bloom::bits_of(entries, hashes);
      auto bound = bloom::false_positives(bits, hashes, 4 * entries, queries);
      double fill = 1 - std::exp(-4.0 * entries * hashes / bits);
      CHECK(bound.low > 0 && bound.high < queries);
      CHECK(!bound.has(queries * std::pow(fill, hashes - 1)));
    }
  };
  SUBTEST(holds_the_mean)
  {
    for (uint64_t throws : {100, 1000, 10000}) {
      auto fill = bloom::fill_range(8192, throws);
      CHECK(fill.has(1 - std::exp(-double(throws) / 8192)));
      CHECK(fill.high - fill.low < 0.08);
    }
  };
}
