// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Wrong hash maps, each of which the checks of hash_map_checks.cpp must catch.
#include <map>

#include "prog_tests/hash_map_checks.h"
#include "prog_tests/mutants.h"

using map_test::Bytes;
using map_test::Mutant;

namespace
{

struct LastByteOfKeyIgnored : Mutant {
  using Mutant::Mutant;
  static Bytes cut(Bytes key)
  {
    key.back() = 0;
    return key;
  }
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return Mutant::update(cut(key), value, flags);
  }
  int lookup(const Bytes &key, uint64_t &value) override { return Mutant::lookup(cut(key), value); }
};

struct HighBitOfKeyIgnored : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    Bytes other = key;
    for (uint8_t &byte : other)
      byte &= 0x7f;
    return Mutant::lookup(other, value);
  }
};

struct EraseLeavesEntry : Mutant {
  using Mutant::Mutant;
  int erase(const Bytes &key) override { return has(key) ? 0 : -ENOENT; }
};

struct EraseOfMissingSucceeds : Mutant {
  using Mutant::Mutant;
  int erase(const Bytes &key) override
  {
    Mutant::erase(key);
    return 0;
  }
};

struct LookupOfErasedIsStale : Mutant {
  using Mutant::Mutant;
  int lookup(const Bytes &key, uint64_t &value) override
  {
    int err = Mutant::lookup(key, value);
    if (!err)
      x_seen[key] = value;
    else if (x_seen.count(key))
      value = x_seen[key];
    return x_seen.count(key) ? 0 : err;
  }
  std::map<Bytes, uint64_t> x_seen;
};

struct UpdateIgnoresLockFlag : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return Mutant::update(key, value, flags & ~uint64_t(BPF_F_LOCK));
  }
};

// Knows how many entries there are.
struct Counting : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    bool there = has(key);
    int err = Mutant::update(key, value, flags);
    x_count += !err && !there;
    return err;
  }
  int erase(const Bytes &key) override
  {
    int err = Mutant::erase(key);
    x_count -= !err;
    return err;
  }
  uint32_t x_count = 0;
};

struct OneTooFew : Counting {
  using Counting::Counting;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    bool last = x_count + 1 == spec().max_entries && flags != BPF_EXIST;
    return last && !has(key) ? -E2BIG : Counting::update(key, value, flags);
  }
};

struct OverwriteWhenFullRefused : Counting {
  using Counting::Counting;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    bool full = x_count == spec().max_entries && flags != BPF_NOEXIST;
    return full && has(key) ? -E2BIG : Counting::update(key, value, flags);
  }
};

struct OverwriteKeepsOldValue : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    return flags != BPF_NOEXIST && flags <= BPF_EXIST && has(key)
               ? 0
               : Mutant::update(key, value, flags);
  }
};

struct FailedInsertUsesUpRoom : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    if (!has(key) && x_lost && flags <= BPF_NOEXIST)
      return -E2BIG;
    int err = Mutant::update(key, value, flags);
    x_lost |= err == -EEXIST;
    return err;
  }
  bool x_lost = false;
};

struct FullIsEnospc : Mutant {
  using Mutant::Mutant;
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    int err = Mutant::update(key, value, flags);
    return err == -E2BIG ? -ENOSPC : err;
  }
};

struct IterationLosesOne : Mutant {
  using Mutant::Mutant;
  int next_key(const Bytes *previous, Bytes &next) override
  {
    Bytes found;
    int err = Mutant::next_key(previous, found);
    if (!err && !previous)
      Mutant::next_key(&found, found);
    if (!err)
      next = found;
    return err;
  }
};

struct UnknownKeyEndsIteration : Mutant {
  using Mutant::Mutant;
  int next_key(const Bytes *previous, Bytes &next) override
  {
    return previous && !has(*previous) ? -ENOENT : Mutant::next_key(previous, next);
  }
};

struct IterationNeverEnds : Mutant {
  using Mutant::Mutant;
  int next_key(const Bytes *previous, Bytes &next) override
  {
    int err = Mutant::next_key(previous, next);
    return err ? Mutant::next_key(nullptr, next) : 0;
  }
};

} // namespace

TEST(hash_map_mutants)
{
  map_test::run_mutants(
      {map_test::mutant<LastByteOfKeyIgnored>("last_byte_of_key_ignored"),
       map_test::mutant<HighBitOfKeyIgnored>("high_bit_of_key_ignored"),
       map_test::mutant<EraseLeavesEntry>("erase_leaves_entry"),
       map_test::mutant<EraseOfMissingSucceeds>("erase_of_missing_succeeds"),
       map_test::mutant<LookupOfErasedIsStale>("lookup_of_erased_is_stale"),
       map_test::mutant<map_test::UpdateIgnoresNoexist>("update_ignores_noexist"),
       map_test::mutant<map_test::UpdateIgnoresExist>("update_ignores_exist"),
       map_test::mutant<map_test::UpdateIgnoresHighFlags>("update_ignores_high_flags"),
       map_test::mutant<UpdateIgnoresLockFlag>("update_ignores_lock_flag"),
       map_test::mutant<map_test::OneTooMany>("one_entry_too_many"),
       map_test::mutant<OneTooFew>("one_entry_too_few"),
       map_test::mutant<OverwriteWhenFullRefused>("overwrite_when_full_refused"),
       map_test::mutant<OverwriteKeepsOldValue>("overwrite_keeps_old_value"),
       map_test::mutant<FailedInsertUsesUpRoom>("failed_insert_uses_up_room"),
       map_test::mutant<FullIsEnospc>("full_is_enospc"),
       map_test::mutant<IterationLosesOne>("iteration_loses_one"),
       map_test::mutant<UnknownKeyEndsIteration>("unknown_key_ends_iteration"),
       map_test::mutant<IterationNeverEnds>("iteration_never_ends")},
      hash_test::checks(BPF_F_NO_PREALLOC));
}
