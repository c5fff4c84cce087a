// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/junit.h"

#include <fmt/format.h>

namespace junit
{

// U+FFFE and U+FFFF, three bytes of UTF-8.
static bool is_forbidden(std::string_view text)
{
  return text.size() >= 3 && text.starts_with("\xEF\xBF") &&
         static_cast<unsigned char>(text[2]) >= 0xBE;
}

std::string escape(std::string_view text)
{
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    unsigned char c = text[i];
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (is_forbidden(text.substr(i)))
      out += '?', i += 2;
    else
      out += c < ' ' && c != '\n' && c != '\t' ? '?' : text[i];
  }
  return out;
}

std::string seconds(uint64_t duration_ns)
{
  return fmt::format("{:.6f}", static_cast<double>(duration_ns) / 1e9);
}

// What is within a case that is not simply passed.
static std::string inner(const Case &one)
{
  const char *name = one.outcome == Outcome::Skip   ? "skipped"
                     : one.outcome == Outcome::Fail ? "failure"
                                                    : "error";
  std::string text = fmt::format("      <{} message=\"{}\"", name, escape(one.message));
  if (one.outcome == Outcome::Skip)
    return text + "/>\n";
  if (!one.type.empty())
    text += fmt::format(" type=\"{}\"", escape(one.type));
  return text + (one.log ? fmt::format(">{}</{}>\n", escape(*one.log), name) : "/>\n");
}

void Suite::add(const Case &one)
{
  x_tests++;
  x_failures += one.outcome == Outcome::Fail;
  x_errors += one.outcome == Outcome::Error;
  x_skipped += one.outcome == Outcome::Skip;
  x_cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", escape(one.class_name),
                         escape(one.name));
  if (one.duration_ns)
    x_cases += fmt::format(" time=\"{}\"", seconds(*one.duration_ns));
  x_cases += one.outcome == Outcome::Pass ? "/>\n" : ">\n" + inner(one) + "    </testcase>\n";
}

std::string Suite::counts() const
{
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", x_tests,
                     x_failures, x_errors, x_skipped);
}

} // namespace junit
