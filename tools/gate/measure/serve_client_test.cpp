// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/measure/serve_client.h"

#include <sys/wait.h>

#include "tools/gate/measure/interleave.h"
#include "tools/gate/system/child.h"
#include "tools/gate/system/interrupt.h"
#include "tools/gate/testing/fake_bench.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::Status;

namespace
{

struct Fake {
  explicit Fake(const FakeBench &bench, long timeout_ms = 60000)
      : path(directory / "bench"), timeout_ms(timeout_ms)
  {
    write_fake(path, bench);
  }
  ServeClient client() const { return ServeClient(path, {}, timeout_ms); }

  TemporaryDirectory directory;
  std::string path;
  long timeout_ms;
};

} // namespace

static bool has_children() { return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

TEST(serve_good_bench)
{
  Fake fake({});
  {
    ServeClient client = fake.client();
    result::Result list = client.list();
    expect_eq(list.benchmarks.size(), 2u);
    expect_eq(list.benchmarks[1].name, "two");
    expect_eq(client.load(1), "a1");
    Epoch epoch = client.epoch(1, 100, 7);
    expect_eq(epoch.hits, 100.0);
    expect_eq(epoch.ns, 5000.0);
    expect_eq(epoch.values.at("memory"), 2.5);
    client.unload(1);
  }
  expect(!has_children(), "a child is left");
}

TEST(serve_bench_that_dies)
{
  Fake status({.epoch = "echo 'cannot do it' >&2; exit 3"});
  expect_throws([&] { status.client().epoch(0, 1, 1); },
                "ended at 'epoch 0 1 1' with exit status 3: cannot do it");
  Fake signal({.load = "kill -SEGV $$"});
  expect_throws([&] { signal.client().load(0); }, "with signal 11 (Segmentation fault)");
  Fake usage({.list = "exit 64"});
  try {
    usage.client().list();
    fail("threw nothing", std::source_location::current());
  } catch (const serve_error &failure) {
    expect_eq(failure.exit_status().value_or(0), 64);
  }
  expect(!has_children(), "a child is left");
}

TEST(serve_bench_that_answers_garbage)
{
  expect_throws([] { Fake({.load = "printf 'what\\001.\\n'"}).client().load(0); },
                "answered 'load 0' with 'what?.'");
  expect_throws([] { Fake({.epoch = "echo ok nothing"}).client().epoch(0, 1, 1); }, "answered");
  expect_throws(
      [] { Fake({.epoch = R"(echo 'ok {"hits": -1, "ns": 5}')"}).client().epoch(0, 1, 1); },
      "answered");
  expect_throws(
      [] { Fake({.epoch = R"(echo 'ok {"hits": 1, "ns": 1e999}')"}).client().epoch(0, 1, 1); },
      "answered");
  expect_throws([] { Fake({.list = "echo ok"}).client().list(); }, "list: empty");
  expect_throws([] { Fake({.list = "echo ok '{\"protocol\": 2}'"}).client().list(); },
                "protocol is not 1");
  expect_throws(
      [] {
        Fake({.list =
                  "echo ok '{\"protocol\": 1, \"tool\": {\"name\": \"b\"}, \"benchmarks\": [{}]}'"})
            .client()
            .list();
      },
      "/benchmarks/0/name is missing");
  expect_throws([] { Fake({.names = "one two one"}).client().list(); },
                "/benchmarks/2 is 'one' with the same parameters twice");
}

TEST(serve_bench_that_hangs_is_ended)
{
  Fake fake({.epoch = "sleep 60 & wait"}, 100);
  expect_throws([&] { fake.client().epoch(0, 1, 1); }, "no answer to 'epoch 0 1 1' within 0.1 s");
  expect(!has_children(), "a child is left");
}

TEST(serve_bench_that_refuses)
{
  Fake fake(
      {.load = "echo skip no such map; continue", .epoch = "echo error wrong result; continue"});
  ServeClient client = fake.client();
  auto refused = [](Status status, const std::function<void()> &step) {
    try {
      step();
    } catch (const refusal &answer) {
      return answer.status() == status ? std::string(answer.what()) : "other status";
    }
    return std::string("nothing");
  };
  expect_eq(refused(Status::Skipped, [&] { client.load(0); }), "no such map");
  expect_eq(refused(Status::Failed, [&] { client.epoch(0, 1, 1); }), "wrong result");
  expect_eq(client.list().benchmarks.size(), 2u);
}

TEST(serve_bench_that_cannot_be_executed)
{
  TemporaryDirectory here;
  expect_throws([&] { ServeClient(here / "none", {}, 1000); }, "No such file");
  write_file(here / "text", "text");
  expect_throws([&] { ServeClient(here / "text", {}, 1000); }, "Permission denied");
}

static std::vector<Task> two_sided(const std::vector<std::string> &names)
{
  std::vector<Task> tasks;
  for (size_t i = 0; i < names.size(); i++)
    tasks.push_back({.name = names[i], .targets = {{0, i}, {1, i}}});
  return tasks;
}

static std::vector<Task *> pointers(std::vector<Task> &tasks, size_t units)
{
  std::vector<Task *> list;
  for (Task &task : tasks) {
    task.units = units;
    list.push_back(&task);
  }
  return list;
}

TEST(interleave_measures_both_sides_alike)
{
  // Each epoch is written down: number, ops, seed.
  Fake a({.epoch = "echo $n $ops $seed >> \"$(dirname \"$0\")\"/log"});
  Fake b({.epoch = "echo $n $ops $seed >> \"$(dirname \"$0\")\"/log", .ns = "$((ops * 100))"});
  Interleave bench({{a.path, {}}, {b.path, {}}}, {.unit_budget_ns = 1e12}, 5, nullptr);
  std::vector<Task> tasks = two_sided({"one", "two"});
  bench.measure(pointers(tasks, 4));
  for (const Task &task : tasks) {
    expect_eq(task.ops, 2000l); // 200 us of the slower side
    for (const SideFigures &side : task.sides) {
      expect_eq(side.units.size(), 4u);
      for (const auto &unit : side.units)
        expect_eq(unit.size(), 10u);
    }
    expect_eq(task.sides[0].units[0][0].ns, 100000.0);
    expect_eq(task.sides[1].units[0][0].ns, 200000.0);
  }
  // Apart from calibration (other ops): the same keys on both sides, in the same order.
  auto log = [](const Fake &fake) {
    std::string text = read_file(fake.directory / "log"), kept;
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
      if (text.substr(0, end).find(" 2000 ") != std::string::npos)
        kept += text.substr(0, end + 1);
    return kept;
  };
  expect(!log(a).empty() && log(a) == log(b), "the sides ran different keys");
}

TEST(interleave_repeats_with_the_same_seed)
{
  auto run = [](uint64_t seed) {
    Fake fake({.load = "echo load $n >> \"$(dirname \"$0\")\"/log",
               .epoch = "echo $n $seed >> \"$(dirname \"$0\")\"/log"});
    Interleave bench({{fake.path, {}}, {fake.path, {}}}, {.rounds = 1}, seed, nullptr);
    std::vector<Task> tasks = two_sided({"one", "two"});
    bench.measure(pointers(tasks, 3));
    return read_file(fake.directory / "log");
  };
  std::string first = run(9);
  expect_eq(run(9), first);
  expect(run(10) != first, "the seed does nothing");
}

TEST(interleave_failure_closes_only_that_benchmark)
{
  Fake good({});
  Fake bad({.epoch = "[ $n = 0 ] && exit 9"});
  Interleave bench({{good.path, {}}, {bad.path, {}}}, {}, 5, nullptr);
  std::vector<Task> tasks = two_sided({"one", "two"});
  bench.measure(pointers(tasks, 2));
  expect(tasks[0].sides[1].status == Status::Failed);
  expect_has(tasks[0].sides[1].reason, "exit status 9");
  expect(tasks[0].sides[0].units.empty() && !tasks[0].is_open());
  expect_eq(tasks[1].sides[1].units.size(), 2u);
}

TEST(interleave_gives_up_on_a_bench_that_hangs_twice)
{
  Fake bad({.load = "sleep 60 & wait"});
  Interleave bench({{bad.path, {}}}, {.timeout_ms = 100}, 5, nullptr);
  std::vector<Task> tasks = {{.name = "one", .targets = {{0, 0}}},
                             {.name = "two", .targets = {{0, 1}}},
                             {.name = "three", .targets = {{0, 1}}}};
  expect_throws([&] { bench.measure(pointers(tasks, 2)); }, "no answer");
}

TEST(interleave_calibration_is_not_fooled_by_one_preemption)
{
  // Every third epoch is disturbed by 4 ms.
  Fake fake({.epoch = "i=$((i + 1))", .ns = "$((ops * 50 + (i % 3 == 1) * 4000000))"});
  Interleave bench({{fake.path, {}}}, {.unit_budget_ns = 1e12}, 5, nullptr);
  std::vector<Task> tasks = {{.name = "one", .targets = {{0, 0}}}};
  bench.measure(pointers(tasks, 2));
  expect_eq(tasks[0].ops, 4000l);
}

TEST(interleave_op_that_cannot_be_repeated)
{
  Fake fake({.epoch = "[ $ops = 1 ] || { echo error ops; continue; }", .ns = "3000000"});
  Interleave bench({{fake.path, {}}}, {}, 5, nullptr);
  std::vector<Task> tasks = {{.name = "free", .targets = {{0, 0}}, .batched = false}};
  bench.measure(pointers(tasks, 2));
  expect_eq(tasks[0].sides[0].reason, "");
  expect_eq(tasks[0].ops, 1l);
}

TEST(interleave_samples_of_each_metric)
{
  result::Benchmark benchmark = {.name = "b"};
  benchmark.metrics = {{.name = "latency", .unit = "us/op", .gated = true},
                       {.name = "rate", .unit = "M ops/s", .gated = true},
                       {.name = "drops", .unit = "M ops/s"},
                       {.name = "memory", .unit = "MiB", .kind = result::Class::Memory},
                       {.name = "absent", .unit = "%", .kind = result::Class::Ratio}};
  SideFigures figures;
  figures.units = {{{10, 1000, {{"memory", 3}}}, {0, 0, {}}}};
  put_samples(benchmark, figures);
  expect_eq(benchmark.metrics[0].samples[0][0], 0.1);
  expect_eq(benchmark.metrics[0].samples[0][1], 0.0);
  expect_eq(benchmark.metrics[1].samples[0][0], 10.0);
  expect(benchmark.metrics[2].samples.empty());
  expect_eq(benchmark.metrics[3].samples[0].size(), 1u);
  expect(benchmark.metrics[4].samples.empty() && !benchmark.metrics[4].reason.empty());
}

TEST(telling_line_is_not_of_a_console)
{
  expect_eq(telling_line(""), "");
  expect_eq(telling_line("one\ntwo \n\n"), "two");
  expect_eq(telling_line("vmtest: k: panic: why\nvmtest: | a\nvmtest: | b\n"),
            "vmtest: k: panic: why");
  expect_eq(telling_line("vmtest: TCG\nbench: what\nvmtest: k: failed: exit status 3\n"),
            "bench: what");
  expect_eq(telling_line("vmtest: k: failed: exit status 3"), "vmtest: k: failed: exit status 3");
}
