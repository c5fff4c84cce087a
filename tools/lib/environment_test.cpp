// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What is recorded of this machine agrees with what the system itself says.
#include "tools/lib/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <regex>

#include "tools/lib/text.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;

TEST(environment_agrees_with_the_system)
{
  auto environment = read_environment();
  utsname kernel;
  uname(&kernel);
  expect_eq(environment.at("kernel").get<std::string>(), std::string(kernel.release));
  expect_eq(environment.at("kernel_version").get<std::string>(), std::string(kernel.version));
  expect_eq(environment.at("arch").get<std::string>(), std::string(kernel.machine));
  expect_eq(environment.at("cpus").get<long>(), sysconf(_SC_NPROCESSORS_ONLN));
  expect_eq(environment.at("accelerator").get<std::string>(), std::string("native"));
  expect_eq(environment.at("load").size(), 3u);
  if (auto jit = read_small_file("/proc/sys/net/core/bpf_jit_enable"))
    expect_eq(environment.at("jit").get<uint64_t>(), parse_whole(*jit).value());
}

TEST(environment_has_no_empty_member)
{
  auto environment = read_environment();
  for (const auto &[name, value] : environment.items()) {
    expect(!value.is_null(), name);
    expect(!value.is_string() || !value.get<std::string>().empty(), name);
  }
  for (const auto &[name, value] : environment.at("mitigations").items())
    expect(value.is_string() && value.get<std::string>() != "Not affected", name);
}

TEST(environment_time_is_utc)
{
  setenv("TZ", "Asia/Tokyo", 1);
  std::string here = utc_now();
  unsetenv("TZ");
  std::string there = utc_now();
  expect(std::regex_match(here, std::regex("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")), here);
  // Nine hours would show; a second or two that pass in between do not matter.
  expect_eq(here.substr(0, 10), there.substr(0, 10));
  expect(std::abs(std::stoi(here.substr(11, 2)) - std::stoi(there.substr(11, 2))) <= 1, here);
}
