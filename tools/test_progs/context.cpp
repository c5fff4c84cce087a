// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Checks, subtests and skips as a test body sees them. One test a process, so the state is global;
// checks may come from any of its threads.
#include "tools/test_progs/context.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tools/test_progs/crash.h"

namespace test
{

namespace
{

struct Skip {
  std::string reason;
};

struct State {
  const TestInfo *test = nullptr;
  const Settings *settings = nullptr;
  int record_fd = -1;
  int log_fd = -1;
  pid_t pid = 0;
  std::atomic<int> errors = 0; // of the running (sub)test
  int subtest_errors = 0;
  int seen = 0, run = 0, skipped = 0; // subtests
  bool in_subtest = false;
  std::atomic<bool> seed_logged = false;
};
State state;

void send_record(Record record)
{
  struct stat log;
  if (fstat(state.log_fd, &log) == 0)
    record.offset = static_cast<uint64_t>(log.st_size);
  std::string text = encode(record);
  // A runner that is gone has taken this process group with it: nothing to do about an error.
  (void)!send(state.record_fd, text.data(), text.size(), MSG_NOSIGNAL);
}

// A child that a test forked and that came back here by mistake must not speak for the test.
void stop_strays()
{
  if (getpid() == state.pid)
    return;
  fmt::print(stderr, "{}: a forked child left the test body\n", state.test->name);
  _exit(1);
}

// Subtests are lambdas, all of the same name: say which. The same for the test's own function.
const char *speaker(const char *function)
{
  bool own = strcmp(function, "operator()") == 0 || strncmp(function, "test_body_", 10) == 0;
  return own ? crash_title() : function;
}

void note_exception(const char *text) { fail(crash_title(), 0, "exception", text); }

} // namespace

std::string encode(const Record &record)
{
  constexpr size_t longest = 4096; // well below what a socket takes in one message
  nlohmann::json json{{"kind", record.kind},
                      {"number", record.number},
                      {"name", record.name.substr(0, longest)},
                      {"result", record.outcome.result},
                      {"reason", record.outcome.reason.substr(0, longest)},
                      {"offset", record.offset},
                      {"unselected", record.unselected}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Record decode(const std::string &text)
{
  auto json = nlohmann::json::parse(text);
  Record record;
  record.kind = json.at("kind").get<Record::Kind>();
  record.number = json.at("number");
  record.name = json.at("name");
  record.outcome = {json.at("result").get<Result>(), json.at("reason")};
  record.offset = json.at("offset");
  record.unselected = json.at("unselected");
  return record;
}

void enter_test(const TestInfo &test, const Settings &settings, int record_fd, int log_fd)
{
  state.test = &test;
  state.settings = &settings;
  state.record_fd = record_fd;
  state.log_fd = log_fd;
  state.pid = getpid();
  set_crash_title(test.name);
}

Outcome run_body(const std::function<void()> &body)
{
  Outcome outcome;
  try {
    body();
  } catch (const Failure &failure) {
    if (state.errors == 0)
      note_exception(failure.text.c_str());
  } catch (const Skip &skip) {
    outcome = {Result::skip, skip.reason};
  } catch (const bpf::missing &missing) {
    outcome = {Result::skip, missing.what()};
  } catch (const std::exception &exception) {
    note_exception(exception.what());
  } catch (...) {
    note_exception("of an unknown type");
  }
  stop_strays();
  if (state.errors > 0)
    outcome = {Result::fail, ""};
  return outcome;
}

void leave_test(Outcome outcome)
{
  if (state.errors > 0 || state.subtest_errors > 0)
    outcome.result = Result::fail;
  bool unselected = state.seen > 0 && state.run == 0 && outcome.result == Result::ok;
  if (unselected)
    outcome = {Result::skip, "no subtest is selected"};
  else if (outcome.result == Result::ok && state.run > 0 && state.skipped == state.run)
    outcome = {Result::skip, "all subtests were skipped"};
  send_record({.kind = Record::Kind::test_end,
               .number = state.test->number,
               .name = state.test->name,
               .outcome = outcome,
               .unselected = unselected});
}

void Subtest::operator=(const std::function<void()> &body)
{
  stop_strays();
  if (state.in_subtest)
    return fail(x_function, 0, x_name, "a subtest inside a subtest");
  Record record{.kind = Record::Kind::subtest_begin, .number = ++state.seen, .name = x_name};
  if (!state.settings->selection.wants_subtest(state.test->name, state.test->number, x_name,
                                               record.number))
    return;
  state.run++;
  send_record(record);
  set_crash_title(state.test->name + "/" + x_name);
  int outer_errors = state.errors.exchange(0);
  state.in_subtest = true;
  record.outcome = run_body(body);
  state.in_subtest = false;
  state.subtest_errors += state.errors.exchange(outer_errors);
  state.skipped += record.outcome.result == Result::skip;
  set_crash_title(state.test->name);
  record.kind = Record::Kind::subtest_end;
  send_record(record);
}

void skip(const std::string &reason) { throw Skip{reason}; }

void require(std::optional<std::string> (*missing)())
{
  if (auto reason = missing())
    skip(*reason);
}

void fail(const char *function, int line, std::string_view what, const std::string &text)
{
  state.errors++;
  if (line > 0)
    fmt::print("{}:FAIL:{} {} (line {})\n", speaker(function), what, text, line);
  else
    fmt::print("{}:FAIL:{} {}\n", speaker(function), what, text);
}

void pass(const char *function, std::string_view what)
{
  if (verbosity() > 0)
    fmt::print("{}:PASS:{}\n", speaker(function), what);
}

void log(const std::string &text) { fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n"); }

uint64_t seed()
{
  if (!state.seed_logged.exchange(true))
    log(fmt::format("seed {} (replay with --seed {})", state.settings->seed, state.settings->seed));
  return state.settings->seed;
}

int verbosity() { return state.settings ? state.settings->verbosity : 0; }

bool verifier_stats() { return state.settings && state.settings->verifier_stats; }

bool truth(const char *function, int line, std::string_view what, bool value)
{
  if (value)
    pass(function, what);
  else
    fail(function, line, what, "unexpected: false");
  return value;
}

static std::string describe_rc(long rc)
{
  if (rc >= 0 || rc < -4095)
    return fmt::format("{}", rc);
  return fmt::format("{} ({})", rc, strerrordesc_np(static_cast<int>(-rc)) ?: "?");
}

bool ok(const char *function, int line, std::string_view what, long rc)
{
  if (rc >= 0)
    pass(function, what);
  else
    fail(function, line, what, fmt::format("unexpected error: {}", describe_rc(rc)));
  return rc >= 0;
}

bool err(const char *function, int line, std::string_view what, long rc, long expected)
{
  if (rc == expected)
    pass(function, what);
  else
    fail(function, line, what,
         fmt::format("unexpected {}: actual {} != expected {}", what, describe_rc(rc),
                     describe_rc(expected)));
  return rc == expected;
}

} // namespace test
