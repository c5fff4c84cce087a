// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Runs the commands from their options to their exit codes, with made-up benches.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/gate/commands/commands.h"
#include "tools/gate/testing/capture.h"
#include "tools/gate/testing/fake_bench.h"
#include "tools/lib/json.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

namespace gate
{

using result::json;
using unit_test::expect;

struct Bench {
  explicit Bench(const FakeBench &fake = {}) { write(fake); }
  void write(const FakeBench &fake) { write_fake(here / "bench", fake); }

  // Runs "gate COMMAND..." and returns its exit code.
  int gate(std::vector<std::string> arguments)
  {
    std::vector<std::string> own = {"--json", here / "report.json"};
    if (arguments[0] == "record" || arguments[0] == "check")
      own.insert(own.end(), {"--store", here / "store", "--bench", here / "bench", "--seed", "1"});
    if (arguments[0] == "selftest")
      own.insert(own.end(), {"--store", here / "store", "--seed", "1"});
    arguments.insert(arguments.begin() + 1, own.begin(), own.end());
    return run(arguments);
  }

  // Runs "gate baseline ACTION...".
  int baseline(std::vector<std::string> arguments)
  {
    arguments.insert(arguments.begin(), "baseline");
    arguments.insert(arguments.begin() + 2, {"--store", here / "store"});
    return run(arguments);
  }

  int run(const std::vector<std::string> &arguments)
  {
    std::vector<const char *> argv = {"gate"};
    for (const std::string &argument : arguments)
      argv.push_back(argument.c_str());
    Options options = parse_options(argv.size(), argv.data());
    Capture capture;
    static const std::map<std::string, int (*)(const Options &)> commands = {
        {"record", ::gate::record},     {"check", ::gate::check}, {"compare", ::gate::compare},
        {"baseline", ::gate::baseline}, {"trend", ::gate::trend}, {"ab", ::gate::ab},
        {"selftest", ::gate::selftest},
    };
    int code = commands.at(options.command)(options);
    output = capture.text();
    return code;
  }

  json report() const { return json::parse(read_file(here / "report.json")); }

  json row(const std::string &name) const
  {
    json report = this->report();
    for (const json &row : report["rows"])
      if (row["name"] == name && row["metric"] != "memory")
        return row;
    return {};
  }

  TemporaryDirectory here;
  std::string output;
};

inline void expect_code(int got, int wanted, const Bench &bench,
                        const std::source_location &at = std::source_location::current())
{
  expect(got == wanted, fmt::format("exit {}, wanted {}: {}", got, wanted, bench.output), at);
}

} // namespace gate
