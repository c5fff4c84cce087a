// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The store when two gates use it, one is killed, the disk is full, the file system is read-only or
// the file is damaged: it stays readable, and no accepted baseline is lost.
#include <filesystem>
#include <functional>
#include <random>

#include "tools/gate/history/store_schema.h"
#include "tools/gate/testing/robustness.h"
#include "tools/gate/testing/store_fixture.h"
#include "tools/gate/testing/test_results.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using namespace robustness;
namespace fs = std::filesystem;

static bool is_sound(const Store &store)
{
  Database database(store.path(), false);
  Statement check = database.prepare("PRAGMA integrity_check");
  return check.step() && check.text(0) == "ok";
}

TEST(store_two_gates_at_once_lose_nothing)
{
  TemporaryDirectory here;
  constexpr int gates = 4, each = 5;
  auto add_one = [&](int gate, int i) {
    add(Store(here.path()), "c", fmt::format("exe {}", gate),
        recording({"all"}, {fmt::format("b{}_{}", gate, i)}));
  };
  for (process::Child &child : writers(gates, each, add_one)) {
    child.wait();
    expect(child.status().success());
  }
  Store store(here.path());
  expect_eq(count_rows(store.read("c")), size_t{gates * each});
  expect_eq(store.runs().size(), size_t{gates * each});
  expect(is_sound(store));
}

// Anywhere in the window, which grows: on a busy machine a write takes longer than it did at first.
static std::chrono::microseconds moment(unsigned any, std::chrono::microseconds window, int round)
{
  return std::chrono::microseconds(any % (window.count() * (1 + round / 40)));
}

static void expect_no_temporary(const std::string &directory)
{
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(directory))
    expect(entry.path().string().find(".tmp.") == std::string::npos, "a temporary file is left");
}

TEST(store_killed_at_any_moment_loses_no_accepted_baseline)
{
  using std::chrono::microseconds;
  TemporaryDirectory here;
  Store store(here.path());
  std::mt19937 random(1);
  microseconds window = window_of([&] { add(store, "c", "first", recording({"all"}, {"b0"})); });
  auto record_one = [writer = store](int i) mutable {
    add(writer, "c", std::string(100000, 'x') + std::to_string(i),
        recording({"all"}, {"b" + std::to_string(i)}));
  };
  int kept = 0;
  for (int round = 0; kept < 30 || round < 40; round++) {
    expect(round < 1000, "hardly anything is written between the kills");
    kept = write_until_killed(record_one, kept + 1, moment(random(), window, round));
    // At most the one that was being told is more than we know of.
    size_t rows = count_rows(store.read("c")), known = static_cast<size_t>(kept) + 1;
    expect(rows == known || rows == known + 1, fmt::format("{} rows, {} known", rows, known));
    kept = static_cast<int>(rows) - 1;
    expect(is_sound(store));
  }
  std::string why;
  for (const Recording &each : store.read("c").recordings)
    expect(store.artefact(each.artefact, why).has_value(), why);
  add(store, "c", "last", recording({"all"}, {"last"}));
  expect_no_temporary(here.path());
}

// Accepting moves the baseline from one run to another. There is one at any moment, and it is the
// last one that was told or the one after it.
TEST(store_killed_while_accepting_has_one_baseline)
{
  using std::chrono::microseconds;
  TemporaryDirectory here;
  Store store(here.path());
  std::mt19937 random(2);
  Run run = {.series = {"c", {"all"}}, .command = "check", .reason = "regressed"};
  constexpr int runs = 8;
  for (int i = 0; i < runs; i++)
    store.keep(run, "exe " + std::to_string(i), recording({"all"}, {"a"}).result, {}, false);
  // Number i accepts run 1 + i % runs.
  auto accept_one = [writer = store](int i) mutable { writer.accept(1 + i % runs, "wanted"); };
  microseconds window = window_of([&] { accept_one(0); });
  int accepted = 0, moved = 0;
  for (int round = 0; moved < 30 || round < 40; round++) {
    expect(round < 1000, "hardly anything is accepted between the kills");
    int last = write_until_killed(accept_one, accepted + 1, moment(random(), window, round));
    Baseline baseline = store.read("c");
    expect_eq(baseline.recordings.size(), 1u);
    int64_t now = baseline.recordings[0].run;
    expect(now == 1 + last % runs || now == 1 + (last + 1) % runs,
           fmt::format("run {} is the baseline, {} was accepted", now, 1 + last % runs));
    expect(store.run(now).accepted && store.run(now).in_full, "a baseline that is not accepted");
    moved += last - accepted;
    accepted = now == 1 + last % runs ? last : last + 1;
    expect(is_sound(store));
  }
}

TEST(store_on_a_full_disk_is_as_it_was)
{
  TemporaryDirectory here;
  expect_text(process::thrown_in_child([&] {
    mount_small(here.path(), "600k");
    Store store(here.path());
    add(store, "c", "one", recording({"all"}, {"a"}, 1));
    // Until nothing more fits: first executables, then the database itself.
    for (size_t size : {200000, 0}) {
      bool full = false;
      for (int i = 0; i < 2000 && !full; i++)
        try {
          std::vector<std::string> names;
          for (int j = 0; j < 50; j++)
            names.push_back(fmt::format("b{}_{}_{}", size, i, j));
          add(store, "c", size ? std::string(size, 'x') + std::to_string(i) : "",
              recording({"all"}, names, 2));
        } catch (const std::exception &failure) {
          std::string what = failure.what();
          full = what.find("o space left") != what.npos && what.find('\n') == what.npos;
          expect(full, what);
        }
      expect(full, "it never became full");
      Baseline baseline = store.read("c");
      std::string why;
      expect(is_sound(store), "damaged");
      expect_eq(baseline.recordings.at(0).result.benchmarks.at(0).name, "a");
      expect(store.artefact(baseline.recordings[0].artefact, why).has_value(), why);
    }
    expect_no_temporary(here.path());
  }));
}

TEST(store_that_is_read_only_can_be_read)
{
  TemporaryDirectory here;
  expect_text(process::thrown_in_child([&] {
    mount_small(here.path(), "4m");
    Store store(here.path());
    add(store, "c", "one", recording({"all"}, {"a"}));
    expect(mount("bpfgate-test", here.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) ==
           0);
    expect_eq(count_rows(store.read("c")), 1u);
    expect_eq(store.runs().size(), 1u);
    expect_throws([&] { add(store, "c", "one", recording({"all"}, {"a"})); }, "write protected");
    expect_throws([&] { store.accept(1, "x"); }, "write protected");
    Store nowhere(here / "sub");
    expect_eq(count_rows(nowhere.read("c")), 0u);
    expect_throws([&] { add(nowhere, "c", "one", recording({"all"}, {"a"})); }, "ead-only");
  }));
}

static void expect_damaged(const Store &store, const std::string &message)
{
  auto use = [&](const std::function<void()> &body) { expect_throws(body, message); };
  use([&] { store.read("c"); });
  use([&] { store.runs(); });
  use([&] { add(Store(store), "c", "two", recording({"all"}, {"b"})); });
  use([&] { Store(store).expire({}); });
}

TEST(store_damaged_file_is_one_clear_line)
{
  TemporaryDirectory here;
  Store store(here.path());
  for (int i = 0; i < 30; i++)
    add(store, "c", "one", recording({"all"}, {fmt::format("b{}", i)}));
  std::string good = read_file(store.path());
  write_file(store.path(), good.substr(0, good.size() / 2));
  expect_damaged(store, "it is damaged (");
  write_file(store.path(), "no database, but a text that is longer than any header could be ......"
                           "..............................................................");
  expect_damaged(store, "it is damaged (file is not a database)");
  // Whatever bytes are wrong: what can still be read is read, all else is one clear line.
  std::mt19937 random(1);
  for (int i = 0; i < 300; i++) {
    std::string bad = good;
    for (int j = 0; j < 20; j++)
      bad[random() % bad.size()] = static_cast<char>(random());
    write_file(store.path(), bad);
    try {
      add(Store(store), "c", "two", recording({"all"}, {"b"}));
      store.read("c");
    } catch (const store_error &) {
    } catch (const result::error &) {
    }
  }
}

TEST(store_of_a_newer_gate_is_one_clear_line)
{
  TemporaryDirectory here;
  Store store(here.path());
  add(store, "c", "one", recording({"all"}, {"a"}));
  Database(store.path(), false).execute("PRAGMA user_version = 77");
  std::string before = read_file(store.path());
  expect_damaged(store, "it has version 77, this gate knows versions up to 3");
  expect(read_file(store.path()) == before, "it was changed");
}

TEST(store_that_is_another_database_is_left_alone)
{
  TemporaryDirectory here;
  Store store(here.path());
  Database(store.path(), true).execute("CREATE TABLE songs (name TEXT)");
  std::string before = read_file(store.path());
  expect_damaged(store, "not one of gate");
  expect(read_file(store.path()) == before, "it was changed");
}

TEST(store_empty_file_is_a_new_store)
{
  // What a gate leaves that is killed between making the file and its first transaction.
  TemporaryDirectory here;
  Store store(here.path());
  write_file(store.path(), "");
  expect_eq(count_rows(store.read("c")), 0u);
  add(store, "c", "one", recording({"all"}, {"a"}));
  expect_eq(count_rows(store.read("c")), 1u);
}
