// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate ab --time between two kernels, from its options to its exit codes, with a made-up vmtest: a
// script that boots nothing and answers as a bench does. Real boots: vm_gate_test.cpp.
#include <iterator>
#include <set>
#include <sstream>

#include "tools/gate/capture.h"
#include "tools/gate/child.h"
#include "tools/gate/fake_bench.h"
#include "tools/gate/vm_commands.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace gate;
using result::json;

namespace
{

constexpr const char *on_kvm = R"("accelerator": "kvm", "kernel": "6.1")";
constexpr const char *on_tcg = R"("accelerator": "tcg", "kernel": "6.1")";

// Shell code: one text in the guests of kernel k2, another in those of k1.
std::string by_kernel(const std::string &k1, const std::string &k2)
{
  return fmt::format("$(case \"$*\" in *'--kernel k2'*) echo {};; *) echo {};; esac)", k2, k1);
}

struct Kernels {
  // dry_run: what vmtest --dry-run does, in shell code.
  explicit Kernels(const FakeBench &fake, const std::string &dry_run = "exit 0")
  {
    write_fake(here / "guest", fake);
    write_file(here / "vmtest",
               fmt::format("#!/bin/sh\ncase \"$*\" in *--dry-run*) {} ;; esac\n. '{}'\n", dry_run,
                           here / "guest"),
               0777);
  }

  // Runs "gate ab --kernel-a K1 --kernel-b K2 --time MORE..." and returns its exit code.
  int ab(const std::string &k1, const std::string &k2, std::vector<std::string> more = {})
  {
    std::vector<std::string> arguments = {"gate",
                                          "ab",
                                          "--kernel-a",
                                          k1,
                                          "--kernel-b",
                                          k2,
                                          "--time",
                                          "--vmtest",
                                          here / "vmtest",
                                          "--bench",
                                          "/bin/true",
                                          "--json",
                                          here / "report.json",
                                          "--store",
                                          here / "store",
                                          "--seed",
                                          "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<const char *> argv;
    for (const std::string &argument : arguments)
      argv.push_back(argument.c_str());
    Options options = parse_options(argv.size(), argv.data());
    Capture capture;
    int code = ab_vm(options);
    output = capture.text();
    return code;
  }

  json report() const { return json::parse(read_file(here / "report.json")); }

  TemporaryDirectory here;
  std::string output;
};

} // namespace

TEST(kernel_times_are_judged_as_pairs_of_boots)
{
  Kernels kernels(
      {.ns = "$((ops * n * 10 + ops * " + by_kernel("50", "60") + "))", .environment = on_kvm});
  expect_eq(kernels.ab("k1", "k2", {"--pairs", "20", "--tolerance", "18"}), 1);
  expect_has(kernels.output, "20 pairs of boots in random order, seed 1");
  expect_eq(kernels.report()["command"], "ab");
  expect_eq(kernels.report()["rows"][0]["verdict"], "regressed");
  expect_eq(kernels.report()["rows"][0]["method"], "ab");
  expect_eq(kernels.report()["rows"][0]["comp_loads"], 20);
  expect_eq(kernels.report()["environments"]["comp"]["accelerator"], "kvm");
  expect_eq(kernels.ab("k2", "k1", {"--pairs", "20"}), 0);
  expect_has(kernels.output, "regressed=0 improved=2");
  expect_eq(kernels.ab("k1", "k3", {"--pairs", "20"}), 0);
  expect_has(kernels.output, "regressed=0 improved=0 unchanged=2");
}

TEST(kernel_times_have_new_guests_for_each_pair)
{
  TemporaryDirectory here;
  std::string boots = here / "boots";
  Kernels kernels({.load = "echo $$ >>" + boots + ";", .environment = on_kvm, .names = "one"});
  expect_eq(kernels.ab("k1", "k2", {"--pairs", "6"}), 0);
  std::istringstream lines(read_file(boots));
  std::set<std::string> different{std::istream_iterator<std::string>(lines), {}};
  expect_eq(different.size(), 12u);
}

TEST(kernel_times_are_of_kvm_or_advice)
{
  Kernels kernels({.ns = "$((ops * " + by_kernel("50", "60") + "))", .environment = on_tcg});
  expect_throws([&] { kernels.ab("k1", "k2"); }, "say nothing of hardware");
  expect_eq(kernels.ab("k1", "k2", {"--allow-tcg", "--pairs", "20"}), 0);
  expect_has(kernels.output, "regressed=2");
  expect_has(kernels.output, "advice only");
  expect_eq(kernels.report()["advisory"], true);
  Kernels none({.environment = on_kvm},
               "echo 'vmtest: qemu-error: KVM does not work here: why' >&2; exit 206");
  expect_throws([&] { none.ab("k1", "k2"); },
                "KVM does not work here: why; times under an emulator");
}

TEST(kernel_times_without_what_it_needs)
{
  Kernels unfit({}, "echo 'vmtest: kernel-unfit: no such kernel' >&2; exit 207");
  expect_throws([&] { unfit.ab("k1", "k2"); }, "no such kernel");
  Kernels broken({}, "echo 'vmtest: what is it' >&2; exit 208");
  expect_eq(broken.ab("k1", "k2"), 3);
  expect_has(broken.output, "what is it");
  Kernels usage({.list = "echo 'bench: no such benchmark' >&2; "
                         "echo 'vmtest: k1: failed: exit status 64' >&2; exit 64;"});
  expect_throws([&] { usage.ab("k1", "k2"); }, "bench: no such benchmark");
  Kernels skips({.load = "echo skip no maps here; continue;", .environment = on_kvm});
  expect_eq(skips.ab("k1", "k2", {"--pairs", "4"}), 4);
  expect_has(skips.output, "no maps here");
}

TEST(kernel_times_of_a_kernel_that_panics_are_no_pass)
{
  std::string panics = "echo 'vmtest: k2: panic: why' >&2; echo 'vmtest: | console' >&2; exit 201";
  std::string in_k2 = "case \"$*\" in *'--kernel k2'*) " + panics + ";; esac;";
  Kernels listing({.list = in_k2, .environment = on_kvm});
  expect_eq(listing.ab("k1", "k2"), 3);
  expect_has(listing.output, "with exit status 201: vmtest: k2: panic: why");
  Kernels later({.epoch = "[ $n = 1 ] || " + in_k2, .environment = on_kvm});
  expect_eq(later.ab("k1", "k2", {"--pairs", "4"}), 3);
  expect_eq(later.report()["rows"][0]["verdict"], "invalid");
  expect_has(later.report()["rows"][0]["note"].get<std::string>(), "k2: panic: why");
  expect_eq(later.ab("k2", "k1", {"--pairs", "4"}), 3);
  expect_has(later.report()["rows"][0]["note"].get<std::string>(), "k2: panic: why");
}

TEST(kernel_times_of_different_machines_are_incomparable)
{
  Kernels kernels(
      {.environment = std::string(on_kvm) + ", \"jit\": '" + by_kernel("1", "0") + "'"});
  expect_eq(kernels.ab("k1", "k2"), 3);
  expect_has(kernels.output, "incomparable=2");
  expect_has(kernels.output, "jit: 1 against 0");
  Kernels advice({.environment = std::string(on_tcg) + ", \"jit\": '" + by_kernel("1", "0") + "'"});
  expect_eq(advice.ab("k1", "k2", {"--allow-tcg", "--pairs", "20"}), 0);
  expect_has(advice.output, "jit: 1 against 0");
  expect_has(advice.output, "unchanged=2");
}

TEST(kernel_times_options)
{
  auto parse = [](std::vector<const char *> argv) {
    argv.insert(argv.begin(), {"gate", "ab"});
    return parse_options(argv.size(), argv.data());
  };
  std::vector<const char *> kernels = {"--kernel-a", "k",  "--kernel-b", "k",
                                       "--bench",    "/b", "--vmtest",   "/v"};
  auto with = [&](std::vector<const char *> more) {
    more.insert(more.begin(), kernels.begin(), kernels.end());
    return parse(more);
  };
  expect_eq(with({"--time"}).pairs, 40u);
  expect(!with({}).vm.times);
  expect_throws([&] { with({"--time", "--seeds", "5"}); }, "--seeds is for counts");
  expect_throws([&] { with({"--pairs", "5"}); }, "--pairs is for times");
  expect_throws([&] { with({"--allow-tcg"}); }, "--allow-tcg is for --time");
  expect_throws([&] { with({"--time", "--budget", "5"}); }, "--budget is for what is measured");
  expect_throws([&] { parse({"--a", "x", "--b", "y", "--time"}); }, "for virtual machines");
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
