// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/suite.h"

#include "tools/bench/counted.h"
#include "tools/lib/cpus.h"

namespace bench
{

std::vector<Selected> quick_suite()
{
  // Maps that fit the second-level cache, so that a figure does not hang on where the kernel put
  // them; one LPM lookup that does not, since that is what users have.
  std::vector<Selected> suite{
      select("anchor-empty", 1, {}),
      select("anchor-alu", 1, {}),
      select("lpm-trie-noop", 1, {}),
      select("lpm-trie-lookup", 1, {{"nr_entries", "1000"}}),
      select("lpm-trie-lookup", 1, {{"nr_entries", "10000"}, {"random", "1"}}),
      select("lpm-trie-insert", 1, {{"nr_entries", "1000"}}),
      select("lpm-trie-update", 1, {{"nr_entries", "1000"}}),
      select("lpm-trie-delete", 1, {{"nr_entries", "1000"}}),
      select("bloom-lookup", 1, {}),
      select("bloom-update", 1, {}),
      select("bloom-false-positive", 1, {{"nr_entries", "10000"}}),
      select("hashmap-without-bloom", 1, {{"nr_entries", "10000"}}),
      select("hashmap-with-bloom", 1, {{"nr_entries", "10000"}}),
      select("strncmp-no-helper", 1, {{"cmp-str-len", "64"}}),
      select("strncmp-helper", 1, {{"cmp-str-len", "64"}}),
      select("htab-mem", 1, {}),
      select("htab-mem", 1, {{"use-case", "batch_add_batch_del"}}),
      select("htab-mem", 1, {{"preallocated", "1"}}),
  };
  // Skipped by name where instructions are counted, for which there is one CPU only.
  if (allowed_cpus().size() >= 2 || counting())
    suite.push_back(select("htab-mem", 2, {{"use-case", "add_del_on_diff_cpu"}}));
  return suite;
}

} // namespace bench
