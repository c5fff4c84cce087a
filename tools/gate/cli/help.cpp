// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/cli/help.h"

#include <CLI/CLI.hpp>
#include <map>

#include "tools/lib/help.h"
#include "tools/lib/json.h"

namespace gate
{

static const std::map<std::string, const char *> values = {
    {"--a", "COMMAND"},          {"--b", "COMMAND"},       {"--alpha", "P"},
    {"--anchor", "NAME"},        {"--baseline", "FILE"},   {"--bench", "PROGRAM"},
    {"--better", "METRIC=WAY"},  {"--bound", "PCT"},       {"--budget", "SEC"},
    {"--drift-budget", "PCT"},   {"--figures", "FILE"},    {"--format", "FORMAT"},
    {"--full", "NUM"},           {"--history", "FILE"},    {"--html", "FILE"},
    {"--import", "FILES"},       {"--jobs", "NUM"},        {"--json", "FILE"},
    {"--kernel-a", "KERNEL"},    {"--kernel-b", "KERNEL"}, {"--max-units", "NUM"},
    {"--owner", "WHO"},          {"--pairs", "NUM"},       {"--rename", "OLD=NEW"},
    {"--report", "FILE"},        {"--runs", "NUM"},        {"--seed", "NUM"},
    {"--seeds", "NUM"},          {"--store", "DIR"},       {"--stored-tolerance", "PCT"},
    {"--sections", "NAME,NAME"}, {"--thresholds", "FILE"}, {"--timeout", "SEC"},
    {"--tolerance", "PCT"},      {"--trials", "NUM"},      {"--units", "NUM"},
    {"--until", "DAY"},          {"--vm", "KERNEL"},       {"--vmtest", "PROGRAM"},
    {"--waivers", "FILE"},
};

static const std::map<std::string, const char *> examples = {
    {"gate", "  gate record                            the quick suite becomes the baseline\n"
             "  gate check --json report.json          later, or in another checkout\n"
             "  gate check --inject bloom-lookup=30%   slowed on purpose: must exit 1\n"
             "  gate compare old.log new.log           of many programs: docs/formats.md\n"
             "Exit: 0 nothing regressed, 1 a regression, 2 usage or unreadable input,\n"
             "3 something was missing, invalid or incomparable, or no row could be judged,\n"
             "4 nothing can be measured here, 130 interrupted.\n"},
    {"gate record", "  gate record\n"
                    "  gate record --if-missing lpm-trie-lookup --nr_entries 10000\n"
                    "  gate record --vm debian:6.12 --baseline counts.json 'bloom-*'\n"},
    {"gate check", "  gate check --json report.json\n"
                   "  gate check --tolerance 10% --strict 'lpm-trie-*'\n"
                   "  gate check --inject bloom-lookup=30%\n"},
    {"gate compare",
     "  gate compare base.json comp.json --tolerance 3%\n"
     "  gate compare old.log new.log --better latency=lower\n"
     "  gate compare commit.txt --sections before,after\n"
     "Exit: as in gate --help; 3 also where no row had enough loads for any verdict.\n"},
    {"gate report", "  gate report report.json --html report.html\n"
                    "  gate report report.json --format junit=junit.xml\n"},
    {"gate ab", "  gate ab --a 'old/bench -d1 htab-mem' --b 'new/bench -d1 htab-mem'\n"
                "  gate ab --budget 60 --a './old.sh' --b './new.sh'\n"
                "  gate ab --kernel-a debian:6.12 --kernel-b bzImage bloom-lookup\n"},
    {"gate explain", "  gate explain bloom-lookup\n"
                     "  gate explain --report report.json 'lpm-trie-*'\n"},
    {"gate selftest", "  gate selftest --aa\n"
                      "  gate selftest --aa --trials 100 --json aa.json\n"},
    {"gate baseline",
     "  gate baseline list\n"
     "  gate baseline accept 12 --reason 'bounds check is wanted'\n"
     "  gate baseline waive lpm-trie-lookup --owner you@example.org \\\n"
     "      --reason 'bounds check, to be hoisted' --until 2026-12-31 --bound 12%\n"},
    {"gate baseline list", "  gate baseline list --json list.json\n"},
    {"gate baseline show", "  gate baseline show 12\n"},
    {"gate baseline accept", "  gate baseline accept 12 --reason 'bounds check is wanted'\n"},
    {"gate baseline anchor", "  gate baseline anchor v1.0\n"},
    {"gate baseline waive",
     "  gate baseline waive 'lpm-trie-lookup nr_entries=1000' \\\n"
     "      --owner you@example.org --reason 'bounds check, to be hoisted' \\\n"
     "      --until 2026-12-31 --bound 12%\n"},
    {"gate baseline expire", "  gate baseline expire --runs 200\n"},
    {"gate trend", "  gate trend lpm-trie-update\n"
                   "  gate trend --import a.json b.json c.json\n"
                   "  gate trend --confirm\n"},
    {"gate fingerprint", "  gate fingerprint\n"
                         "  gate fingerprint --json machine.json\n"},
};

static void prepare(CLI::App &app, const std::string &name)
{
  app.formatter(help_formatter());
  app.set_help_flag("-h,--help");
  for (CLI::Option *option : app.get_options([](const CLI::Option *) { return true; }))
    for (const std::string &each : option->get_lnames())
      if (auto found = values.find("--" + each);
          found != values.end() && option->get_expected_max() > 0)
        option->type_name(found->second);
  if (auto found = examples.find(name); found != examples.end())
    app.footer((app.get_footer().empty() ? "" : app.get_footer() + "\n\n") + found->second);
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    prepare(*command, name + " " + command->get_name());
}

void prepare_help(CLI::App &app) { prepare(app, app.get_name()); }

} // namespace gate
