// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Unit tests of C++ on cmocka. A body throws where it fails, so destructors run; only then does
// unit_test.cpp tell cmocka, which leaves by longjmp. A test file needs nothing but TEST and
// expect...; link it with unit_test_dep, which brings main().
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <source_location>
#include <stdexcept>
#include <string>

namespace unit_test
{

class Failure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Thrown by a body for what this machine lacks: the test counts as skipped, with the reason shown.
class Skip : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// Puts a test into the list that main() runs. With arguments, main() runs only the tests whose
// name contains one of them.
struct Register {
  Register(const char *name, void (*body)());
};

[[noreturn]] inline void fail(const std::string &what, const std::source_location &at)
{
  throw Failure(fmt::format("{}:{}: {}", at.file_name(), at.line(), what));
}

inline void expect(bool holds, const std::string &what = "does not hold",
                   const std::source_location &at = std::source_location::current())
{
  if (!holds)
    fail(what, at);
}

template <class A, class B>
void expect_eq(const A &got, const B &wanted,
               const std::source_location &at = std::source_location::current())
{
  if (!(got == wanted))
    fail(fmt::format("got {}, wanted {}", got, wanted), at);
}

inline void expect_near(double got, double wanted, double tolerance,
                        const std::source_location &at = std::source_location::current())
{
  if (!(std::abs(got - wanted) <= tolerance))
    fail(fmt::format("got {}, wanted {} +- {}", got, wanted, tolerance), at);
}

inline void expect_has(const std::string &text, const std::string &part,
                       const std::source_location &at = std::source_location::current())
{
  if (text.find(part) == std::string::npos)
    fail(fmt::format("'{}' does not contain '{}'", text, part), at);
}

// What body throws says part somewhere, in one line.
inline void expect_throws(const std::function<void()> &body, const std::string &part,
                          const std::source_location &at = std::source_location::current())
{
  try {
    body();
  } catch (const Failure &) {
    throw;
  } catch (const std::exception &failure) {
    expect_has(failure.what(), part, at);
    return expect(std::string(failure.what()).find('\n') == std::string::npos, "two lines", at);
  }
  fail(fmt::format("threw nothing, wanted '{}'", part), at);
}

} // namespace unit_test

#define TEST(name)                                                                                 \
  static void name();                                                                              \
  static const unit_test::Register register_##name(#name, name);                                   \
  static void name()
