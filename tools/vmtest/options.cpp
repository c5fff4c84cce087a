// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "tools/lib/text.h"
#include "tools/vmtest/pattern.h"
#include "tools/vmtest/version.h"

namespace vmtest
{

static constexpr uint64_t default_seed = 1;
static constexpr const char *default_model = "generic";

// Written by hand, so that it fits a screen.
std::string help_text()
{
  return R"(Usage: vmtest [OPTIONS] --kernel K [--kernel K2 ...] -- COMMAND [ARGS...]
Boots each kernel in QEMU and runs this machine's COMMAND in it.

  --kernel K     bzImage, vmlinux, directory of a package or build tree, or
                 debian:6.1, :6.12, :7.2, :latest
  --refresh      fetch Debian's kernel again
  --with FILE    another program for the guest
  --share DIR    files for the guest, at /share/NAME
  --root host    all of this machine's files, read-only below a layer in memory;
                 COMMAND starts where we are, with our PATH
  --out DIR      for the files that COMMAND leaves in $OUT, where it starts
  --env N=VALUE  for COMMAND
  --timeout S    for COMMAND (300; 0: none); TCG has 4 times, --icount 8 times S
  --warn-fatal   a WARNING of the kernel fails, too
  --splat REGEX, --allow-splat REGEX   what the kernel says is a splat, or none
  --need SYMBOL  the kernel must have CONFIG_SYMBOL
  --memory M     MiB, or 2G (1024)             --cpus N     of the guest (1)
  --append TEXT  to the kernel's command line  -j,--jobs N  guests at a time (1)
  --shell        a terminal; without COMMAND a shell in it
  --gdb[=PORT]   wait for a debugger (1234)    --stdin    COMMAND reads ours
  --json FILE    outcomes for machines         -v,--verbose  show the console
  --dry-run      show QEMU's command line      --qemu PROGRAM  another QEMU
  --accelerator kvm|tcg                        KVM where it works
  --icount       the guest's clock counts instructions; same seed, same bytes
  --seed S       of the guest (1)              --seeds N    with 1 to N, or A-B
  --model[=M]    --icount, and events of a modelled machine: generic, amd-zen5,
                 intel-golden-cove, host, FILE.toml (docs/model.md)
  --profile DIR  --model, and by function: callgrind and folded stacks
  -h,--help      --version

  vmtest --kernel debian:6.12 -- test_progs -t lpm
  vmtest --kernel debian:6.1 --kernel ../linux --out o -- bench --json b.json -a
  vmtest --kernel arch/x86/boot/bzImage --warn-fatal -- sh -c 'echo $(uname -r)'

Exit: COMMAND's status (128 + N: signal N; 199: 200 and above), else 200 usage,
201 panic, 202 splat, 203 out of memory, 204 time-out, 205 no result, 206 QEMU
error, 207 kernel unfit, 208 command not found, 209 output lost, 210 input
unreadable, 128 + N: vmtest got signal N. Several kernels: the first's that did
not pass.
)";
}

static uint64_t parse_count(const std::string &name, const std::string &text, uint64_t least,
                            uint64_t most)
{
  auto value = parse_whole(text);
  if (!value || *value < least || *value > most)
    throw usage_error(
        fmt::format("{}: '{}' is no whole number from {} to {}", name, text, least, most));
  return *value;
}

uint64_t parse_memory_mib(const std::string &text)
{
  std::string number = text;
  uint64_t unit = 1;
  if (number.ends_with('G') || number.ends_with('M')) {
    unit = number.back() == 'G' ? 1024 : 1;
    number.pop_back();
  }
  auto value = parse_whole(number);
  if (!value || *value > (1u << 20) || *value * unit < 128 || *value * unit > (1u << 20))
    throw usage_error(fmt::format("--memory: '{}' is no size from 128M to 1024G", text));
  return *value * unit;
}

namespace
{

struct Texts {
  std::string memory, cpus, jobs, timeout, seed, seeds, gdb, model, root;
  std::vector<std::string> environment, append;
};

} // namespace

static void add_options(CLI::App &app, Options &options, Texts &texts)
{
  // One value each: what follows is no list.
  for (auto [name, list] : {std::pair{"--kernel", &options.kernels},
                            {"--with", &options.with},
                            {"--share", &options.share},
                            {"--need", &options.needs},
                            {"--splat", &options.splats},
                            {"--allow-splat", &options.allowed_splats},
                            {"--env", &texts.environment},
                            {"--append", &texts.append}})
    app.add_option(name, *list)->allow_extra_args(false);
  for (auto [name, text] : {std::pair{"--out", &options.out},
                            {"--json", &options.json},
                            {"--qemu", &options.qemu},
                            {"--profile", &options.profile},
                            {"--memory", &texts.memory},
                            {"--cpus", &texts.cpus},
                            {"-j,--jobs", &texts.jobs},
                            {"--timeout", &texts.timeout},
                            {"--seed", &texts.seed},
                            {"--seeds", &texts.seeds}})
    app.add_option(name, *text);
  app.add_option("--accelerator", options.accelerator)
      ->check(CLI::IsMember({"auto", "kvm", "tcg"}));
  app.add_option("--root", texts.root)->check(CLI::IsMember({"small", "host"}));
  app.add_option("--gdb", texts.gdb)->expected(0, 1)->default_str("1234");
  app.add_option("--model", texts.model)->expected(0, 1)->default_str(default_model);
  for (auto [name, flag] : {std::pair{"--shell", &options.shell},
                            {"--stdin", &options.input},
                            {"--warn-fatal", &options.warn_fatal},
                            {"--dry-run", &options.dry_run},
                            {"-v,--verbose", &options.verbose},
                            {"--refresh", &options.refresh},
                            {"--icount", &options.icount}})
    app.add_flag(name, *flag);
}

static void take_environment(Options &options, const std::vector<std::string> &texts)
{
  for (const std::string &text : texts) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw usage_error(fmt::format("--env: '{}' is not NAME=VALUE", text));
    options.environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
}

static std::vector<uint64_t> parse_seeds(const std::string &text)
{
  constexpr uint64_t most = 10000;
  auto [from, to] = range_ends(text);
  uint64_t first = parse_count("--seeds", from, 1, most);
  uint64_t last = parse_count("--seeds", to, first, most);
  std::vector<uint64_t> seeds(last - first + 1);
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

static void take_seeds(Options &options, const Texts &texts)
{
  if (!texts.seed.empty() && !texts.seeds.empty())
    throw usage_error("--seed and --seeds exclude each other");
  if (!options.icount && (!texts.seed.empty() || !texts.seeds.empty()))
    throw usage_error("--seed and --seeds need --icount");
  if (!options.icount)
    return;
  options.seeds = {texts.seed.empty() ? default_seed
                                      : parse_count("--seed", texts.seed, 0, INT64_MAX)};
  if (texts.seeds.empty())
    return;
  options.seeds = parse_seeds(texts.seeds);
}

// The model counts where everything repeats.
static void take_model(Options &options, const std::string &text, bool given)
{
  if (!given && options.profile.empty())
    return;
  options.model = text.empty() ? default_model : text;
  options.icount = true;
}

static void take_texts(Options &options, const Texts &texts, bool gdb)
{
  if (!texts.memory.empty())
    options.memory_mib = parse_memory_mib(texts.memory);
  if (!texts.cpus.empty())
    options.cpus = parse_count("--cpus", texts.cpus, 1, 255);
  if (!texts.jobs.empty())
    options.jobs = parse_count("-j", texts.jobs, 1, 256);
  if (!texts.timeout.empty())
    options.timeout_s = parse_count("--timeout", texts.timeout, 0, 10000000);
  if (gdb)
    options.gdb_port = texts.gdb.empty() ? 1234 : parse_count("--gdb", texts.gdb, 1, 65535);
  options.host_root = texts.root == "host";
  options.append = fmt::format("{}", fmt::join(texts.append, " "));
  take_environment(options, texts.environment);
  take_seeds(options, texts);
}

static void check(const Options &options)
{
  bool several = options.kernels.size() > 1 || options.seeds.size() > 1;
  if (options.kernels.empty())
    throw usage_error("name a kernel: --kernel PATH or --kernel debian:6.12");
  if (options.command.empty() && !options.shell)
    throw usage_error("no command: put it behind --");
  if (several && (options.shell || options.gdb_port))
    throw usage_error("--shell and --gdb are for one kernel and one seed");
  if (options.input && options.kernels.size() > 1)
    throw usage_error("--stdin is for one kernel: an input can be read once");
  if (options.input && options.shell)
    throw usage_error("--shell has the terminal for its input, so --stdin has none");
  std::set<std::string> different(options.kernels.begin(), options.kernels.end());
  if (!options.out.empty() && different.size() < options.kernels.size())
    throw usage_error("--out: the same kernel twice would write to the same place");
  for (auto [name, patterns] :
       {std::pair{"--splat", &options.splats}, {"--allow-splat", &options.allowed_splats}})
    for (const std::string &pattern : *patterns)
      if (std::string why = pattern_error(pattern); !why.empty() || pattern.empty())
        throw usage_error(fmt::format("{}: '{}' is no regular expression: {}", name, pattern,
                                      why.empty() ? "it is empty" : why));
  if (options.icount && options.host_root)
    throw usage_error("--icount and --root host exclude each other: files come when they come");
  if (options.host_root && !options.with.empty())
    throw usage_error("--with: with --root host the guest has this machine's programs");
  if (options.icount && options.cpus != 1)
    throw usage_error("--icount has one CPU: with two the order of their steps is the host's");
  if (options.icount && options.shell)
    throw usage_error("--icount and --shell exclude each other: keys come when they come");
  if (options.icount && options.input)
    throw usage_error("--icount and --stdin exclude each other: input comes when it comes");
  if (options.icount && options.accelerator == "kvm")
    throw usage_error("--icount counts instructions under TCG, not under KVM");
}

Options parse_options(int argc, const char *const *argv)
{
  Options options;
  Texts texts;
  CLI::App app("", "vmtest");
  app.set_help_flag();
  app.set_version_flag("--version", std::string("vmtest ") + BPFGATE_VERSION);
  CLI::Option *help = app.add_flag("-h,--help");
  add_options(app, options, texts);
  const char *const *mark = std::find(argv, argv + argc, std::string_view("--"));
  try {
    app.parse(mark - argv, argv);
  } catch (const CLI::CallForVersion &) {
    throw early_exit{std::string("vmtest ") + BPFGATE_VERSION + "\n"};
  } catch (const CLI::ExtrasError &error) {
    throw usage_error(fmt::format("{} (the command comes behind --)", error.what()));
  } catch (const CLI::ParseError &error) {
    throw usage_error(error.what());
  }
  if (help->count())
    throw early_exit{help_text()};
  options.command.assign(mark == argv + argc ? mark : mark + 1, argv + argc);
  take_model(options, texts.model, app.get_option("--model")->count() > 0);
  take_texts(options, texts, app.get_option("--gdb")->count() > 0);
  check(options);
  return options;
}

} // namespace vmtest
