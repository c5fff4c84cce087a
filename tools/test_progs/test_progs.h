// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a test of test_progs is written with. A test is one TEST(name) in prog_tests/<subject>.cpp;
// nothing else is edited but the list in prog_tests/meson.build.
//
//   TEST(bloom_create)
//   {
//     SUBTEST(key_size_refused) { CHECK_ERR(create(...), -EINVAL); };
//   }
//
// Bodies throw to end early: CHECK_* and REQUIRE_* on failure, test::skip() with the probe's
// reason. Destructors run, so fds, links and maps are RAII objects and never leak into the next
// test.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "tools/lib/bpf_error.h"

namespace test
{

using Body = void (*)();

// Registers a test under its name. serial: never beside another test (-j). hidden: not listed, runs
// only where -a spells its whole name.
struct Register {
  Register(const char *name, const char *file, bool serial, Body body, bool hidden = false);
};

// A failed requirement: ends the (sub)test.
struct Failure {
  std::string text;
};

// Ends the (sub)test as skipped. reason: a constant text that names what is missing.
[[noreturn]] void skip(const std::string &reason);

// Notes a failure and goes on. Printed as "<function>:FAIL:<what> <text>".
void fail(const char *function, int line, std::string_view what, const std::string &text);
// Notes a passed check (shown with -v).
void pass(const char *function, std::string_view what);

// Skips the (sub)test with the probe's reason, if something is missing: require(probe::map_bloom).
void require(std::optional<std::string> (*missing)());

// Prints into the log of the running (sub)test: shown when it fails, or with -v.
void log(const std::string &text);

// The seed of this run for randomised tests (--seed, else from the clock); print it on failure.
uint64_t seed();
// 0 to 3: how many -v were given. 2: libbpf talks. 3: the verifier too.
int verbosity();
// Whether -s asks tests to print what the verifier counted.
bool verifier_stats();

// Runs body as subtest, if it is selected. Use through SUBTEST.
class Subtest {
public:
  Subtest(std::string name, const char *function) : x_name(std::move(name)), x_function(function) {}
  void operator=(const std::function<void()> &body);

private:
  std::string x_name;
  const char *x_function;
};

template <class T> std::string show(const T &value)
{
  if constexpr (std::is_enum_v<T>)
    return fmt::format("{}", static_cast<long long>(value));
  else
    return fmt::format("{}", value);
}

template <class A, class B>
bool equal(const char *function, int line, std::string_view what, const A &actual,
           const B &expected)
{
  bool same = actual == expected;
  if (same)
    pass(function, what);
  else
    fail(
        function, line, what,
        fmt::format("unexpected {}: actual {} != expected {}", what, show(actual), show(expected)));
  return same;
}

bool truth(const char *function, int line, std::string_view what, bool value);
// rc: a libbpf return, negative errno on failure.
bool ok(const char *function, int line, std::string_view what, long rc);
// rc must be exactly the negative errno `expected`.
bool err(const char *function, int line, std::string_view what, long rc, long expected);

} // namespace test

#define TEST_REGISTER_(name, serial, hidden)                                                       \
  static void test_body_##name();                                                                  \
  static const test::Register test_register_##name{#name, __FILE__, serial, test_body_##name,      \
                                                   hidden};                                        \
  static void test_body_##name()
#define TEST(name) TEST_REGISTER_(name, false, false)
#define SERIAL_TEST(name) TEST_REGISTER_(name, true, false)
#define HIDDEN_TEST(name) TEST_REGISTER_(name, false, true)

// SUBTEST(name) { ... };   name: an identifier;  SUBTEST_NAMED("name with any text") { ... };
#define SUBTEST(name) test::Subtest(#name, __func__) = [&]() -> void
#define SUBTEST_NAMED(name) test::Subtest(name, __func__) = [&]() -> void

// CHECK_* notes a failure and goes on, REQUIRE_* ends the (sub)test. Both are expressions of type
// bool and void respectively.
#define CHECK_EQ(actual, expected) test::equal(__func__, __LINE__, #actual, (actual), (expected))
#define CHECK(value) test::truth(__func__, __LINE__, #value, static_cast<bool>(value))
#define CHECK_OK(rc) test::ok(__func__, __LINE__, #rc, (rc))
#define CHECK_ERR(rc, expected) test::err(__func__, __LINE__, #rc, (rc), (expected))
#define REQUIRE_(check)                                                                            \
  do {                                                                                             \
    if (!(check))                                                                                  \
      throw test::Failure{#check};                                                                 \
  } while (0)
#define REQUIRE_EQ(actual, expected) REQUIRE_(CHECK_EQ(actual, expected))
#define REQUIRE(value) REQUIRE_(CHECK(value))
#define REQUIRE_OK(rc) REQUIRE_(CHECK_OK(rc))
#define REQUIRE_ERR(rc, expected) REQUIRE_(CHECK_ERR(rc, expected))
