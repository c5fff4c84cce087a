// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CPU lists and pinning, on the CPUs that this process really has.
#include "tools/lib/cpus.h"

#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "tools/lib/unit_test.h"

using namespace unit_test;

TEST(cpus_list_is_parsed)
{
  expect_eq(parse_cpu_list("0"), std::vector<int>{0});
  expect_eq(parse_cpu_list("0,2-4"), std::vector<int>{0, 2, 3, 4});
  expect_eq(parse_cpu_list("3-3,1"), std::vector<int>{3, 1});
  expect_eq(parse_cpu_list("0-1023").size(), 1024u);
}

TEST(cpus_list_that_is_wrong_names_the_part)
{
  expect_throws([] { parse_cpu_list(""); }, "''");
  expect_throws([] { parse_cpu_list("0,"); }, "'' in the CPU list '0,'");
  expect_throws([] { parse_cpu_list("0,x"); }, "'x' in the CPU list '0,x'");
  expect_throws([] { parse_cpu_list("4-2"); }, "'4-2' in the CPU list '4-2' runs backwards");
  expect_throws([] { parse_cpu_list("1024"); }, "0 to 1023");
  for (const char *text : {"-", "-1", "1-", "0--1", "0 ", " 0", "1-2-3", "99999999999", "0;1"})
    expect_throws([&] { parse_cpu_list(text); }, text);
}

TEST(cpus_allowed_follow_the_affinity)
{
  auto all = allowed_cpus();
  expect(!all.empty() && std::is_sorted(all.begin(), all.end()));
  std::vector<int> inside;
  int running_on = -1;
  std::thread([&] {
    pin_this_thread(all.back());
    inside = allowed_cpus();
    running_on = sched_getcpu();
  }).join();
  expect_eq(inside, std::vector<int>{all.back()});
  expect_eq(running_on, all.back());
  expect_eq(allowed_cpus(), all);
}

TEST(cpus_pinning_to_a_cpu_that_is_not_there_fails)
{
  expect_throws([] { pin_this_thread(1023); }, "cannot pin a thread to CPU 1023");
}
