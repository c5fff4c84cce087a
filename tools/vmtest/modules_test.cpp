// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/modules.h"

#include <fmt/ranges.h>

#include <map>

#include "tools/lib/unit_test.h"
#include "tools/vmtest/test_images.h"

using namespace unit_test;
using namespace vmtest;

using Depends = std::map<std::string, std::string>;

static std::string order(const std::vector<std::string> &wanted, const Depends &depends)
{
  auto read = [&](const std::string &name) -> std::optional<std::string> {
    auto at = depends.find(name);
    if (at == depends.end())
      return std::nullopt;
    return make_module({{"name", name}, {"depends", at->second}});
  };
  return fmt::format("{}", fmt::join(insertion_order(wanted, read), " "));
}

TEST(modules_come_after_what_they_need)
{
  Depends depends = {{"a", "b,c-d"}, {"b", "e"}, {"c_d", "e"}, {"e", ""}, {"f", ""}};
  expect_eq(order({"a"}, depends), "e b c_d a");
  expect_eq(order({"c-d", "a"}, depends), "e c_d b a");
  expect_eq(order({"f", "e"}, depends), "f e");
}

TEST(modules_that_are_not_there)
{
  expect_eq(order({"built_in", "a"}, {{"a", ""}}), "a");
  expect_throws([] { order({"a"}, {{"a", "b"}}); }, "module a needs b");
}

TEST(modules_in_a_circle)
{
  expect_throws([] { order({"a"}, {{"a", "b"}, {"b", "a"}}); }, "depends on itself");
}

TEST(modules_info)
{
  std::string module = make_module({{"depends", "x"}, {"license", "GPL"}, {"dep", "y"}});
  expect_eq(module_info(module, "license").value_or("none"), "GPL");
  expect_eq(module_info(module, "dep").value_or("none"), "y");
  expect(!module_info(module, "absent"));
  expect_throws([] { module_info("text", "depends"); }, "no ELF");
  expect_eq(module_name("/lib/virtio-pci.ko.xz"), "virtio_pci");
}

TEST(modules_cut_short_anywhere)
{
  std::string module = make_module({{"depends", "x"}});
  for (size_t size = 0; size < module.size(); size++)
    expect_throws([&] { module_info(module.substr(0, size), "depends"); }, "ELF");
  for (size_t at = 0; at < module.size(); at++)
    for (char value : {'\0', '\xff', '\x7f'}) {
      std::string bad = module;
      bad[at] = value;
      try {
        module_info(bad, "depends");
      } catch (const module_error &) {
        // Any answer will do, a crash will not.
      }
    }
}
