// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The test of the tests: bloom filters that are wrong on purpose, each of which some named check
// must catch. A mutant stands between the check and a filter of the kernel.
#include <deque>
#include <set>

#include "prog_tests/bloom_filter_checks.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

using bloom::Value;

namespace
{

// Passes everything on; a mutant overrides what it gets wrong.
class Mutant : public bloom::Ops {
public:
  explicit Mutant(const bpf::MapSpec &spec) : Mutant(spec, spec) {}
  // A filter whose kernel half is made by other attributes than it tells.
  Mutant(const bpf::MapSpec &spec, const bpf::MapSpec &real) : x_spec(spec), x_map(real) {}
  const bpf::MapSpec &spec() const override { return x_spec; }
  int push(const Value &value, __u64 flags) override { return bloom::push(x_map, value, flags); }
  int peek(Value &value) override { return bloom::peek(x_map, value); }

protected:
  bpf::MapSpec x_spec;
  bpf::Map x_map;
  uint64_t x_pushes = 0;
};

struct AlwaysYes : Mutant {
  using Mutant::Mutant;
  int peek(Value &) override { return 0; }
};

struct AlwaysNo : Mutant {
  using Mutant::Mutant;
  int peek(Value &) override { return -ENOENT; }
};

struct YesOnceAnythingIsIn : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    x_pushes++;
    return Mutant::push(value, flags);
  }
  int peek(Value &value) override { return x_pushes ? 0 : Mutant::peek(value); }
};

struct ForgetsEvery100th : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    return ++x_pushes % 100 ? Mutant::push(value, flags) : 0;
  }
};

struct RefusesWhenFull : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    return ++x_pushes > x_spec.max_entries ? -E2BIG : Mutant::push(value, flags);
  }
};

struct DropsSilentlyWhenFull : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    return ++x_pushes > x_spec.max_entries ? 0 : Mutant::push(value, flags);
  }
};

struct StartsAnewWhenFull : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    if (++x_pushes % (x_spec.max_entries + 1) == 0)
      x_map = bpf::Map(x_spec);
    return Mutant::push(value, flags);
  }
};

struct IgnoresFlags : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64) override { return Mutant::push(value, BPF_ANY); }
};

struct IgnoresHighFlags : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    return Mutant::push(value, static_cast<__u32>(flags));
  }
};

struct RefusedPushStays : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    Mutant::push(value, BPF_ANY);
    return Mutant::push(value, flags);
  }
};

// Sees the value through a filter on its bytes.
template <void (*change)(Value &)> struct SeesChanged : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    Value seen = value;
    change(seen);
    return Mutant::push(seen, flags);
  }
  int peek(Value &value) override
  {
    Value seen = value;
    change(seen);
    return Mutant::peek(seen);
  }
};

void without_last_byte(Value &value) { value.back() = 0; }

void in_whole_words(Value &value)
{
  for (size_t i = value.size() & ~size_t(3); i < value.size(); i++)
    value[i] = 0;
}

void first_word_only(Value &value) { std::fill(value.begin() + 4, value.end(), 0); }

void in_seven_bits(Value &value)
{
  for (uint8_t &byte : value)
    byte &= 0x7f;
}

struct OtherErrno : Mutant {
  using Mutant::Mutant;
  int peek(Value &value) override { return Mutant::peek(value) ? -ESRCH : 0; }
};

struct FoundIsOne : Mutant {
  using Mutant::Mutant;
  int peek(Value &value) override
  {
    int err = Mutant::peek(value);
    return err ? err : 1;
  }
};

struct PeekPops : Mutant {
  using Mutant::Mutant;
  int peek(Value &value) override
  {
    int err = Mutant::peek(value);
    return err ? err : x_seen.insert(value).second ? 0 : -ENOENT;
  }
  std::set<Value> x_seen;
};

struct PeekPushes : Mutant {
  using Mutant::Mutant;
  int peek(Value &value) override
  {
    int err = Mutant::peek(value);
    Mutant::push(value, BPF_ANY);
    return err;
  }
};

struct PeekWritesBack : Mutant {
  using Mutant::Mutant;
  int peek(Value &value) override
  {
    int err = Mutant::peek(value);
    value.assign(value.size(), 0);
    return err;
  }
};

struct SecondPushIsAnError : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    return x_seen.insert(value).second ? Mutant::push(value, flags) : -EEXIST;
  }
  std::set<Value> x_seen;
};

struct SecondPushTakesOut : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    if (!x_seen.insert(value).second)
      x_map = bpf::Map(x_spec);
    return Mutant::push(value, flags);
  }
  std::set<Value> x_seen;
};

struct ZerosAreAlwaysIn : Mutant {
  using Mutant::Mutant;
  int peek(Value &value) override { return value == Value(value.size()) ? 0 : Mutant::peek(value); }
};

struct RemembersTheLast400 : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    x_last.push_back(value);
    if (x_last.size() > 400)
      x_last.pop_front();
    return Mutant::push(value, flags);
  }
  int peek(Value &value) override
  {
    bool known = std::find(x_last.begin(), x_last.end(), value) != x_last.end();
    return known ? 0 : -ENOENT;
  }
  std::deque<Value> x_last;
};

bpf::MapSpec with_hashes(bpf::MapSpec spec, __u64 hashes)
{
  spec.extra = hashes;
  return spec;
}

bpf::MapSpec with_entries(bpf::MapSpec spec, __u32 entries)
{
  spec.max_entries = entries;
  return spec;
}

struct OneHashMore : Mutant {
  explicit OneHashMore(const bpf::MapSpec &spec) : Mutant(spec, with_hashes(spec, spec.extra + 1))
  {
  }
};

struct OneHashOnly : Mutant {
  explicit OneHashOnly(const bpf::MapSpec &spec) : Mutant(spec, with_hashes(spec, 1)) {}
};

struct HalfTheBits : Mutant {
  explicit HalfTheBits(const bpf::MapSpec &spec)
      : Mutant(spec, with_entries(spec, spec.max_entries / 2))
  {
  }
};

struct TwiceTheBits : Mutant {
  explicit TwiceTheBits(const bpf::MapSpec &spec)
      : Mutant(spec, with_entries(spec, spec.max_entries * 2))
  {
  }
};

struct ExactSet : Mutant {
  using Mutant::Mutant;
  int push(const Value &value, __u64 flags) override
  {
    x_seen.insert(value);
    return Mutant::push(value, flags);
  }
  int peek(Value &value) override { return x_seen.count(value) ? 0 : -ENOENT; }
  std::set<Value> x_seen;
};

template <class T> std::unique_ptr<bloom::Ops> make(const bpf::MapSpec &spec)
{
  return std::make_unique<T>(spec);
}

struct NamedMutant {
  const char *name;
  bloom::Maker make;
};

const NamedMutant mutants[] = {
    {"always_yes", make<AlwaysYes>},
    {"always_no", make<AlwaysNo>},
    {"yes_once_anything_is_in", make<YesOnceAnythingIsIn>},
    {"forgets_every_100th", make<ForgetsEvery100th>},
    {"refuses_when_full", make<RefusesWhenFull>},
    {"drops_silently_when_full", make<DropsSilentlyWhenFull>},
    {"starts_anew_when_full", make<StartsAnewWhenFull>},
    {"ignores_flags", make<IgnoresFlags>},
    {"ignores_high_flags", make<IgnoresHighFlags>},
    {"refused_push_stays", make<RefusedPushStays>},
    {"ignores_last_byte", make<SeesChanged<without_last_byte>>},
    {"hashes_whole_words_only", make<SeesChanged<in_whole_words>>},
    {"hashes_first_word_only", make<SeesChanged<first_word_only>>},
    {"ignores_high_bits", make<SeesChanged<in_seven_bits>>},
    {"other_errno", make<OtherErrno>},
    {"found_is_one", make<FoundIsOne>},
    {"peek_pops", make<PeekPops>},
    {"peek_pushes", make<PeekPushes>},
    {"peek_writes_back", make<PeekWritesBack>},
    {"second_push_is_an_error", make<SecondPushIsAnError>},
    {"second_push_takes_out", make<SecondPushTakesOut>},
    {"zeros_are_always_in", make<ZerosAreAlwaysIn>},
    {"remembers_the_last_400", make<RemembersTheLast400>},
    {"one_hash_more", make<OneHashMore>},
    {"one_hash_only", make<OneHashOnly>},
    {"half_the_bits", make<HalfTheBits>},
    {"twice_the_bits", make<TwiceTheBits>},
    {"exact_set", make<ExactSet>},
};

} // namespace

TEST(bloom_filter_mutants)
{
  test::require(probe::map_bloom);
  for (const NamedMutant &mutant : mutants) {
    SUBTEST_NAMED(mutant.name)
    {
      std::string caught;
      for (const bloom::Check &check : bloom::checks())
        if (!check.run(*mutant.make(check.spec)).empty())
          caught += fmt::format(" {}", check.name);
      test::log(fmt::format("{}: caught by{}\n", mutant.name, caught.empty() ? " none" : caught));
      CHECK(!caught.empty());
    };
  }
}
