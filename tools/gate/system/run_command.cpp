// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/system/run_command.h"

#include <fmt/format.h>

#include <string_view>

#include "tools/gate/system/child.h"
#include "tools/gate/system/errors.h"
#include "tools/gate/system/interrupt.h"

namespace gate
{

static constexpr size_t most_output = 64u << 20, most_complaints = 400;

Finished run_command(const std::vector<std::string> &argv, long timeout_ms)
{
  process::Reading reading = {.timeout_ms = timeout_ms,
                              .until = process::Reading::Until::Ended,
                              .most_out = most_output + 1,
                              .most_err = most_complaints};
  reading.poll = wait_any;
  reading.meanwhile = [](process::Child &child, const std::string &output) {
    if (output.size() > most_output)
      child.end();
  };
  process::Finished ended = process::run(argv, child_options(), reading);
  Finished run = {std::move(ended.out), std::move(ended.err), ended.wall_ns, ""};
  if (ended.timed_out)
    run.failure = fmt::format("no end within {} s", timeout_ms / 1000.0);
  else if (run.output.size() > most_output)
    run.failure = fmt::format("more than {} MiB of output", most_output >> 20);
  else if (!ended.status.success())
    run.failure = ended.status.describe();
  return run;
}

static constexpr std::string_view for_a_shell = "|&;<>()$`\n";

std::vector<std::string> split_command(const std::string &name, const std::string &text)
{
  std::vector<std::string> words;
  char quote = 0;
  bool in_word = false;
  for (size_t i = 0; i < text.size(); i++) {
    char c = text[i];
    bool is_blank = (c == ' ' || c == '\t') && !quote;
    if (is_blank) {
      in_word = false;
      continue;
    }
    if (quote != '\'' && (c == '$' || c == '`' || (!quote && for_a_shell.find(c) != text.npos)))
      throw usage_error(
          fmt::format("{}: '{}' is for a shell, and none is used: sh -c '...' does it", name, c));
    if (!in_word)
      words.emplace_back();
    in_word = true;
    if (c == quote)
      quote = 0;
    else if (!quote && (c == '\'' || c == '"'))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size() &&
             (!quote || text[i + 1] == '"' || text[i + 1] == '\\'))
      words.back() += text[++i];
    else
      words.back() += c;
  }
  if (quote)
    throw usage_error(fmt::format("{}: an open quote in '{}'", name, text));
  if (words.empty() || words[0].empty())
    throw usage_error(fmt::format("{}: no command", name));
  return words;
}

} // namespace gate
