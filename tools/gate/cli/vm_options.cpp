// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/cli/vm_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/lib/cpus.h"
#include "tools/lib/text.h"

namespace gate
{

static constexpr const char *group = "In virtual machines (docs/gate-vm.md)";
static constexpr size_t most_seeds = 1000;

static void add_boots(CLI::App &command, Options &options, VmTexts &texts)
{
  command.add_option("--seeds", texts.seeds, "boots, with seeds 1 to N, or A-B (5)")->group(group);
  // With "=" only: what follows is a benchmark.
  command
      .add_flag("--model{generic}", options.vm.model, "events of this machine, too (docs/model.md)")
      ->group(group);
  command.add_option("-j,--jobs", texts.jobs, "guests at a time (one for each CPU)")->group(group);
  command.add_option("--vmtest", options.vm.vmtest, "the vmtest executable")->group(group);
}

void add_vm(CLI::App &command, Options &options, VmTexts &texts)
{
  command
      .add_option("--vm", options.vm.kernels[0],
                  "boot it: debian:6.12, a bzImage, whatever vmtest takes")
      ->group(group);
  command.add_option("--baseline", options.vm.baseline, "with --vm: that figures are kept in")
      ->group(group);
  if (command.get_name() == "check")
    command
        .add_option("--figures", options.vm.figures,
                    "also write what was measured (docs/results.md)")
        ->group(group);
  add_boots(command, options, texts);
}

void add_vm_ab(CLI::App &command, Options &options, VmTexts &texts)
{
  command.add_option("--kernel-a", options.vm.kernels[0], "kernel of the base, instead of --a")
      ->group(group);
  command.add_option("--kernel-b", options.vm.kernels[1], "kernel that is judged")->group(group);
  command.add_option("--bench", options.bench, "the bench executable to measure")->group(group);
  add_boots(command, options, texts);
  command.allow_extras();
}

static bool given(const CLI::App &command, const char *name)
{
  const CLI::Option *option = command.get_option_no_throw(name);
  return option && option->count() > 0;
}

// Which form is meant, and that it is whole.
static void check_form(const CLI::App &chosen, const Options &options)
{
  if (options.command == "ab") {
    bool kernels = given(chosen, "--kernel-a") || given(chosen, "--kernel-b");
    for (auto [kernel, command] : {std::pair{"--kernel-a", "--a"}, {"--kernel-b", "--b"}}) {
      if (kernels && given(chosen, command))
        throw usage_error(fmt::format("{} and --kernel-a, --kernel-b exclude each other", command));
      if (const char *needed = kernels ? kernel : command; !given(chosen, needed))
        throw usage_error(fmt::format("{} is missing", needed));
    }
  } else if (given(chosen, "--vm") != given(chosen, "--baseline")) {
    throw usage_error("--vm KERNEL and --baseline FILE go together");
  }
}

// Which options the chosen form has no use for.
static void check_use(const CLI::App &chosen, const Options &options)
{
  bool in_vm = options.in_vm();
  auto refuse = [&](bool useless, std::initializer_list<const char *> names, const char *use) {
    for (const char *name : names)
      if (useless && given(chosen, name))
        throw usage_error(fmt::format("{} is for {}", name, use));
  };
  refuse(in_vm,
         {"--units", "--max-units", "--stored-tolerance", "--if-missing", "--budget",
          "--allow-foreign", "--waivers", "--drift-budget", "--anchor", "--tail", "--gate-tail",
          "--reason"},
         "what is measured on this machine");
  refuse(in_vm, {"--seed", "--alpha", "--pairs"}, "times, not for counts");
  refuse(!in_vm, {"--seeds", "--jobs", "--vmtest", "--figures", "--model"}, "virtual machines");
}

static void take_seeds(VmOptions &vm, const std::string &text)
{
  if (text.empty())
    return;
  auto [from, to] = range_ends(text);
  vm.first_seed = parse_count("--seeds", from, 1, most_seeds);
  uint64_t last = parse_count("--seeds", to, 1, most_seeds);
  if (last < vm.first_seed)
    throw usage_error(fmt::format("--seeds: '{}' has none", text));
  vm.seeds = last - vm.first_seed + 1;
}

void take_vm(const CLI::App &chosen, Options &options, const VmTexts &texts)
{
  check_form(chosen, options);
  check_use(chosen, options);
  if (!options.in_vm())
    return;
  take_seeds(options.vm, texts.seeds);
  options.vm.jobs =
      texts.jobs.empty() ? allowed_cpus().size() : parse_count("--jobs", texts.jobs, 1, most_seeds);
  options.vm.jobs = std::min(options.vm.jobs, options.vm.seeds);
  if (given(chosen, "--timeout"))
    options.vm.timeout_s = options.timeout_ms / 1000;
}

} // namespace gate
