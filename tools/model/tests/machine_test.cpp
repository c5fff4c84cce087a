// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Models as text: what is taken, and what is refused with its line.
#include "tools/model/machine.h"

#include <filesystem>

#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace model;

static std::string refused(const std::string &text)
{
  try {
    parse_machine(text, "m.toml");
  } catch (const machine_error &failure) {
    return failure.what();
  }
  return "taken";
}

TEST(what_a_file_does_not_say_is_generic)
{
  Machine machine =
      parse_machine("name = 'mine'\n[l2]\nkib = 256\npolicy = 'pseudo-lru'\n", "m.toml");
  expect_eq(machine.name, "mine");
  expect_eq(machine.l2.bytes, 256u << 10);
  expect(machine.l2.policy == Policy::PseudoLru, "its policy");
  expect_eq(machine.l1d.bytes, Machine().l1d.bytes);
}

TEST(text_of_a_machine_reads_back)
{
  for (const std::string &name : preset_names()) {
    if (name == "host")
      continue;
    std::string text = to_text(find_machine(name));
    expect_eq(to_text(parse_machine(text, "again")), text);
  }
}

TEST(mistakes_are_told_with_their_line)
{
  expect_has(refused("[l2]\nkb = 5\n"),
             "m.toml: line 2: 'l2.kb' is unknown; it may be kib, policy, ways");
  expect_has(refused("[l4]\nkib = 5\n"), "'l4' is unknown");
  expect_has(refused("[l2]\nkib = 'many'\n"), "line 2: 'l2.kib' is no whole number from 1 to");
  expect_has(refused("[l2]\nkib = -1\n"), "'l2.kib' is no whole number");
  expect_has(refused("[l2]\npolicy = 'best'\n"), "'l2.policy' is none of lru, pseudo-lru, fifo");
  expect_has(refused("[l2]\nkib = 100\nways = 7\n"), "no whole number of sets");
  expect_has(refused("[l2]\nkib = 48\nways = 12\npolicy = 'pseudo-lru'\n"), "power of two");
  expect_has(refused("[dtlb]\nentries = 10\nways = 4\n"), "'dtlb'");
  expect_has(refused("line = 48\n"), "'line' is no power of two");
  expect_has(refused("l2 = 5\n"), "'l2' is no table");
  expect_has(refused("[l2\n"), "m.toml: line 1: ");
  expect_has(refused("name = ''\n"), "'name'");
}

TEST(unknown_names_are_told_what_there_is)
{
  try {
    find_machine("pentium");
    fail("taken", std::source_location::current());
  } catch (const machine_error &failure) {
    expect_has(failure.what(), "generic, amd-zen5, intel-golden-cove, host");
  }
}

static void put(const std::string &directory, const char *level, const char *type, const char *size,
                const char *ways)
{
  std::filesystem::create_directories(directory);
  write_file(directory + "/level", level);
  write_file(directory + "/type", type);
  write_file(directory + "/size", size);
  write_file(directory + "/ways_of_associativity", ways);
}

TEST(host_is_read_from_sysfs)
{
  TemporaryDirectory here;
  put(here / "index0", "1\n", "Data\n", "48K\n", "12\n");
  put(here / "index1", "1\n", "Instruction\n", "32K\n", "8\n");
  put(here / "index2", "2\n", "Unified\n", "1024K\n", "16\n");
  Machine machine = read_host(here.path());
  expect_eq(machine.l1d.bytes, 48u << 10);
  expect_eq(machine.l1i.ways, 8u);
  expect_eq(machine.l2.bytes, 1u << 20);
  expect_eq(machine.l3.bytes, 0u); // it has none
  std::filesystem::remove_all(here / "index2");
  try {
    read_host(here.path());
    fail("taken", std::source_location::current());
  } catch (const machine_error &failure) {
    expect_has(failure.what(), "tells of no l2 cache");
  }
}
