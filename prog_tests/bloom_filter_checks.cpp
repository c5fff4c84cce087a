// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The claims, and the two tests that hold the kernel's filter to them.
#include "prog_tests/bloom_filter_checks.h"

#include <set>

#include "prog_tests/bloom_filter_rate.h"
#include "prog_tests/model.h"
#include "tools/lib/probe.h"

namespace bloom
{

namespace
{

class SyscallOps : public Ops {
public:
  explicit SyscallOps(const bpf::MapSpec &spec) : x_map(spec) {}
  const bpf::MapSpec &spec() const override { return x_map.spec(); }
  int push(const Value &value, __u64 flags) override { return bloom::push(x_map, value, flags); }
  int peek(Value &value) override { return bloom::peek(x_map, value); }

private:
  bpf::Map x_map;
};

class ProgramOps : public Ops {
public:
  explicit ProgramOps(const bpf::MapSpec &spec) : x_spec(spec), x_program(spec) {}
  const bpf::MapSpec &spec() const override { return x_spec; }
  int push(const Value &value, __u64 flags) override { return x_program.push(value, flags); }
  int peek(Value &value) override { return x_program.peek(value); }

private:
  bpf::MapSpec x_spec;
  RawProgram x_program;
};

constexpr uint64_t others = 1ULL << 40; // numbers from here on are never pushed

int push(Ops &filter, uint64_t n)
{
  return filter.push(value_of(n, filter.spec().value_size), BPF_ANY);
}

int peek(Ops &filter, uint64_t n)
{
  Value value = value_of(n, filter.spec().value_size);
  return filter.peek(value);
}

std::string expect(const std::string &what, int actual, int expected)
{
  return actual == expected ? "" : fmt::format("{} gave {}, not {}", what, actual, expected);
}

// What is wrong with the answers to numbers first to first + count - 1, all of which must be rc.
std::string peek_all(Ops &filter, uint64_t first, uint64_t count, int rc)
{
  std::string wrong;
  for (uint64_t n = first; n < first + count && wrong.empty(); n++)
    wrong = expect(fmt::format("peek of value {}", n), peek(filter, n), rc);
  return wrong;
}

std::string push_all(Ops &filter, uint64_t first, uint64_t count)
{
  std::string wrong;
  for (uint64_t n = first; n < first + count && wrong.empty(); n++)
    wrong = expect(fmt::format("push of value {}", n), push(filter, n), 0);
  return wrong;
}

std::string push_then_peek_all(Ops &filter, uint64_t count)
{
  std::string wrong = push_all(filter, 0, count);
  return wrong.empty() ? peek_all(filter, 0, count, 0) : wrong;
}

std::string empty_has_nothing(Ops &filter) { return peek_all(filter, 0, 500, -ENOENT); }

std::string pushed_are_found(Ops &filter)
{
  return push_then_peek_all(filter, filter.spec().max_entries);
}

std::string found_twice(Ops &filter)
{
  std::string wrong = push_then_peek_all(filter, 100);
  return wrong.empty() ? peek_all(filter, 0, 100, 0) : wrong;
}

std::string overfull_loses_nothing(Ops &filter)
{
  return push_then_peek_all(filter, 5 * filter.spec().max_entries);
}

std::string second_push_is_the_same(Ops &filter)
{
  std::string wrong = push_all(filter, 0, 10);
  wrong += push_all(filter, 0, 10);
  wrong += peek_all(filter, 0, 10, 0);
  return wrong + peek_all(filter, others, 10, -ENOENT);
}

std::string peek_leaves_no_trace(Ops &filter)
{
  std::string wrong = peek_all(filter, 0, 100, -ENOENT);
  return wrong.empty() ? peek_all(filter, 0, 100, -ENOENT) : wrong;
}

std::string peek_writes_nothing(Ops &filter)
{
  std::string wrong = push_all(filter, 0, 1);
  for (uint64_t n : {uint64_t(0), others}) {
    Value value = value_of(n, filter.spec().value_size);
    filter.peek(value);
    if (value != value_of(n, filter.spec().value_size))
      wrong += fmt::format("peek of value {} changed it", n);
  }
  return wrong;
}

std::string other_flags_refused(Ops &filter)
{
  for (__u64 flags : {__u64(BPF_NOEXIST), __u64(BPF_EXIST), __u64(BPF_F_LOCK), __u64(1) << 32}) {
    Value value = value_of(1, filter.spec().value_size);
    std::string wrong =
        expect(fmt::format("flags {:#x}", flags), filter.push(value, flags), -EINVAL);
    if (wrong.empty())
      wrong = expect("peek after the refused push", filter.peek(value), -ENOENT);
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

// With one value in it a changed one finds its bits set less than once in 1e13.
std::string every_bit_of_the_value_counts(Ops &filter)
{
  std::string wrong = push_all(filter, 1, 1);
  for (size_t bit = 0; bit < 8 * filter.spec().value_size && wrong.empty(); bit++) {
    Value changed = value_of(1, filter.spec().value_size);
    changed[bit / 8] ^= 1 << bit % 8;
    wrong = expect(fmt::format("peek with bit {} changed", bit), filter.peek(changed), -ENOENT);
  }
  return wrong;
}

std::string zeros_and_ones_are_values(Ops &filter)
{
  std::string wrong;
  for (uint8_t byte : {0, 0xff}) {
    Value value(filter.spec().value_size, byte);
    wrong += expect("peek before", filter.peek(value), -ENOENT);
    wrong += expect("push", filter.push(value, BPF_ANY), 0);
    wrong += expect("peek after", filter.peek(value), 0);
  }
  return wrong;
}

std::string rate_of(Ops &filter, uint64_t pushed)
{
  constexpr uint64_t queries = 10000;
  std::string wrong = push_all(filter, 0, pushed);
  uint64_t found = 0;
  for (uint64_t n = others; n < others + queries; n++)
    found += !peek(filter, n);
  uint32_t hashes = filter.spec().extra;
  auto bound = false_positives(bits_of(filter.spec().max_entries, hashes), hashes, pushed, queries);
  if (!bound.has(found))
    wrong += fmt::format("{} false positives, bound {} to {}", found, bound.low, bound.high);
  return wrong;
}

std::string rate_is_right(Ops &filter) { return rate_of(filter, filter.spec().max_entries); }

std::string rate_is_right_when_overfull(Ops &filter)
{
  return rate_of(filter, 3 * filter.spec().max_entries);
}

// Pushes and peeks in random order of values from a small set: what is in the set is found.
std::string random_order_finds_all(Ops &filter)
{
  model::Random random(model::seed_of("random_order_finds_all"));
  std::set<uint64_t> pushed;
  for (int i = 0; i < 1500; i++) {
    uint64_t n = random.below(600);
    if (random.chance(40)) {
      pushed.insert(n);
      if (int err = push(filter, n))
        return fmt::format("push of value {} gave {}", n, err);
    } else if (int rc = peek(filter, n); rc != 0 && (pushed.count(n) || rc != -ENOENT)) {
      return fmt::format("peek of value {} gave {} (--seed {})", n, rc, test::seed());
    }
  }
  return "";
}

void run_checks(const Maker &make)
{
  for (const Check &check : checks()) {
    SUBTEST_NAMED(check.name)
    {
      std::string wrong = check.run(*make(check.spec));
      if (!wrong.empty())
        test::fail("run_checks", __LINE__, check.name, wrong);
    };
  }
}

} // namespace

std::unique_ptr<Ops> by_syscall(const bpf::MapSpec &spec)
{
  return std::make_unique<SyscallOps>(spec);
}

std::unique_ptr<Ops> by_program(const bpf::MapSpec &spec)
{
  return std::make_unique<ProgramOps>(spec);
}

const std::vector<Check> &checks()
{
  static const std::vector<Check> all = {
      // subtests of: bloom_filter_checks_syscall bloom_filter_checks_program
      // covers: bloom N1
      {"empty_has_nothing", spec(8, 1000, 3), empty_has_nothing},
      // covers: bloom T5
      {"pushed_are_found", spec(8, 1000, 3), pushed_are_found},
      {"found_twice", spec(8, 1000, 3), found_twice},
      // covers: bloom N2
      {"overfull_loses_nothing", spec(8, 200, 3), overfull_loses_nothing},
      {"second_push_is_the_same", spec(8, 1000, 5), second_push_is_the_same},
      // covers: bloom N1
      {"peek_leaves_no_trace", spec(8, 1000, 3), peek_leaves_no_trace},
      // covers: bloom N10
      {"peek_writes_nothing", spec(8, 1000, 3), peek_writes_nothing},
      // covers: bloom T2, bloom N9, bloom N11
      {"other_flags_refused", spec(8, 1000, 3), other_flags_refused},
      // covers: bloom N7
      {"every_bit_counts_in_words", spec(16, 1000, 5), every_bit_of_the_value_counts},
      // covers: bloom N7
      {"every_bit_counts_in_bytes", spec(11, 1000, 5), every_bit_of_the_value_counts},
      {"zeros_and_ones_are_values", spec(8, 1000, 5), zeros_and_ones_are_values},
      // covers: bloom N2
      {"rate_is_right", spec(8, 1000, 3), rate_is_right},
      // covers: bloom N2
      {"rate_is_right_with_one_hash", spec(8, 1000, 1), rate_is_right},
      // covers: bloom N2
      {"rate_is_right_when_overfull", spec(8, 1000, 6), rate_is_right_when_overfull},
      {"random_order_finds_all", spec(8, 500, 4), random_order_finds_all},
  };
  return all;
}

} // namespace bloom

TEST(bloom_filter_checks_syscall) { bloom::run_checks(bloom::by_syscall); }

TEST(bloom_filter_checks_program) { bloom::run_checks(bloom::by_program); }
