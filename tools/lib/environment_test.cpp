// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What is recorded of this machine agrees with what the system itself says.
#include "tools/lib/environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <regex>

#include "tools/lib/instruction_clock.h"
#include "tools/lib/text.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;

TEST(environment_agrees_with_the_system)
{
  auto environment = read_environment();
  utsname kernel;
  uname(&kernel);
  expect_eq(environment.at("kernel").text(), std::string(kernel.release));
  expect_eq(environment.at("kernel_version").text(), std::string(kernel.version));
  expect_eq(environment.at("arch").text(), std::string(kernel.machine));
  expect_eq(environment.at("cpus").whole(), sysconf(_SC_NPROCESSORS_ONLN));
  std::string hypervisor = environment.at("hypervisor").text();
  expect_eq(environment.at("accelerator").text(),
            accelerator_of(hypervisor, clock_counts_instructions()));
  expect_eq(environment.at("load").size(), 3u);
  if (auto jit = read_small_file("/proc/sys/net/core/bpf_jit_enable"))
    expect_eq(environment.at("jit").unsigned_whole(), parse_whole(*jit).value());
}

TEST(environment_has_no_empty_member)
{
  auto environment = read_environment();
  for (const auto &[name, value] : environment.items()) {
    expect(!value.is_null(), name);
    expect(!value.is_string() || !value.text().empty(), name);
  }
  for (const auto &[name, value] : environment.at("mitigations").items())
    expect(value.is_string() && value.text() != "Not affected", name);
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

TEST(environment_accelerator_is_what_was_found)
{
  expect_eq(accelerator_of("none", false), std::string("native"));
  expect_eq(accelerator_of("Microsoft Hv", false), std::string("native"));
  expect_eq(accelerator_of("kvm", false), std::string("kvm"));
  expect_eq(accelerator_of("tcg", false), std::string("tcg"));
  // A clock that counts instructions is that of -icount, whatever the CPU model shows.
  expect_eq(accelerator_of("tcg", true), std::string("icount"));
  expect_eq(accelerator_of("none", true), std::string("icount"));
}

TEST(environment_contradicts_what_it_is_told)
{
  Value environment = {{"accelerator", "tcg"}, {"vm", Value{{"kernel_build_id", "a1b2"}}}};
  expect_eq(contradictions(environment, {}, {}).size(), 0u);
  expect_eq(contradictions(environment, "tcg", "a1b2").size(), 0u);
  auto found = contradictions(environment, "icount", "c3");
  expect_eq(found.size(), 2u);
  expect_has(found.at(0), "VMTEST_ACCELERATOR says icount, but this is tcg");
  expect_has(found.at(1), "VMTEST_KERNEL says c3, but this is a1b2");
  // A kernel without a build id contradicts nobody.
  expect_eq(contradictions(Value{{"accelerator", "tcg"}}, "tcg", "c3").size(), 0u);
}

TEST(environment_records_what_a_runner_of_machines_says)
{
  expect(!read_environment().contains("vm"), "a machine without VMTEST_ variables");
  setenv("VMTEST_SEED", "7", 1);
  setenv("VMTEST_QEMU", "7.2.22", 1);
  setenv("VMTEST_CPU", "", 1);
  auto vm = read_environment().at("vm");
  unsetenv("VMTEST_SEED");
  unsetenv("VMTEST_QEMU");
  unsetenv("VMTEST_CPU");
  expect_eq(vm.at("seed").text(), std::string("7"));
  expect_eq(vm.at("qemu").text(), std::string("7.2.22"));
  expect(!vm.contains("cpu") && !vm.contains("initramfs"), vm.dump());
  if (vm.contains("kernel_build_id")) // not every kernel is linked with one
    expect(std::regex_match(vm.at("kernel_build_id").text(), std::regex("[0-9a-f]+")));
}
