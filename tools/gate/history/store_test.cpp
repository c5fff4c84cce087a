// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tools/gate/judge/fingerprint.h"
#include "tools/gate/testing/store_fixture.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/hash.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
namespace fs = std::filesystem;

static size_t count_artefacts(const TemporaryDirectory &here)
{
  return std::distance(fs::directory_iterator(here / "artefacts"), fs::directory_iterator());
}

TEST(store_keeps_executable_and_arguments)
{
  TemporaryDirectory here;
  Store store(here.path());
  expect_eq(count_rows(store.read("c")), 0u);
  expect_eq(add(store, "c", "ELF one", recording({"--suite", "quick"}, {"a", "b"})), 0u);
  Baseline baseline = store.read("c");
  expect_eq(count_rows(baseline), 2u);
  expect_eq(baseline.recordings[0].arguments.at(1), "quick");
  expect_eq(baseline.recordings[0].artefact, sha1_hex("ELF one"));
  std::string why;
  std::optional<Artefact> artefact = store.artefact(sha1_hex("ELF one"), why);
  expect(artefact.has_value(), why);
  expect_eq(read_file(artefact->path()), "ELF one");
  expect_eq(access(artefact->path().c_str(), X_OK), 0);
}

TEST(store_subset_replaces_only_its_rows)
{
  TemporaryDirectory here;
  Store store(here.path());
  add(store, "c", "one", recording({"all"}, {"a", "b"}));
  expect_eq(add(store, "c", "two", recording({"b"}, {"b"}, 50)), 1u);
  Baseline baseline = store.read("c");
  expect_eq(count_rows(baseline), 2u);
  expect_eq(baseline.recordings.size(), 2u);
  expect_eq(baseline.recordings[1].result.benchmarks[0].metrics[0].samples[0][0], 50.0);
  expect_eq(baseline.selections.at({"all"}).size(), 2u);
  expect_eq(count_artefacts(here), 2u);
  add(store, "other", "one", recording({"all"}, {"a"}));
  add(store, "c", "three", recording({"all"}, {"a", "b"}));
  expect_eq(store.read("c").recordings.size(), 1u);
  store.expire({.in_full = 0});
  expect_eq(count_artefacts(here), 2u); // "two" is named by nobody any more
}

TEST(store_artefact_in_use_is_not_removed)
{
  TemporaryDirectory here;
  Store store(here.path());
  std::string why;
  add(store, "c", "one", recording({"all"}, {"a"}));
  std::optional<Artefact> used = store.artefact(sha1_hex("one"), why);
  add(store, "c", "two", recording({"all"}, {"a"}));
  store.expire({.in_full = 0});
  expect_eq(read_file(used->path()), "one");
  used.reset();
  store.expire({.in_full = 0});
  expect_eq(count_artefacts(here), 1u);
}

TEST(store_damaged_artefact_is_told_and_replaced)
{
  TemporaryDirectory here;
  Store store(here.path());
  add(store, "c", "one", recording({"all"}, {"a"}));
  std::string hash = sha1_hex("one"), path = here / "artefacts/" + hash + "/bench.zst", why;
  write_file(path, "onE");
  expect(!store.artefact(hash, why));
  expect_has(why, "damaged");
  add(store, "c", "one", recording({"all"}, {"a"}));
  expect(store.artefact(hash, why).has_value());
  fs::remove(path);
  expect(!store.artefact(hash, why));
  expect_has(why, "gone");
}

// What is packed without loss takes less, and is as it was when it is unpacked.
TEST(store_artefact_is_packed)
{
  TemporaryDirectory here;
  Store store(here.path());
  std::string bytes(100000, 'x'), why, path;
  add(store, "c", bytes, recording({"all"}, {"a"}));
  expect(store.artefact_size(sha1_hex(bytes)) < 1000);
  {
    std::optional<Artefact> artefact = store.artefact(sha1_hex(bytes), why);
    path = artefact->path();
    expect(read_file(path) == bytes && access(path.c_str(), X_OK) == 0);
  }
  expect(!fs::exists(path), "what was unpacked is gone again");
  write_file(path, bytes); // of a gate that was killed
  store.expire({});
  expect(!fs::exists(path) && store.has_artefact(sha1_hex(bytes), why), why);
}

TEST(store_artefact_of_an_older_gate_is_read)
{
  TemporaryDirectory here;
  Store store(here.path());
  std::string why, directory = here / "artefacts/" + sha1_hex("one");
  add(store, "c", "one", recording({"all"}, {"a"}));
  fs::remove(directory + "/bench.zst");
  write_file(directory + "/bench", "one");
  expect(store.has_artefact(sha1_hex("one"), why), why);
  store.expire({});
  expect_eq(read_file(store.artefact(sha1_hex("one"), why)->path()), "one");
}

TEST(store_history_knows_every_run)
{
  TemporaryDirectory here;
  Store store(here.path());
  expect(store.runs().empty());
  add(store, "c", "one", recording({"all"}, {"a"}));
  Recording slow = recording({"all"}, {"a"}, 150);
  Run run = {.series = {"c", {"all"}},
             .command = "check",
             .how = How::Interleaved,
             .reason = "regressed: a",
             .revision = "r2",
             .base_revision = "r1",
             .merge_base = "r0"};
  std::string key = result::benchmark_key(slow.result.benchmarks[0]);
  int64_t id =
      store.keep(run, "two", slow.result, {{{key, "latency"}, {"regressed", .5}}}, false).run;
  std::vector<Run> runs = store.runs();
  expect_eq(runs.size(), 2u);
  expect(runs[0].accepted && !runs[1].accepted);
  expect_eq(runs[1].reason + runs[1].merge_base + runs[1].artefact,
            "regressed: ar0" + sha1_hex("two"));
  expect_eq(runs[1].environment["kernel"].text(), "6.1");
  HistoryRow row = store.rows(id).at(0);
  expect_eq(row.verdict, "regressed");
  expect_near(row.center, 150, 0);
  expect_near(row.change.value(), .5, 0);
  // A run that was not accepted is no baseline, until somebody says so.
  expect_eq(store.read("c").recordings.at(0).run, runs[0].id);
  expect_eq(store.accept(id, "wanted").replaced, 1u);
  expect_eq(store.read("c").recordings.at(0).run, id);
  expect_eq(store.run(id).reason, "wanted");
  expect_throws([&] { store.run(77); }, "no run 77");
  expect_throws([&] { store.accept(77, ""); }, "no run 77");
}

TEST(store_figures_that_are_none_come_back_as_none)
{
  TemporaryDirectory here;
  Store store(here.path());
  Recording odd = recording({"all"}, {"a"});
  odd.result.benchmarks[0].metrics[0].samples = {{std::nan("")}};
  add(store, "c", "one", odd);
  expect(std::isnan(store.rows(1).at(0).center));
  expect(!store.rows(1).at(0).change);
}

TEST(store_forgets_what_is_old_but_no_baseline_and_no_anchor)
{
  TemporaryDirectory here;
  Store store(here.path());
  add(store, "c", "base", recording({"all"}, {"a"}));
  Run run = {.series = {"c", {"all"}}, .command = "check", .accepted = true};
  result::Result result = recording({}, {"a"}).result;
  std::vector<int64_t> ids;
  for (int i = 0; i < 15; i++)
    ids.push_back(store.keep(run, fmt::format("exe {}", i), result, {}, false).run);
  expect_eq(count_artefacts(here), 11u); // ten in full and the baseline
  expect_throws([&] { store.recording(ids[0]); }, "were dropped");
  expect_throws([&] { store.set_anchor({"v1", ids[0], ""}); }, "were dropped");
  store.set_anchor({"v1", ids[10], "2026-01-01T00:00:00Z"});
  Store::Expired expired = store.expire({.runs = 3, .in_full = 1});
  expect_eq(expired.runs, 11u);
  std::vector<Run> left = store.runs();
  expect_eq(left.size(), 5u);
  expect(left[0].in_full && left[1].id == ids[10] && left[1].in_full && left[4].in_full);
  expect(!left[3].in_full);
  expect_eq(count_artefacts(here), 3u);
  expect_eq(store.drop_baseline({"c", {"all"}}), 1u);
  expect_eq(count_rows(store.read("c")), 0u);
  expect_eq(store.runs().size(), 5u);
}

TEST(store_anchor_is_taken_over)
{
  TemporaryDirectory here;
  Store store(here.path());
  add(store, "c", "one", recording({"all"}, {"a"}));
  add(store, "c", "two", recording({"all"}, {"a"}));
  store.set_anchor({"v1", 1, "t"});
  store.set_anchor({"v1", 2, "t"});
  expect_eq(store.anchors().size(), 1u);
  expect_eq(store.anchors().at(0).run, 2);
  expect_throws([&] { store.set_anchor({"v1", 9, "t"}); }, "no run 9");
}

TEST(store_default_directory)
{
  setenv("XDG_STATE_HOME", "/state", 1);
  expect_eq(Store::default_directory(), "/state/bpfgate");
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", "/home/user", 1);
  expect_eq(Store::default_directory(), "/home/user/.local/state/bpfgate");
}

TEST(fingerprint_input_23_refused)
{
  auto refused = [](const char *base, const char *comp) {
    return compare_environments(to_value(result::json::parse(base)),
                                to_value(result::json::parse(comp)))
        .refused;
  };
  expect_eq(refused(R"({"cpu_model": "A"})", R"({"cpu_model": "B"})").at(0),
            "cpu_model: A against B");
  expect_eq(refused(R"({"cpus": 2})", R"({"cpus": 4})").size(), 1u);
  expect_eq(refused(R"({"bpf_stats": 0, "jit": 1})", R"({"bpf_stats": 1, "jit": 0})").size(), 2u);
  expect_eq(refused(R"({"cpus": 2})", R"({})").size(), 0u);
}

TEST(fingerprint_input_24_and_26_warned_or_ignored)
{
  Value base = to_value(result::json::parse(
      R"({"kernel": "6.1", "load": [1], "mhz": 10678, "bogomips": 5000, "libraries": {"libc.so.6": "aa"},
          "toolchain": {"libbpf": "1.1", "cxx": "g"}})"));
  Value comp = to_value(result::json::parse(
      R"({"kernel": "6.2", "load": [9], "mhz": 10681, "bogomips": 5002, "libraries": {"libc.so.6": "bb"},
          "toolchain": {"libbpf": "1.4", "cxx": "g"}})"));
  Differences differences = compare_environments(base, comp);
  expect(differences.refused.empty());
  expect_eq(joined(differences.warned),
            "kernel: 6.1 against 6.2, libraries.libc.so.6: aa against bb, toolchain.libbpf: 1.1 "
            "against 1.4");
  expect(!same_kernel(base, comp) && same_kernel(base, base));
}

TEST(fingerprint_class_name_is_a_file_name)
{
  auto name = [](const char *text) { return class_name(to_value(result::json::parse(text))); };
  std::string a = name(R"({"cpu_model": "AMD EPYC 7B13 / x", "cpus": 2, "arch": "x86_64"})");
  expect(a.find('/') == std::string::npos && a.starts_with("amd-epyc-7b13-x-2-x86-64-"), a);
  expect(a != name(R"({"cpu_model": "AMD EPYC 7B13 / x", "cpus": 4, "arch": "x86_64"})"));
  expect_eq(a,
            name(R"({"arch": "x86_64", "cpus": 2, "cpu_model": "AMD EPYC 7B13 / x", "mhz": 1})"));
  expect(name("{}").size() >= 8);
}
