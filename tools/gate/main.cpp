// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate: record a baseline, check a bench against it, compare two result files, convert a report.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "tools/gate/commands/commands.h"
#include "tools/gate/commands/vm.h"
#include "tools/gate/measure/vm_boots.h"
#include "tools/gate/system/interrupt.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/streams.h"

// Better before an hour of measuring than after it.
static void check_files(const gate::Options &options)
{
  std::vector<std::string> paths = {options.json, options.html};
  for (const gate::Output &output : options.outputs)
    paths.push_back(output.path);
  for (const std::string &path : paths)
    if (!path.empty())
      check_writable(path);
}

static int run(const gate::Options &options)
{
  check_files(options);
  static const std::map<std::string, int (*)(const gate::Options &)> commands = {
      {"record", gate::record},   {"check", gate::check},
      {"compare", gate::compare}, {"ab", gate::ab},
      {"explain", gate::explain}, {"selftest", gate::selftest},
      {"report", gate::report},   {"baseline", gate::baseline},
      {"trend", gate::trend},     {"fingerprint", gate::fingerprint},
  };
  static const std::map<std::string, int (*)(const gate::Options &)> vm_commands = {
      {"record", gate::record_vm},
      {"check", gate::check_vm},
      {"ab", gate::ab_vm},
  };
  return (options.in_vm() ? vm_commands : commands).at(options.command)(options);
}

static int complain(int code, const std::string &what)
{
  fmt::print(stderr, "gate: {}\n", what);
  return code;
}

// git bisect run takes any other code below 128 for a bad commit.
static int complain_or_skip(bool bisect, int code, const std::string &what)
{
  return complain(bisect ? gate::Exit::Untestable : code, what);
}

int main(int argc, char **argv)
{
  using namespace gate;
  bool bisect = std::find(argv, argv + argc, std::string_view("--bisect")) != argv + argc;
  try {
    ready_standard_streams();
    Options options = parse_options(argc, argv);
    // compare measures nothing and writes last: a signal may just end it, also while it reads.
    if (options.command != "compare")
      catch_interrupts();
    return run(options);
  } catch (const early_exit &wanted) {
    fmt::print("{}", wanted.text);
    return fflush(stdout) == 0 ? Exit::Passed : Exit::Usage;
  } catch (const interrupted_error &) {
    return complain(Exit::Interrupted, "interrupted: nothing was judged, nothing was stored");
  } catch (const nothing_measurable &reason) {
    return complain_or_skip(bisect, Exit::Skipped,
                            fmt::format("nothing can be measured here: {}", reason.what()));
  } catch (const serve_error &failure) {
    return complain_or_skip(bisect, Exit::Incomplete, failure.what());
  } catch (const boot_error &failure) {
    return complain_or_skip(bisect, Exit::Incomplete, failure.what());
  } catch (const std::exception &failure) {
    // Usage, or what could not be read or written.
    return complain_or_skip(bisect, Exit::Usage, failure.what());
  }
}
