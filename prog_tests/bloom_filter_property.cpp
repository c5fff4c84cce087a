// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Random sequences of pushes and peeks on filters of every kind of value size against a set in
// user space: what was pushed is found, for ever; in an empty filter nothing is; flags are refused
// and change nothing. A failure prints the seed and the shortest sequence found.
#include <set>

#include "prog_tests/bloom_filter_checks.h"
#include "prog_tests/model.h"
#include "tools/lib/probe.h"

namespace
{

struct Op {
  enum Kind { push, peek, push_refused } kind;
  uint64_t number; // of the value
  std::string text() const
  {
    static const char *names[] = {"push", "peek", "push with BPF_EXIST"};
    return fmt::format("{} value {}", names[kind], number);
  }
};

// Few numbers, so that values come back. One byte has 256 of them.
Op random_op(model::Random &random)
{
  auto kind = random.chance(40) ? Op::push : random.chance(90) ? Op::peek : Op::push_refused;
  return {kind, random.below(200)};
}

int expected(const Op &op, const std::set<uint64_t> &pushed)
{
  if (op.kind == Op::push_refused)
    return -EINVAL;
  return op.kind == Op::push || pushed.count(op.number) ? 0 : -ENOENT;
}

int apply(bloom::Ops &filter, const Op &op)
{
  auto value = bloom::value_of(op.number, filter.spec().value_size);
  if (op.kind == Op::peek)
    return filter.peek(value);
  return filter.push(value, op.kind == Op::push ? BPF_ANY : BPF_EXIST);
}

std::optional<std::string> replay(bloom::Ops &filter, const std::vector<Op> &ops)
{
  std::set<uint64_t> pushed;
  for (const Op &op : ops) {
    int rc = apply(filter, op), right = expected(op, pushed);
    // The filter may say yes to what it has not, but not before anything is in it.
    bool false_positive = op.kind == Op::peek && rc == 0 && !pushed.empty();
    if (rc != right && !false_positive)
      return fmt::format("{} gave {}, not {} ({} byte values, {} hash functions)", op.text(), rc,
                         right, filter.spec().value_size, filter.spec().extra);
    if (op.kind == Op::push)
      pushed.insert(op.number);
  }
  return std::nullopt;
}

void check_sequences(const char *name, const bloom::Maker &make, const bpf::MapSpec &spec,
                     unsigned nr_sequences)
{
  model::check_property<Op>(name, nr_sequences, 300, random_op,
                            [&](const std::vector<Op> &ops) { return replay(*make(spec), ops); });
}

// Loses every push of a value whose number ends in 7.
class Forgetful : public bloom::Ops {
public:
  explicit Forgetful(const bpf::MapSpec &spec) : x_filter(bloom::by_syscall(spec)) {}
  const bpf::MapSpec &spec() const override { return x_filter->spec(); }
  int push(const bloom::Value &value, __u64 flags) override
  {
    return value[0] % 10 == 7 && flags == BPF_ANY ? 0 : x_filter->push(value, flags);
  }
  int peek(bloom::Value &value) override { return x_filter->peek(value); }

private:
  std::unique_ptr<bloom::Ops> x_filter;
};

} // namespace

// covers: bloom N7
TEST(bloom_filter_property)
{
  test::require(probe::map_bloom);
  test::require(probe::test_run);
  for (__u32 size : {1, 2, 3, 4, 5, 8, 11, 16, 31, 100, 1024, 4095, 4096}) {
    SUBTEST_NAMED(fmt::format("{}_bytes", size))
    {
      // Few entries and hash functions in turn: from hardly filled to all bits set.
      for (__u32 entries : {1, 30, 1000})
        check_sequences("bloom_filter_property", bloom::by_syscall,
                        bloom::spec(size, entries, 1 + (size + entries) % 15), 10);
    };
  }
  for (__u32 size : {1, 4, 11, 4096}) {
    SUBTEST_NAMED(fmt::format("{}_bytes_by_program", size))
    {
      check_sequences("bloom_filter_property_program", bloom::by_program, bloom::spec(size, 300, 4),
                      10);
    };
  }
}

// A wrong filter is found, its failure is shrunk to the two steps that show it, and replays.
TEST(bloom_filter_property_finds)
{
  test::require(probe::map_bloom);
  test::require(probe::test_run);
  model::Random random(model::seed_of("bloom_filter_property_finds"));
  auto run = [](const std::vector<Op> &ops) {
    Forgetful filter(bloom::spec(8, 100000, 8));
    return replay(filter, ops);
  };
  auto failed = model::try_sequence<Op>(random, 500, random_op, run);
  REQUIRE(failed.has_value());
  test::log(model::describe(*failed) + "\n");
  CHECK_EQ(failed->ops.size(), 2U);
  CHECK(run(failed->ops).has_value());
}
