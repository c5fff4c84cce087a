// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// JUnit XML in the form that the usual CI servers agree on: a suite of test cases, counted and
// escaped. What is around it is the caller's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace junit
{

// For an attribute or content. text: UTF-8, of which '?' replaces what XML 1.0 cannot hold.
std::string escape(std::string_view text);

// "0.123456"
std::string seconds(uint64_t duration_ns);

enum class Outcome { Pass, Fail, Error, Skip };

struct Case {
  std::string class_name, name;
  Outcome outcome = Outcome::Pass;
  std::string message;                 // of all but Pass
  std::string type;                    // of Fail and Error, left out where it is empty
  std::optional<std::string> log;      // of Fail and Error
  std::optional<uint64_t> duration_ns; // left out where it is not known
};

class Suite {
public:
  void add(const Case &one);
  unsigned tests() const { return x_tests; }
  // tests="4" failures="1" errors="0" skipped="1"
  std::string counts() const;
  // The cases as they were added, each in lines of its own.
  const std::string &cases() const { return x_cases; }

private:
  unsigned x_tests = 0, x_failures = 0, x_errors = 0, x_skipped = 0;
  std::string x_cases;
};

} // namespace junit
