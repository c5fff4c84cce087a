// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Bloom filters inside a map of maps: which ones the outer map takes, and that each keeps its own
// number of hash functions when a program reaches it through the outer map.
#include "prog_tests/bloom_filter.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

namespace
{

constexpr uint32_t many = 1000;

// A loaded program whose outer map holds no other filter than the one put in.
class Outer {
public:
  Outer() : x_skel("bloom_filter") { x_skel.load(); }
  int put(const bpf::Map &filter)
  {
    __u32 zero = 0, fd = filter.fd();
    return bpf_map_update_elem(bpf_map__fd(x_skel->maps.outer), &zero, &fd, BPF_ANY);
  }
  int take_out()
  {
    __u32 zero = 0;
    return bpf_map_delete_elem(bpf_map__fd(x_skel->maps.outer), &zero);
  }
  bloom_args run(bloom_op op, uint64_t first = 0, uint32_t count = many)
  {
    bloom_args args = {.first = first, .count = count, .op = op};
    REQUIRE_OK(bloom::run(x_skel->progs.inner_run, args));
    return args;
  }

private:
  bpf::Skeleton<bloom_filter> x_skel;
};

void push_values(const bpf::Map &filter)
{
  for (uint32_t n = 0; n < many; n++) {
    __u64 value = bloom_value(n);
    REQUIRE_OK(filter.update(nullptr, &value));
  }
}

} // namespace

TEST(bloom_filter_inner)
{
  test::require(probe::map_bloom);
  test::require(probe::map_array_of_maps);
  test::require(probe::test_run);
  // covers: bloom T4
  SUBTEST(program_finds_what_was_pushed)
  {
    Outer outer;
    bpf::Map filter(bloom::spec(8, many));
    push_values(filter);
    REQUIRE_OK(outer.put(filter));
    CHECK_EQ(outer.run(BLOOM_PEEK).done, many);
    CHECK_OK(outer.take_out());
    CHECK_EQ(outer.run(BLOOM_PEEK).last_error, -EBADF);
  };
  SUBTEST(program_pushes)
  {
    Outer outer;
    bpf::Map filter(bloom::spec(8, many));
    REQUIRE_OK(outer.put(filter));
    CHECK_EQ(outer.run(BLOOM_PUSH).done, many);
    for (uint32_t n = 0; n < many; n++) {
      __u64 value = bloom_value(n);
      CHECK_OK(filter.lookup(nullptr, &value));
    }
  };
  // covers: bloom N1
  SUBTEST(empty_inner_filter)
  {
    Outer outer;
    REQUIRE_OK(outer.put(bpf::Map(bloom::spec(8, many))));
    CHECK_EQ(outer.run(BLOOM_PEEK).absent, many);
  };
}

// The template has 1000 entries and five hash functions.
// covers: bloom N15
TEST(bloom_filter_inner_equality)
{
  test::require(probe::map_bloom);
  test::require(probe::map_array_of_maps);
  test::require(probe::test_run);
  for (__u64 hashes : {1, 4, 9, 15}) {
    SUBTEST_NAMED(fmt::format("{}_hashes_and_other_max_entries", hashes))
    {
      Outer outer;
      bpf::Map filter(bloom::spec(8, 64 * many, hashes));
      push_values(filter);
      REQUIRE_OK(outer.put(filter));
      CHECK_EQ(outer.run(BLOOM_PEEK).done, many);
      // Room for 64 times as many: with four functions or more one false answer in 1e5 or fewer.
      if (hashes >= 4)
        CHECK(outer.run(BLOOM_PEEK, many).absent > many - 10);
    };
  }
  SUBTEST(other_value_size) { CHECK_ERR(Outer().put(bpf::Map(bloom::spec(16, many))), -EINVAL); };
  SUBTEST(other_flags)
  {
    CHECK_ERR(Outer().put(bpf::Map(bloom::spec(8, many, 5, BPF_F_ZERO_SEED))), -EINVAL);
  };
  SUBTEST(other_type)
  {
    CHECK_ERR(Outer().put(bpf::Map({BPF_MAP_TYPE_QUEUE, 0, 8, many})), -EINVAL);
  };
}

TEST(bloom_filter_inner_create)
{
  test::require(probe::map_bloom);
  test::require(probe::map_array_of_maps);
  test::require(probe::test_run);
  // covers: bloom T4
  SUBTEST(array_of_maps)
  {
    bpf::Map inner(bloom::spec());
    bpf::MapSpec spec = {BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 1};
    spec.inner_fd = inner.fd();
    bpf::Map outer(spec);
    __u32 zero = 0, fd = inner.fd(), id = 0;
    CHECK_OK(outer.update(&zero, &fd));
    CHECK_OK(outer.lookup(&zero, &id));
    bpf_map_info info;
    CHECK_OK(inner.info(info));
    CHECK_EQ(id, info.id);
    CHECK_OK(outer.erase(&zero));
    CHECK_ERR(outer.lookup(&zero, &id), -ENOENT);
  };
  SUBTEST(info_tells_the_hash_functions)
  {
    bpf_map_info info;
    CHECK_OK(bpf::Map(bloom::spec(8, 100, 7)).info(info));
    CHECK_EQ(info.map_extra, 7U);
    CHECK_EQ(info.max_entries, 100U);
    CHECK_EQ(info.key_size, 0U);
  };
}
