// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Boots that become one result, and boots that must not.
#include "tools/gate/measure/vm_merge.h"

#include "tools/gate/testing/test_results.h"
#include "tools/lib/json.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::json;
using result::Result;
using result::Status;

namespace
{

Boot boot_of(uint64_t seed, std::vector<std::vector<double>> loads)
{
  Boot boot = {seed, time_result(std::move(loads))};
  boot.result.environment["load"] = Value::List{0.1 * static_cast<double>(seed), 0, 0};
  boot.result.environment["vm"] = {
      {"qemu", "7.2.22"}, {"seed", std::to_string(seed)}, {"kernel_build_id", "aa"}};
  return boot;
}

} // namespace

TEST(vm_merge_makes_each_boot_a_load)
{
  Result merged = merge_boots({boot_of(1, {{100}, {101}, {102}}), boot_of(7, {{103}, {104}})});
  const auto &benchmark = merged.benchmarks.at(0);
  expect(benchmark.status == Status::Ok);
  expect(benchmark.metrics.at(0).samples ==
         std::vector<std::vector<double>>{{100, 101, 102}, {103, 104}});
  const Value &environment = merged.environment;
  expect(!environment.contains("load") && !environment.at("vm").contains("seed"));
  expect(environment.at("vm").at("seeds") == Value(Value::List{1, 7}));
  expect(environment.at("vm").text_of("qemu") == "7.2.22");
}

TEST(vm_merge_makes_each_boot_a_figure_of_a_function)
{
  Boot one = boot_of(1, {{100}}), two = boot_of(2, {{100}});
  one.result.benchmarks[0].functions = {{"a", {{"insns", {5, 6, 9}}}}};
  two.result.benchmarks[0].functions = {{"a", {{"insns", {7}}, {"l2_misses", {.5}}}},
                                        {"b", {{"insns", {1}}}}};
  auto functions = merge_boots({one, two}).benchmarks[0].functions;
  expect_eq(functions.size(), 2u);
  expect_eq(functions[0].name, "a");
  expect(functions[0].events.at("insns") == std::vector<double>{6, 7});
  expect(functions[0].events.at("l2_misses") == std::vector<double>{0, .5});
  expect(functions[1].events.at("insns") == std::vector<double>{0, 1});
}

TEST(vm_merge_of_one_boot)
{
  Result merged = merge_boots({boot_of(1, {{100}, {101}})});
  expect(merged.benchmarks.at(0).metrics.at(0).samples ==
         std::vector<std::vector<double>>{{100, 101}});
}

TEST(vm_merge_refuses_other_machines_and_kernels)
{
  Boot other = boot_of(2, {{100}});
  other.result.environment["vm"]["kernel_build_id"] = "bb";
  expect_throws(
      [&] {
        merge_boots({boot_of(1, {{100}}), other});
      },
      "seeds 1 and 2 differ: vm.kernel_build_id: aa against bb");
  other = boot_of(2, {{100}});
  other.result.environment["cpus"] = 4;
  expect_throws([&] { merge_boots({boot_of(1, {{100}}), other}); }, "cpus: 2 against 4");
}

TEST(vm_merge_refuses_other_benchmarks)
{
  Boot other = boot_of(2, {{100}});
  other.result.benchmarks[0].parameters["n"] = 1;
  expect_throws([&] { merge_boots({boot_of(1, {{100}}), other}); }, "different benchmarks");
  other.result.benchmarks.clear();
  expect_throws([&] { merge_boots({boot_of(1, {{100}}), other}); }, "different benchmarks");
}

TEST(vm_merge_never_passes_a_part)
{
  for (auto [status, name] : {std::pair{Status::Failed, "failed"},
                              {Status::Skipped, "skipped"},
                              {Status::Interrupted, "interrupted"}}) {
    Boot bad = boot_of(3, {{100}});
    bad.result.benchmarks[0].status = status;
    bad.result.benchmarks[0].reason = "because";
    for (const auto &boots : {std::vector{boot_of(1, {{100}}), bad}, {bad, boot_of(1, {{100}})}}) {
      Result merged = merge_boots(boots);
      expect(merged.benchmarks[0].status == Status::Failed);
      expect_eq(merged.benchmarks[0].reason, fmt::format("seed 3: {}: because", name));
      expect(merged.benchmarks[0].metrics.empty());
    }
  }
}

TEST(vm_merge_keeps_what_every_boot_skips)
{
  Boot one = boot_of(1, {}), two = boot_of(2, {});
  for (Boot *boot : {&one, &two}) {
    boot->result.benchmarks[0].status = Status::Skipped;
    boot->result.benchmarks[0].reason = "one CPU";
  }
  Result merged = merge_boots({one, two});
  expect(merged.benchmarks[0].status == Status::Skipped);
  expect_eq(merged.benchmarks[0].reason, "one CPU");
}

TEST(vm_merge_fails_where_figures_or_programs_differ)
{
  auto reason = [](const Boot &other) {
    return merge_boots({boot_of(1, {{100}}), other}).benchmarks[0].reason;
  };
  Boot other = boot_of(2, {{100}});
  other.result.benchmarks[0].bytecode = "b2";
  expect_has(reason(other), "seed 2: its program is another one");
  other = boot_of(2, {});
  expect_has(reason(other), "seed 2: it has other figures");
  other = boot_of(2, {{100}});
  other.result.benchmarks[0].metrics[0].unit = "us/op";
  expect_has(reason(other), "seed 2: it has other figures");
}
