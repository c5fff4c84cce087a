// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// vmtest: runs a command of this machine in a given kernel, in QEMU. In the guest the same program
// is /init.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>

#include "tools/lib/atomic_file.h"
#include "tools/lib/streams.h"
#include "tools/vmtest/guest_init.h"
#include "tools/vmtest/interrupt.h"
#include "tools/vmtest/options.h"
#include "tools/vmtest/outcome.h"
#include "tools/vmtest/runs.h"

using namespace vmtest;

// A reader that is gone is an error of write(), not our end. A handler, as what is ignored would
// stay ignored in the programs that we start.
static void survive_broken_pipes()
{
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  sigaction(SIGPIPE, &action, nullptr);
}

static int run(const Options &options)
{
  if (!options.json.empty())
    check_writable(options.json);
  survive_broken_pipes();
  catch_interrupts();
  std::vector<RunReport> runs = run_all(options);
  if (options.dry_run)
    return 0;
  if (runs.size() > 1)
    fmt::print(stderr, "{}", table(runs));
  if (!options.json.empty())
    write_file(options.json, to_json(runs));
  return exit_code(runs);
}

static int complain(int code, const std::string &what)
{
  fmt::print(stderr, "vmtest: {}\n", what);
  return code;
}

int main(int argc, char **argv)
{
  if (is_guest_init(argv[0]))
    run_guest_init();
  try {
    ready_standard_streams();
    return run(parse_options(argc, argv));
  } catch (const early_exit &wanted) {
    fmt::print("{}", wanted.text);
    return fflush(stdout) == 0 ? 0 : info(Outcome::OutputLost).exit_code;
  } catch (const usage_error &failure) {
    return complain(usage_exit_code, failure.what());
  } catch (const outcome_error &failure) {
    return complain(info(failure.outcome).exit_code,
                    fmt::format("{}: {}", info(failure.outcome).name, failure.what()));
  } catch (const std::exception &failure) {
    // What could not be written, or the system refused.
    return complain(info(Outcome::OutputLost).exit_code, failure.what());
  }
}
