// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Push and peek from BPF programs: the same filter as by syscall, value by value and errno by
// errno.
#include "prog_tests/bloom_filter.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

namespace
{

constexpr uint32_t many = 1000;

bloom_args run(const bpf_program *prog, bloom_op op, uint64_t first, __u64 flags = 0)
{
  bloom_args args = {.first = first, .count = many, .op = op, .flags = flags};
  REQUIRE_OK(bloom::run(prog, args));
  return args;
}

class Loaded : public bpf::Skeleton<bloom_filter> {
public:
  Loaded() : Skeleton("bloom_filter") { load(); }
  bloom_args run(bloom_op op, uint64_t first = 0, __u64 flags = 0)
  {
    return ::run((*this)->progs.bloom_run, op, first, flags);
  }
};

} // namespace

TEST(bloom_filter_bpf)
{
  test::require(probe::map_bloom);
  test::require(probe::test_run);
  // covers: bloom T5
  SUBTEST(peek_finds_all_that_user_space_pushed)
  {
    Loaded loaded;
    for (uint32_t n = 0; n < many; n++) {
      __u64 value = bloom_value(n);
      REQUIRE_OK(bpf_map_update_elem(bpf_map__fd(loaded->maps.bloom), nullptr, &value, BPF_ANY));
    }
    CHECK_EQ(loaded.run(BLOOM_PEEK).done, many);
  };
  SUBTEST(user_space_finds_all_that_push_left)
  {
    Loaded loaded;
    CHECK_EQ(loaded.run(BLOOM_PUSH).done, many);
    for (uint32_t n = 0; n < many; n++) {
      __u64 value = bloom_value(n);
      CHECK_OK(bpf_map_lookup_elem(bpf_map__fd(loaded->maps.bloom), nullptr, &value));
    }
  };
  // covers: bloom N1
  SUBTEST(peek_in_empty_filter)
  {
    auto args = Loaded().run(BLOOM_PEEK);
    CHECK_EQ(args.absent, many);
    CHECK_EQ(args.failed, 0U);
    // As wide as the register from 6.4 on.
    if (!probe::kernel_at_least(6, 4))
      CHECK_EQ(args.narrow, 0U);
  };
  SUBTEST(peek_of_others_is_mostly_absent)
  {
    Loaded loaded;
    loaded.run(BLOOM_PUSH);
    // Theory: 29 false of 1000, standard deviation 5.
    CHECK(loaded.run(BLOOM_PEEK, many).absent > 850);
  };
}

// covers: bloom N11
TEST(bloom_filter_bpf_push_flags)
{
  test::require(probe::map_bloom);
  test::require(probe::test_run);
  for (__u64 flags : {__u64(BPF_NOEXIST), __u64(BPF_EXIST), __u64(BPF_F_LOCK), __u64(8),
                      __u64(1) << 32, ~__u64(0)}) {
    SUBTEST_NAMED(fmt::format("{:#x}", flags))
    {
      Loaded loaded;
      auto args = loaded.run(BLOOM_PUSH, 0, flags);
      CHECK_EQ(args.failed, many);
      CHECK_EQ(args.last_error, -EINVAL);
      // Errors are 64 bits wide from 6.4 on: see note() in progs/bloom_filter.c.
      if (!probe::kernel_at_least(6, 4))
        CHECK_EQ(args.narrow, 0U);
      CHECK_EQ(loaded.run(BLOOM_PEEK).absent, many);
    };
  }
}

// covers: bloom N7
TEST(bloom_filter_bpf_value_sizes)
{
  test::require(probe::map_bloom);
  test::require(probe::test_run);
  for (__u32 size : {1, 2, 3, 4, 5, 8, 11, 64, 256, 4095, 4096}) {
    SUBTEST_NAMED(fmt::format("{}_bytes", size))
    {
      bloom::RawProgram program(bloom::spec(size));
      auto value = bloom::value_of(1, size), other = bloom::value_of(2, size);
      CHECK_ERR(program.peek(value), -ENOENT);
      CHECK_ERR(program.push(value, BPF_EXIST), -EINVAL);
      CHECK_ERR(program.peek(value), -ENOENT);
      CHECK_OK(program.push(value));
      CHECK_OK(program.peek(value));
      CHECK_ERR(program.peek(other), -ENOENT); // wrong once in 1e16
      CHECK_OK(bpf_map_lookup_elem(program.map_fd(), nullptr, value.data()));
      CHECK_ERR(bpf_map_lookup_elem(program.map_fd(), nullptr, other.data()), -ENOENT);
    };
  }
}

TEST(bloom_filter_bpf_memory)
{
  test::require(probe::map_bloom);
  test::require(probe::test_run);
  SUBTEST(value_in_the_packet)
  {
    Loaded loaded;
    bloom_args args = {.value = 42};
    CHECK_ERR(bpf_map_lookup_elem(bpf_map__fd(loaded->maps.bloom), nullptr, &args.value), -ENOENT);
    REQUIRE_OK(bloom::run(loaded->progs.packet_push, args));
    CHECK_EQ(args.last_error, 0);
    CHECK_OK(bpf_map_lookup_elem(bpf_map__fd(loaded->maps.bloom), nullptr, &args.value));
  };
  // covers: bloom N8
  SUBTEST(zero_seed_answers_alike)
  {
    auto answers = [] {
      bpf::Skeleton<bloom_filter> skel("bloom_filter");
      bpf::check(bpf_map__set_map_flags(skel->maps.bloom, BPF_F_ZERO_SEED), "set flags", "bloom");
      skel.load();
      run(skel->progs.bloom_run, BLOOM_PUSH, 0);
      std::string found;
      for (uint64_t first = many; first < 10 * many; first += many)
        found += fmt::format("{} ", run(skel->progs.bloom_run, BLOOM_PEEK, first).done);
      return found;
    };
    CHECK_EQ(answers(), answers());
  };
}
