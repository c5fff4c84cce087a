// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Wrong LPM tries, each of which the checks of lpm_trie_checks.cpp must catch.
#include "prog_tests/lpm_trie_checks.h"
#include "prog_tests/mutants.h"

using lpm_test::Bytes;
using lpm_test::make_key;
using lpm_test::prefix_len;
using map_test::Mutant;

namespace
{

Bytes with_length(const Bytes &key, uint32_t length)
{
  return make_key(length, Bytes(key.begin() + sizeof(uint32_t), key.end()));
}

uint32_t max_bits(const bpf::MapSpec &spec) { return (spec.key_size - 4) * 8; }

struct LookupOneBitShort : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    uint32_t length = prefix_len(key);
    return Mutant::lookup(with_length(key, length ? length - 1 : 0), value);
  }
};

struct LookupFindsShorterPrefix : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    return Mutant::lookup(with_length(key, prefix_len(key) / 2), value);
  }
};

struct LookupIgnoresPrefixLength : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    return Mutant::lookup(with_length(key, max_bits(spec())), value);
  }
};

struct LookupIgnoresLastBit : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    Bytes other = key;
    other.back() &= 0xfe;
    return Mutant::lookup(other, value);
  }
};

struct LookupIgnoresBytesBehindTheEighth : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    Bytes other = key;
    for (size_t i = 12; i < other.size(); i++)
      other[i] = static_cast<uint8_t>((i - 4) * 37 + 0x5a);
    return Mutant::lookup(other, value);
  }
};

struct EraseLeavesEntry : Mutant {
  using Mutant::Mutant;
  int erase(const Bytes &key) override
  {
    uint64_t value = 0;
    bool there = !Mutant::lookup(key, value);
    int err = Mutant::erase(key);
    if (!err && there)
      Mutant::update(key, value, BPF_ANY);
    return err;
  }
};

struct EraseTakesShorterPrefix : Mutant {
  using Mutant::Mutant;
  int erase(const Bytes &key) override
  {
    int err = Mutant::erase(key);
    for (uint32_t length = prefix_len(key); err == -ENOENT && length-- > 0;)
      err = Mutant::erase(with_length(key, length));
    return err;
  }
};

struct TooLongPrefixIsCut : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return Mutant::update(with_length(key, std::min(prefix_len(key), max_bits(spec()))), value,
                          flags);
  }
};

struct LookupOfTooLongPrefixIsCut : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    return Mutant::lookup(with_length(key, std::min(prefix_len(key), max_bits(spec()))), value);
  }
};

struct LookupOfTooLongPrefixIsInvalid : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    return prefix_len(key) > max_bits(spec()) ? -EINVAL : Mutant::lookup(key, value);
  }
};

struct BitsBehindPrefixAreCleared : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    Bytes other = key;
    for (uint32_t bit = prefix_len(key); bit < max_bits(spec()); bit++)
      other[4 + bit / 8] &= static_cast<uint8_t>(~(0x80 >> bit % 8));
    return Mutant::update(other, value, flags);
  }
};

struct NoDefaultRoute : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return prefix_len(key) ? Mutant::update(key, value, flags) : 0;
  }
};

struct OverwriteKeepsOldValue : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    int err = Mutant::update(key, value, flags == BPF_EXIST ? flags : +BPF_NOEXIST);
    return err == -EEXIST && flags == BPF_ANY ? 0 : err;
  }
};

struct OverwriteUsesUpRoom : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    if (x_used == spec().max_entries)
      return flags == BPF_EXIST ? -ENOENT : -ENOSPC;
    int err = Mutant::update(key, value, flags);
    x_used += !err;
    return err;
  }
  int erase(const Bytes &key) override
  {
    int err = Mutant::erase(key);
    x_used -= !err;
    return err;
  }
  uint32_t x_used = 0;
};

struct IterationLosesLast : Mutant {
  using Mutant::Mutant;
  int next_key(const Bytes *previous, Bytes &next) override
  {
    Bytes found, behind;
    int err = Mutant::next_key(previous, found);
    if (err || (previous && Mutant::next_key(&found, behind)))
      return -ENOENT;
    next = found;
    return 0;
  }
};

struct UnknownKeyEndsIteration : Mutant {
  using Mutant::Mutant;
  int next_key(const Bytes *previous, Bytes &next) override
  {
    return previous && prefix_len(*previous) % 8 ? -ENOENT : Mutant::next_key(previous, next);
  }
};

struct FullIsE2big : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    int err = Mutant::update(key, value, flags);
    return err == -ENOSPC ? -E2BIG : err;
  }
};

} // namespace

TEST(lpm_trie_mutants)
{
  map_test::run_mutants(
      {map_test::mutant<LookupOneBitShort>("lookup_one_bit_short"),
       map_test::mutant<LookupFindsShorterPrefix>("lookup_finds_shorter_prefix"),
       map_test::mutant<LookupIgnoresPrefixLength>("lookup_ignores_length"),
       map_test::mutant<LookupIgnoresLastBit>("lookup_ignores_last_bit"),
       map_test::mutant<LookupIgnoresBytesBehindTheEighth>(
           "lookup_ignores_bytes_behind_the_eighth"),
       map_test::mutant<EraseLeavesEntry>("erase_leaves_entry"),
       map_test::mutant<EraseTakesShorterPrefix>("erase_takes_shorter_prefix"),
       map_test::mutant<map_test::UpdateIgnoresNoexist>("update_ignores_noexist"),
       map_test::mutant<map_test::UpdateIgnoresExist>("update_ignores_exist"),
       map_test::mutant<map_test::UpdateIgnoresHighFlags>("update_ignores_high_flags"),
       map_test::mutant<map_test::OneTooMany>("one_entry_too_many"),
       map_test::mutant<TooLongPrefixIsCut>("update_cuts_too_long_prefix"),
       map_test::mutant<LookupOfTooLongPrefixIsCut>("lookup_cuts_too_long_prefix"),
       map_test::mutant<LookupOfTooLongPrefixIsInvalid>("lookup_of_too_long_prefix_is_invalid"),
       map_test::mutant<BitsBehindPrefixAreCleared>("bits_behind_are_cleared"),
       map_test::mutant<NoDefaultRoute>("no_default_route"),
       map_test::mutant<OverwriteKeepsOldValue>("overwrite_keeps_old_value"),
       map_test::mutant<OverwriteUsesUpRoom>("overwrite_uses_up_room"),
       map_test::mutant<IterationLosesLast>("iteration_loses_last"),
       map_test::mutant<UnknownKeyEndsIteration>("unknown_key_ends_iteration"),
       map_test::mutant<FullIsE2big>("full_is_e2big")},
      lpm_test::checks());
}
