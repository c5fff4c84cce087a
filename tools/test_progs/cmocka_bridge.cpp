// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The one file that includes cmocka.h.
//
// cmocka fails and skips by longjmp, which runs no destructor: links and maps would stay behind. So
// bodies throw, run_body() catches and unwinds, and only then fail_msg() or skip() jumps, over
// frames that own nothing.
#include "tools/test_progs/cmocka_bridge.h"

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

extern "C" {
#include <cmocka.h>
}

#include "tools/test_progs/crash.h"

namespace test
{

namespace
{

struct Run {
  const std::function<Outcome()> *body;
  Outcome outcome;
  FILE *quiet;
  FILE *out;
  FILE *err;
};

// cmocka prints by stdout and stderr: they point to /dev/null but while the body runs.
void mute(Run *run, bool mute)
{
  stdout = mute ? run->quiet : run->out;
  stderr = mute ? run->quiet : run->err;
}

void run_unit_test(void **state)
{
  Run *run = static_cast<Run *>(*state);
  install_crash_handlers(); // cmocka has put its own there, which know no stack trace
  mute(run, false);
  run->outcome = (*run->body)();
  mute(run, true);
  if (run->outcome.result == Result::fail)
    fail_msg("see the log of the test");
  if (run->outcome.result == Result::skip)
    skip();
}

} // namespace

Outcome run_as_cmocka_test(const char *name, const std::function<Outcome()> &body)
{
  FILE *quiet = fopen("/dev/null", "we");
  if (!quiet)
    throw std::runtime_error("cannot open /dev/null");
  Run run{&body, {}, quiet, stdout, stderr};
  const CMUnitTest tests[] = {{name, run_unit_test, nullptr, nullptr, &run}};
  mute(&run, true);
  int failed = _cmocka_run_group_tests(name, tests, 1, nullptr, nullptr);
  mute(&run, false);
  fclose(quiet);
  if (failed != (run.outcome.result == Result::fail ? 1 : 0))
    run.outcome = {Result::fail, "cmocka does not agree with the outcome of the test"};
  install_crash_handlers();
  return run.outcome;
}

} // namespace test
