// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The least that must work before any other test makes sense: a map and what comes back out of it.
#include <bpf/bpf.h>

#include "tools/lib/fd.h"
#include "tools/test_progs/test_progs.h"

TEST(smoke)
{
  SUBTEST(map_keeps_a_value)
  {
    Fd map(bpf_map_create(BPF_MAP_TYPE_ARRAY, "smoke", 4, 8, 1, nullptr));
    REQUIRE_OK(map.get());
    uint32_t key = 0;
    uint64_t value = 42, found = 0;
    REQUIRE_OK(bpf_map_update_elem(map.get(), &key, &value, BPF_ANY));
    REQUIRE_OK(bpf_map_lookup_elem(map.get(), &key, &found));
    CHECK_EQ(found, value);
  };
  SUBTEST(errno_comes_back)
  {
    CHECK_ERR(bpf_map_create(BPF_MAP_TYPE_ARRAY, "smoke", 8, 8, 1, nullptr), -EINVAL);
  };
}
