// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/junit.h"

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace junit;

TEST(junit_escapes_what_xml_means_or_cannot_hold)
{
  expect_eq(escape("a<b>&\"c'\n\t"), "a&lt;b&gt;&amp;&quot;c'\n\t");
  expect_eq(escape(std::string("\0\x01\x1b", 3)), "???");
  expect_eq(escape("\xC3\xA9 \xEF\xBF\xBD \xEF\xBF\xBE \xEF\xBF\xBF"), "\xC3\xA9 \xEF\xBF\xBD ? ?");
  expect_eq(escape("\xEF\xBF"), "\xEF\xBF");
}

TEST(junit_cases_are_counted)
{
  Suite suite;
  suite.add({"s", "a<b", Outcome::Pass, "", "", {}, 1500000});
  suite.add({"s", "b", Outcome::Fail, "check failed", "", "x != y\n", {}});
  suite.add({"s", "c", Outcome::Error, "died", "signal", {}, {}});
  suite.add({"s", "d", Outcome::Skip, "no \"BPF\"", "", {}, {}});
  expect_eq(suite.tests(), 4u);
  expect_eq(suite.counts(), R"(tests="4" failures="1" errors="1" skipped="1")");
  expect_eq(suite.cases(), R"(    <testcase classname="s" name="a&lt;b" time="0.001500"/>
    <testcase classname="s" name="b">
      <failure message="check failed">x != y
</failure>
    </testcase>
    <testcase classname="s" name="c">
      <error message="died" type="signal"/>
    </testcase>
    <testcase classname="s" name="d">
      <skipped message="no &quot;BPF&quot;"/>
    </testcase>
)");
}
