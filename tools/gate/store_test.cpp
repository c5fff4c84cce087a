// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/store.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tools/gate/fingerprint.h"
#include "tools/gate/hash.h"
#include "tools/gate/test_results.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
namespace fs = std::filesystem;

static Recording recording(const std::vector<std::string> &arguments,
                           const std::vector<std::string> &names, double ns = 100)
{
  Recording recording = {.arguments = arguments};
  recording.result = one_result({});
  for (const std::string &name : names)
    recording.result.benchmarks.push_back(one_benchmark(name, time_metric({{ns}})));
  return recording;
}

static size_t count_rows(const Baseline &baseline)
{
  size_t rows = 0;
  for (const Recording &recording : baseline.recordings)
    rows += recording.result.benchmarks.size();
  return rows;
}

static size_t count_artefacts(const TemporaryDirectory &here)
{
  return std::distance(fs::directory_iterator(here / "artefacts"), fs::directory_iterator());
}

TEST(store_keeps_executable_and_arguments)
{
  TemporaryDirectory here;
  Store store(here.path());
  expect_eq(count_rows(store.read("c")), 0u);
  expect_eq(store.add("c", "ELF one", recording({"--suite", "quick"}, {"a", "b"})), 0u);
  Baseline baseline = store.read("c");
  expect_eq(count_rows(baseline), 2u);
  expect_eq(baseline.recordings[0].arguments.at(1), "quick");
  expect_eq(baseline.recordings[0].artefact, content_hash("ELF one"));
  std::string why;
  std::optional<Artefact> artefact = store.artefact(content_hash("ELF one"), why);
  expect(artefact.has_value(), why);
  expect_eq(read_file(artefact->path), "ELF one");
  expect_eq(access(artefact->path.c_str(), X_OK), 0);
}

TEST(store_subset_replaces_only_its_rows)
{
  TemporaryDirectory here;
  Store store(here.path());
  store.add("c", "one", recording({"all"}, {"a", "b"}));
  expect_eq(store.add("c", "two", recording({"b"}, {"b"}, 50)), 1u);
  Baseline baseline = store.read("c");
  expect_eq(count_rows(baseline), 2u);
  expect_eq(baseline.recordings.size(), 2u);
  expect_eq(baseline.recordings[1].result.benchmarks[0].metrics[0].samples[0][0], 50.0);
  expect_eq(baseline.selections.at({"all"}).size(), 2u);
  expect_eq(count_artefacts(here), 2u);
  store.add("other", "one", recording({"all"}, {"a"}));
  store.add("c", "three", recording({"all"}, {"a", "b"}));
  expect_eq(store.read("c").recordings.size(), 1u);
  expect_eq(count_artefacts(here), 2u); // "two" is named by nobody any more
}

TEST(store_artefact_in_use_is_not_removed)
{
  TemporaryDirectory here;
  Store store(here.path());
  std::string why;
  store.add("c", "one", recording({"all"}, {"a"}));
  std::optional<Artefact> used = store.artefact(content_hash("one"), why);
  store.add("c", "two", recording({"all"}, {"a"}));
  expect_eq(read_file(used->path), "one");
  used.reset();
  store.add("c", "three", recording({"all"}, {"a"}));
  expect_eq(count_artefacts(here), 1u);
}

TEST(store_damaged_artefact_is_told_and_replaced)
{
  TemporaryDirectory here;
  Store store(here.path());
  store.add("c", "one", recording({"all"}, {"a"}));
  std::string hash = content_hash("one"), path = here / "artefacts/" + hash + "/bench", why;
  write_file(path, "onE");
  expect(!store.artefact(hash, why));
  expect_has(why, "damaged");
  store.add("c", "one", recording({"all"}, {"a"}));
  expect(store.artefact(hash, why).has_value());
  fs::remove(path);
  expect(!store.artefact(hash, why));
  expect_has(why, "gone");
}

TEST(store_damaged_baseline_is_one_clear_line)
{
  TemporaryDirectory here;
  Store store(here.path());
  auto broken = [&](const std::string &text, const std::string &message) {
    write_file(here / "c.json", text);
    expect_throws([&] { store.read("c"); }, message);
  };
  broken("", "c.json: empty");
  broken("{\"schema\": \"bpfgate-base", "c.json: broken JSON at byte 24");
  broken("{}", "not a baseline");
  broken(R"({"schema": "bpfgate-baseline", "version": 2})", "/version is not 1");
  broken(R"({"schema": "bpfgate-baseline", "version": 1, "recordings": [{}]})", "damaged baseline");
  broken(R"({"schema": "bpfgate-baseline", "version": 1, "recordings": [5]})", "damaged baseline");
  broken(R"({"schema": "bpfgate-baseline", "version": 1, "selections": [{}]})", "damaged baseline");
  std::string before = read_file(here / "c.json");
  expect_throws([&] { store.add("c", "one", recording({"all"}, {"a"})); }, "damaged");
  expect_eq(read_file(here / "c.json"), before);
}

TEST(store_two_gates_at_once_lose_nothing)
{
  TemporaryDirectory here;
  constexpr int gates = 4, each = 5;
  for (int gate = 0; gate < gates; gate++)
    if (fork() == 0) {
      int code = 0;
      try {
        for (int i = 0; i < each; i++)
          Store(here.path())
              .add("c", fmt::format("exe {}", gate),
                   recording({"all"}, {fmt::format("b{}_{}", gate, i)}));
      } catch (...) {
        code = 1;
      }
      _exit(code);
    }
  for (int gate = 0; gate < gates; gate++) {
    int status = 0;
    wait(&status);
    expect_eq(status, 0);
  }
  expect_eq(count_rows(Store(here.path()).read("c")), size_t{gates * each});
}

TEST(store_killed_writer_leaves_the_old_baseline)
{
  TemporaryDirectory here;
  Store store(here.path());
  store.add("c", "one", recording({"all"}, {"a"}));
  // What a gate leaves that is killed in the middle of its write.
  write_file(here / "c.json.tmp.AbCdEf", "{\"schema\": \"bpfg");
  expect_eq(count_rows(store.read("c")), 1u);
  store.add("c", "one", recording({"all"}, {"a"}));
  expect(!fs::exists(here / "c.json.tmp.AbCdEf"));
}

TEST(store_full_disk_leaves_the_old_baseline)
{
  TemporaryDirectory here;
  Store store(here.path());
  store.add("c", "one", recording({"all"}, {"a"}, 1));
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit small = {700, 700};
    setrlimit(RLIMIT_FSIZE, &small);
    try {
      store.add("c", "one", recording({"all"}, {"a", "b", "c", "d", "e"}, 2));
      _exit(1);
    } catch (const std::system_error &) {
      _exit(0);
    }
  }
  int status = 1;
  waitpid(child, &status, 0);
  expect_eq(status, 0);
  expect_eq(count_rows(store.read("c")), 1u);
  for (const fs::directory_entry &entry : fs::directory_iterator(here.path()))
    expect(entry.path().string().find(".tmp.") == std::string::npos, "a temporary file is left");
}

TEST(store_default_directory)
{
  setenv("XDG_STATE_HOME", "/state", 1);
  expect_eq(Store::default_directory(), "/state/bpfgate");
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", "/home/user", 1);
  expect_eq(Store::default_directory(), "/home/user/.local/state/bpfgate");
}

TEST(hash_known_value)
{
  expect_eq(content_hash("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(fingerprint_input_23_refused)
{
  auto refused = [](const char *base, const char *comp) {
    return compare_environments(result::json::parse(base), result::json::parse(comp)).refused;
  };
  expect_eq(refused(R"({"cpu_model": "A"})", R"({"cpu_model": "B"})").at(0),
            "cpu_model: A against B");
  expect_eq(refused(R"({"cpus": 2})", R"({"cpus": 4})").size(), 1u);
  expect_eq(refused(R"({"bpf_stats": 0, "jit": 1})", R"({"bpf_stats": 1, "jit": 0})").size(), 2u);
  expect_eq(refused(R"({"cpus": 2})", R"({})").size(), 0u);
}

TEST(fingerprint_input_24_and_26_warned_or_ignored)
{
  result::json base = result::json::parse(
      R"({"kernel": "6.1", "load": [1], "mhz": 10678, "toolchain": {"libbpf": "1.1", "cxx": "g"}})");
  result::json comp = result::json::parse(
      R"({"kernel": "6.2", "load": [9], "mhz": 10681, "toolchain": {"libbpf": "1.4", "cxx": "g"}})");
  Differences differences = compare_environments(base, comp);
  expect(differences.refused.empty());
  expect_eq(joined(differences.warned),
            "kernel: 6.1 against 6.2, toolchain.libbpf: 1.1 against 1.4");
  expect(!same_kernel(base, comp) && same_kernel(base, base));
}

TEST(fingerprint_class_name_is_a_file_name)
{
  auto name = [](const char *text) { return class_name(result::json::parse(text)); };
  std::string a = name(R"({"cpu_model": "AMD EPYC 7B13 / x", "cpus": 2, "arch": "x86_64"})");
  expect(a.find('/') == std::string::npos && a.starts_with("amd-epyc-7b13-x-2-x86-64-"), a);
  expect(a != name(R"({"cpu_model": "AMD EPYC 7B13 / x", "cpus": 4, "arch": "x86_64"})"));
  expect_eq(a,
            name(R"({"arch": "x86_64", "cpus": 2, "cpu_model": "AMD EPYC 7B13 / x", "mhz": 1})"));
  expect(name("{}").size() >= 8);
}
