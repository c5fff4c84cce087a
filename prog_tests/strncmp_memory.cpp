// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bpf_strncmp with s1 in each kind of memory that it takes. What it does not take is in
// progs/strncmp_failure.c.
#include <bpf/bpf.h>

#include "prog_tests/strncmp.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

using strncmp_test::sign;
using strncmp_test::Skel;

namespace
{

constexpr const char *smaller = "bpfgata", *same = "bpfgate", *larger = "bpfgatf";

struct Loaded : Skel {
  Loaded() : Skel("strncmp") { load(); }
};

// The sign that prog gives for s1 in .bss, where the programs take it from or copy it from.
int compare_subject(Skel &skel, const bpf_program *prog, const char *s1)
{
  memcpy(skel->bss->subject, s1, strlen(s1) + 1);
  return sign(strncmp_test::run(skel, prog));
}

void check_program(Skel &skel, const bpf_program *prog)
{
  CHECK_EQ(compare_subject(skel, prog, smaller), -1);
  CHECK_EQ(compare_subject(skel, prog, same), 0);
  CHECK_EQ(compare_subject(skel, prog, larger), 1);
}

int compare_rodata(const char *s1)
{
  Skel skel("strncmp");
  memcpy(const_cast<char *>(skel->rodata->const_subject), s1, strlen(s1));
  skel.load();
  return sign(strncmp_test::run(skel, skel->progs.compare_rodata));
}

int compare_hash_value(Skel &skel, const char *s1)
{
  __u32 zero = 0;
  bpf::check(bpf_map_update_elem(bpf_map__fd(skel->maps.hash), &zero, s1, BPF_ANY), "fill", "hash");
  return sign(strncmp_test::run(skel, skel->progs.compare_hash_value));
}

} // namespace

// covers: strncmp N4
TEST(strncmp_memory)
{
  test::require(probe::helper_strncmp);
  test::require(probe::test_run);
  Loaded skel;
  SUBTEST(stack) { check_program(skel, skel->progs.compare_stack); };
  SUBTEST(map_value) { check_program(skel, skel->progs.compare_bss); };
  SUBTEST(ringbuf_record) { check_program(skel, skel->progs.compare_ringbuf); };
  // covers: strncmp N3
  SUBTEST(size_from_rodata) { check_program(skel, skel->progs.compare_const_size); };
  SUBTEST(rodata)
  {
    CHECK_EQ(compare_rodata(smaller), -1);
    CHECK_EQ(compare_rodata(same), 0);
    CHECK_EQ(compare_rodata(larger), 1);
  };
  SUBTEST(hash_value)
  {
    CHECK_EQ(compare_hash_value(skel, smaller), -1);
    CHECK_EQ(compare_hash_value(skel, same), 0);
    CHECK_EQ(compare_hash_value(skel, larger), 1);
  };
  // The program decides by the size it was given at run time.
  // covers: strncmp N3
  SUBTEST(size_at_run_time)
  {
    strncmp_test::Kernel kernel;
    const std::string s1 = std::string(larger) + '\0';
    for (uint32_t size = 1; size <= 8; size++)
      CHECK_EQ(sign(kernel.compare({s1, same, size})), size < 7 ? 0 : 1);
  };
}
