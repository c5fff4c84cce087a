// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// record, check and ab in virtual machines, from their options to their exit codes, with a made-up
// vmtest: a shell script that boots nothing. Real boots: vm_gate_test.cpp.
#include "tools/gate/commands/vm.h"

#include <filesystem>

#include "tools/gate/commands/commands.h"
#include "tools/gate/measure/vm_boots.h"
#include "tools/gate/testing/capture.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::json;
namespace fs = std::filesystem;

namespace
{

// What the made-up vmtest does in the boot with each seed; shell code that may use $seed, $kernel
// and $dir.
struct FakeVmtest {
  std::string insns = "1000"; // of the benchmark "one" in each boot; "two" takes 500
  std::string outcome = "passed";
  std::string status = "0";
  std::string detail = "";
  std::string before; // before it boots anything
  std::string accelerator = "icount";
  std::string names = "one two"; // of benchmarks
  // Under a model: its identity and the L2 misses of each benchmark.
  std::string identity = "$model (12345678)";
  std::string misses = "2";
};

std::string result_script(const FakeVmtest &fake)
{
  return fmt::format(
      R"sh(    rows= events= identity=
    if [ -n "$model" ]; then
      identity=", \"model\": \"{3}\""
      events=", {{\"name\": \"modelled_l2_misses\", \"unit\": \"events/op\", \"better\": \"lower\",
        \"class\": \"exact\", \"gated\": true, \"may_be_zero\": true, \"samples\": [[{4}]]}}"
    fi
    for name in {0}; do
      value={1}
      [ $name = one ] || value=500
      rows="$rows${{rows:+,}}{{\"name\": \"$name\", \"definition\": 1, \"bytecode\": \"a1\", \"status\": \"ok\", \"metrics\": [
        {{\"name\": \"instructions\", \"unit\": \"insns/op\", \"better\": \"lower\", \"class\": \"exact\",
          \"gated\": true, \"samples\": [[$value], [$value]]}}$events]}}"
    done
    echo "{{\"schema\": \"bpfgate-result\", \"version\": 1, \"environment\": {{\"accelerator\": \"{2}\",
      \"kernel\": \"$kernel\", \"vm\": {{\"seed\": \"$seed\", \"kernel_build_id\": \"abc\"$identity}}}},
      \"benchmarks\": [$rows]}}" > "$dir/result.json"
)sh",
      fake.names, fake.insns, fake.accelerator, fake.identity, fake.misses);
}

void write_vmtest(const std::string &path, const FakeVmtest &fake)
{
  write_file(path,
             fmt::format(
                 R"sh(#!/bin/sh
model=
while [ "$1" != -- ]; do
  case $1 in
  --icount) shift; continue ;;
  --model=*) model=${{1#*=}}; shift; continue ;;
  --seeds) seeds=$2 ;;
  --kernel) kernel=$2 ;;
  --out) out=$2 ;;
  --json) json=$2 ;;
  esac
  shift 2
done
shift
echo "$@" > "${{0%/*}}/command"
echo "vmtest: some remark" >&2
{0}
runs=
for seed in $(seq "${{seeds%-*}}" "${{seeds#*-}}"); do
  dir=$out
  [ "${{seeds%-*}}" = "${{seeds#*-}}" ] || dir=$out/seed-$seed
  outcome={1} status={2}
  mkdir -p "$dir"
  if [ "$outcome" = passed ]; then
{4}  fi
  runs="$runs${{runs:+,}}{{\"kernel\": \"$kernel\", \"seed\": $seed, \"outcome\": \"$outcome\",
    \"status\": $status, \"detail\": \"{3}\", \"console\": [\"last words\"]}}"
done
echo "{{\"runs\": [$runs]}}" > "$json"
)sh",
                 fake.before, fake.outcome, fake.status, fake.detail, result_script(fake)),
             0777);
}

struct Vm {
  explicit Vm(const FakeVmtest &fake = {}) { write(fake); }
  void write(const FakeVmtest &fake) { write_vmtest(here / "vmtest", fake); }

  // Runs "gate COMMAND... --vm K --baseline here/base.json" and returns its exit code.
  int gate(std::vector<std::string> arguments)
  {
    std::vector<std::string> own = {"--vmtest", here / "vmtest",      "--bench", "/bin/true",
                                    "--json",   here / "report.json", "--store", here / "store"};
    if (arguments[0] != "ab")
      own.insert(own.end(), {"--vm", "debian:6.12", "--baseline", here / "base.json"});
    arguments.insert(arguments.begin() + 1, own.begin(), own.end());
    std::vector<const char *> argv = {"gate"};
    for (const std::string &argument : arguments)
      argv.push_back(argument.c_str());
    Options options = parse_options(argv.size(), argv.data());
    Capture capture;
    int code = options.command == "record"  ? record_vm(options)
               : options.command == "check" ? check_vm(options)
                                            : ab_vm(options);
    output = capture.text();
    return code;
  }

  json report() const { return json::parse(read_file(here / "report.json")); }

  TemporaryDirectory here;
  std::string output;
};

} // namespace

TEST(vm_record_and_check)
{
  Vm vm;
  expect_eq(vm.gate({"record"}), 0);
  expect_has(vm.output, "5 boots\ngate: recorded=2 skipped=0");
  expect_eq(read_file(vm.here / "command"), "/bin/true --suite quick --json result.json\n");
  result::Result baseline = result::read_result(vm.here / "base.json");
  expect_eq(baseline.benchmarks.at(0).metrics.at(0).samples.size(), 5u);
  expect(!baseline.started.empty());
  expect_eq(vm.gate({"check"}), 0);
  expect_has(vm.output, "unchanged=2");
  vm.write({.insns = "1010"});
  expect_eq(vm.gate({"check", "--seeds", "3"}), 1);
  expect_has(vm.output, "verdict=regressed regressed=1 improved=0 unchanged=1");
  expect_eq(vm.report()["rows"][0]["verdict"], "regressed");
  expect_eq(vm.report()["rows"][0]["name"], "one");
  expect_eq(vm.gate({"check", "--tolerance", "2"}), 0);
}

TEST(vm_check_of_a_selection_wants_the_selection_only)
{
  Vm vm;
  expect_eq(vm.gate({"record"}), 0);
  vm.write({.names = "two"});
  expect_eq(vm.gate({"check", "two"}), 0);
  expect_eq(read_file(vm.here / "command"), "/bin/true two --json result.json\n");
  expect_eq(vm.gate({"check", "--inject", "two=1%"}), 3); // all of the suite, and "one" is gone
  expect_has(vm.output, "missing=1");
}

TEST(vm_ab)
{
  Vm vm({.insns = "$([ $kernel = k1 ] && echo 1000 || echo 1050)"});
  expect_eq(vm.gate({"ab", "--kernel-a", "k1", "--kernel-b", "k1"}), 0);
  expect_eq(vm.gate({"ab", "--kernel-a", "k1", "--kernel-b", "k2", "one", "two"}), 1);
  expect_eq(vm.report()["command"], "ab");
  expect_has(vm.output, "counts of instructions in k2 (build id abc) against k1 (build id abc)");
  expect_eq(vm.gate({"ab", "--kernel-a", "k2", "--kernel-b", "k1"}), 0);
  expect_has(vm.output, "improved=1");
}

// The exact rule, not that of times: five boots a side would be inconclusive.
TEST(vm_records_are_compared_as_counts)
{
  Vm vm;
  expect_eq(vm.gate({"record"}), 0);
  std::string base = vm.here / "base.json", comp = vm.here / "comp.json";
  fs::rename(base, comp);
  vm.write({.insns = "990"});
  expect_eq(vm.gate({"record"}), 0);
  auto compare_at = [&](const char *tolerance) {
    const char *argv[] = {"gate", "compare", base.c_str(), comp.c_str(), "--tolerance", tolerance};
    Capture capture;
    return compare(parse_options(std::size(argv), argv));
  };
  expect_eq(compare_at("0.2"), 1);
  expect_eq(compare_at("2"), 0);
}

TEST(vm_boot_that_fails_is_no_pass)
{
  Vm vm;
  expect_eq(vm.gate({"record"}), 0);
  for (const char *outcome : {"panic", "time-out", "splat", "out-of-memory", "qemu-error"}) {
    vm.write({.outcome = fmt::format("$([ $seed = 4 ] && echo {} || echo passed)", outcome),
              .status = "null",
              .detail = "why"});
    expect_eq(vm.gate({"check"}), 3);
    expect_has(vm.output, fmt::format("debian:6.12: seed 4: {}: why", outcome));
    expect_has(vm.output, "gate: verdict=invalid");
    std::string before = read_file(vm.here / "base.json");
    expect_throws([&] { vm.gate({"record"}); }, "seed 4");
    expect_eq(read_file(vm.here / "base.json"), before);
  }
}

TEST(vm_nothing_measurable)
{
  for (const char *code : {"206", "207"}) {
    Vm vm({.before = fmt::format("echo 'vmtest: no such thing' >&2; exit {}", code)});
    try {
      vm.gate({"record"});
      fail("no exception", std::source_location::current());
    } catch (const nothing_measurable &reason) {
      expect_has(reason.what(), "no such thing");
    }
  }
  Vm vm({.outcome = "kernel-unfit", .status = "null", .detail = "it lacks CONFIG_X"});
  expect_throws([&] { vm.gate({"record"}); }, "debian:6.12: it lacks CONFIG_X");
}

TEST(vm_refusals)
{
  Vm vm({.before = "echo 'vmtest: wrong option' >&2; exit 200"});
  expect_throws([&] { vm.gate({"record"}); }, "wrong option");
  vm.write({.outcome = "failed",
            .status = "64",
            .before = "echo '[debian:6.12 seed 1] bench: no such benchmark' >&2"});
  expect_throws([&] { vm.gate({"record"}); }, "bench: no such benchmark");
  vm.write({.before = "kill -9 $$"});
  expect_throws([&] { vm.gate({"record"}); }, "no outcomes");
  vm.write({.accelerator = "tcg"});
  expect_throws([&] { vm.gate({"record"}); }, "did not find that its clock counts");
  vm.write({.before = "rm -f \"$out\"; mkdir -p \"$out\"; echo '{}' > \"$json\"; exit 0"});
  expect_throws([&] { vm.gate({"record"}); }, "in another form");
}

TEST(vm_model_gates_events)
{
  Vm vm({.misses = "2.0$seed"});
  expect_eq(vm.gate({"record", "--model=amd-zen5"}), 0);
  result::Result baseline = result::read_result(vm.here / "base.json");
  expect_eq(baseline.environment.at("vm").text_of("model"), "amd-zen5 (12345678)");
  expect_eq(vm.gate({"check", "--model=amd-zen5"}), 0);
  expect_has(vm.output, "counts of instructions and events in debian:6.12");
  expect_has(vm.output, "unchanged=4");
  vm.write({.misses = "3.0$seed"});
  expect_eq(vm.gate({"check", "--model=amd-zen5"}), 1);
  expect_has(vm.output, "regressed=2 improved=0 unchanged=2");
  expect_eq(vm.report()["rows"][1]["metric"], "modelled_l2_misses");
  expect_eq(vm.report()["rows"][1]["verdict"], "regressed");
}

// The word behind it is a benchmark.
TEST(vm_model_without_a_name_is_generic)
{
  Vm vm;
  expect_eq(vm.gate({"record", "--model", "one", "two"}), 0);
  expect_has(read_file(vm.here / "command"), "/bin/true --loads 1 one two --json");
  expect_has(read_file(vm.here / "base.json"), "generic (12345678)");
  expect_eq(vm.gate({"record", "--model", "--", "--loads", "2", "one"}), 0);
  expect_has(read_file(vm.here / "command"), "/bin/true --loads 2 one --json");
}

TEST(vm_events_of_another_model_are_incomparable)
{
  Vm vm;
  expect_eq(vm.gate({"record", "--model"}), 0);
  expect_eq(vm.gate({"check", "--model=amd-zen5"}), 3);
  expect_has(vm.output, "counted under amd-zen5 (12345678) against generic (12345678)");
  expect_has(vm.output, "incomparable=4");
  expect_throws([&] { vm.gate({"check"}); }, "give its --model");
  expect_eq(vm.gate({"record"}), 0);
  expect_throws([&] { vm.gate({"check", "--model"}); }, "has no events: record it anew");
}

TEST(vm_model_against_counts_in_files_is_incomparable)
{
  Vm vm;
  std::string base = vm.here / "base.json", comp = vm.here / "comp.json";
  expect_eq(vm.gate({"record", "--model"}), 0);
  fs::rename(base, comp);
  expect_eq(vm.gate({"record"}), 0);
  const char *argv[] = {"gate", "compare", base.c_str(), comp.c_str()};
  Capture capture;
  expect_eq(compare(parse_options(std::size(argv), argv)), 3);
  expect_has(capture.text(), "counted under generic (12345678) against no model");
}

TEST(vm_model_that_nobody_tells_is_no_result)
{
  Vm vm({.identity = ""});
  expect_throws([&] { vm.gate({"record", "--model"}); }, "did not tell which model");
}

TEST(vm_seeds_are_a_number_or_a_range)
{
  Vm vm({.insns = "100$seed"});
  expect_eq(vm.gate({"record", "--seeds", "6-8"}), 0);
  result::Result baseline = result::read_result(vm.here / "base.json");
  expect(baseline.environment.at("vm").at("seeds") == Value(Value::List{6, 7, 8}));
  expect_throws([&] { vm.gate({"record", "--seeds", "8-6"}); }, "'8-6' has none");
  expect_throws([&] { vm.gate({"record", "--seeds", "-6"}); }, "--seeds");
}

TEST(vm_baseline_of_another_kind)
{
  Vm vm;
  write_file(vm.here / "base.json", R"({"schema": "bpfgate-result", "version": 1,
    "environment": {"accelerator": "kvm"}, "benchmarks": []})");
  expect_throws([&] { vm.gate({"check"}); }, "no baseline of counted instructions");
  fs::remove(vm.here / "base.json");
  expect_throws([&] { vm.gate({"check"}); }, "base.json");
}

TEST(vm_options_that_do_not_go_together)
{
  auto parse = [](std::vector<const char *> argv) {
    argv.insert(argv.begin(), "gate");
    parse_options(argv.size(), argv.data());
  };
  expect_throws([&] { parse({"record", "--vm", "k", "--bench", "/b"}); }, "go together");
  expect_throws([&] { parse({"check", "--baseline", "f"}); }, "go together");
  expect_throws(
      [&] {
        parse({"check", "--vm", "k", "--baseline", "f", "--units", "30"});
      },
      "--units is for what is measured on this machine");
  for (const char *option : {"--waivers", "--drift-budget", "--anchor"})
    expect_throws(
        [&] {
          parse({"check", "--vm", "k", "--baseline", "f", option, "9"});
        },
        fmt::format("{} is for what is measured on this machine", option));
  for (const char *option : {"--gate-tail", "--tail"})
    expect_throws([&] { parse({"check", "--vm", "k", "--baseline", "f", option}); }, option);
  expect_throws(
      [&] {
        parse({"record", "--vm", "k", "--baseline", "f", "--reason", "r"});
      },
      "--reason is for");
  expect_throws([&] { parse({"check", "--seeds", "5"}); }, "--seeds is for virtual machines");
  expect_throws([&] { parse({"check", "--model"}); }, "--model is for virtual machines");
  expect_throws(
      [&] {
        parse({"ab", "--kernel-a", "k", "--kernel-b", "k", "--pairs", "5"});
      },
      "--pairs is for times");
  expect_throws([&] { parse({"ab", "--kernel-a", "k"}); }, "--kernel-b is missing");
  expect_throws([&] { parse({"ab", "--a", "x"}); }, "--b is missing");
  expect_throws([&] { parse({"ab", "--a", "x", "--kernel-b", "k"}); }, "exclude each other");
  expect_throws(
      [&] {
        parse({"ab", "--a", "x", "--b", "y", "bloom-lookup"});
      },
      "'bloom-lookup': bench is not asked for");
  expect_throws(
      [&] {
        parse({"record", "--vm", "k", "--baseline", "f", "--seeds", "0", "--bench", "/b"});
      },
      "--seeds: '0'");
}
