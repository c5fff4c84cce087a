// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate: record a baseline, check a bench against it, compare two result files.
#include <fmt/format.h>

#include "tools/gate/commands.h"
#include "tools/gate/interrupt.h"

static int run(const gate::Options &options)
{
  if (options.command == "record")
    return gate::record(options);
  return options.command == "check" ? gate::check(options) : gate::compare(options);
}

static int complain(int code, const std::string &what)
{
  fmt::print(stderr, "gate: {}\n", what);
  return code;
}

int main(int argc, char **argv)
{
  using namespace gate;
  try {
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
    return complain(Exit::Skipped, fmt::format("nothing can be measured here: {}", reason.what()));
  } catch (const serve_error &failure) {
    return complain(Exit::Incomplete, failure.what());
  } catch (const std::exception &failure) {
    // Usage, or what could not be read or written.
    return complain(Exit::Usage, failure.what());
  }
}
