// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A wrong result ends the run with an error, one line of reason and a row that says so; what is
// missing ends it as skipped.
#include "tools/bench/run_bench.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench_test;
using result::Status;

namespace
{

struct Run {
  Ended ended;
  result::Result result;
};

Run run_faulty(std::vector<std::string> names)
{
  TemporaryDirectory here;
  names.insert(names.end(), {"--json", here / "out.json"});
  Run run{run_shortest(std::move(names), faulty_program()), {}};
  run.result = result::read_result(here / "out.json");
  return run;
}

// One line on stderr, no summary, and the row without figures.
void expect_end(const std::vector<std::string> &names, int status, const std::string &reason,
                const std::source_location &at = std::source_location::current())
{
  Run run = run_faulty(names);
  Status wanted = status == 4 ? Status::Skipped : Status::Failed;
  const char *word = status == 4 ? ": skipped: " : ": failed: ";
  const auto &row = run.result.benchmarks.at(0);
  expect_eq(run.ended.status, status, at);
  expect_has(run.ended.err, word, at);
  expect_has(run.ended.err, reason, at);
  expect_eq(std::count(run.ended.err.begin(), run.ended.err.end(), '\n'), 1, at);
  expect(run.ended.out.find("Summary") == std::string::npos, run.ended.out, at);
  expect(row.status == wanted && row.metrics.empty(), row.name, at);
  expect_has(row.reason, reason, at);
}

} // namespace

TEST(faulty_ops_fail_the_run)
{
  expect_end({"faulty-lookup"}, 1,
             "program 'lookup' got a wrong result from an op: -2 (No such file or directory)");
  expect_end({"faulty-later"}, 1, "program 'lookup' got a wrong result from an op: -2");
  expect_end({"faulty-sign-helper"}, 1, "program 'helper' got a wrong result from an op: 1");
  expect_end({"faulty-sign-no-helper"}, 1, "program 'no_helper' got a wrong result from an op: 1");
}

TEST(faulty_refill_fails_the_run) { expect_end({"faulty-refill"}, 1, "did no op after a refill"); }

TEST(faulty_producer_and_readings_fail_the_run)
{
  expect_end({"faulty-producer"}, 1, "thrown in a producer's thread");
  expect_end({"faulty-producer", "-p8"}, 1, "thrown in a producer's thread");
  expect_end({"faulty-producer", "--inject", "5%"}, 1, "thrown in a producer's thread");
  expect_end({"faulty-producer", "--loads", "3"}, 1, "thrown in a producer's thread");
  expect_end({"faulty-reading"}, 1, "the memory cannot be read");
  expect_end({"sound", "--prod-affinity", "1023"}, 1, "cannot pin a thread to CPU 1023");
  expect_end({"sound", "--prod-affinity", "1023", "--inject", "5%"}, 1, "cannot pin a thread");
  expect_end({"sound", "-p2", "--prod-affinity", "0"}, 1, "Not enough CPUs specified");
}

TEST(faulty_load_fails_the_run)
{
  expect_end({"faulty-load"}, 1, "cannot load BPF object 'x': Operation not permitted");
}

TEST(faulty_program_that_the_verifier_refuses_is_told_apart)
{
  Run run = run_faulty({"faulty-refused", "faulty-load"});
  expect_eq(run.result.benchmarks.at(0).failure, std::string("verifier"));
  expect_eq(run.result.benchmarks.at(1).failure, std::string());
}

TEST(faulty_for_want_of_something_is_skipped)
{
  expect_end({"faulty-missing"}, 4, "this machine has no such thing");
  expect_end({"faulty-producer-missing"}, 4, "thrown in a producer's thread");
}

TEST(faulty_among_sound_ones)
{
  // What can be measured is; a failure counts, a skip does not when there are figures.
  Run skipped = run_faulty({"faulty-missing", "sound"});
  expect_eq(skipped.ended.status, 0);
  expect(skipped.result.benchmarks.at(1).status == Status::Ok);
  Run failed = run_faulty({"faulty-missing", "faulty-lookup", "sound"});
  expect_eq(failed.ended.status, 1);
  expect(failed.result.benchmarks.at(2).status == Status::Ok);
}
