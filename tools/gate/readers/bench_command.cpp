// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The command line of bench in a log: from a shell's prompt, from "set -x" or from a message.
#include <algorithm>
#include <map>
#include <span>

#include "tools/gate/readers/line_cursor.h"
#include "tools/gate/readers/upstream_lines.h"
#include "tools/lib/text.h"

namespace gate
{

static constexpr size_t most_words = 200;

// A backslash alone stands where a line went on.
static std::vector<std::string_view> split(std::string_view text)
{
  std::vector<std::string_view> words;
  LineCursor at(text);
  for (auto word = at.word(); !word.empty() && words.size() < most_words; word = at.word())
    if (word != "\\")
      words.push_back(word);
  return words;
}

static bool is_one_of(std::string_view word, std::span<const std::string_view> words)
{
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "./bench", "/usr/bin/bench", "bench-old": with a slash or alone behind a prompt.
static bool is_bench(std::string_view word)
{
  std::string_view base = word.substr(word.rfind('/') + 1);
  return base == "bench" || base.starts_with("bench-") || base.starts_with("bench_");
}

// What may stand before the program: prompts, sudo and its like, variables.
static bool may_precede(std::string_view word)
{
  static constexpr std::string_view wrappers[] = {"sudo", "taskset", "chrt",
                                                  "nice", "time",    "exec"};
  char last = word.back();
  return last == '$' || last == '#' || last == '%' || last == '>' ||
         word.find_first_not_of('+') == word.npos || word.find_first_of("=@") != word.npos ||
         word.starts_with('-') || parse_whole(word) || is_one_of(word, wrappers);
}

// Options without a value.
static constexpr std::string_view flags[] = {"verbose",
                                             "quiet",
                                             "affinity",
                                             "stacktrace",
                                             "list",
                                             "random",
                                             "preallocated",
                                             "rb-b2b",
                                             "rb-use-output",
                                             "rb-sampled",
                                             "rb-overwrite",
                                             "rb-bench-producer",
                                             "machine-readable",
                                             "rx-normal",
                                             "rx-pass",
                                             "rx-verdict-egress",
                                             "rx-verdict-ingress",
                                             "tx-normal",
                                             "tx-pass",
                                             "tx-verdict-ingress",
                                             "tx-verdict-egress",
                                             "delay-consumer",
                                             "net"};

// How long and how loud, not what.
static constexpr std::string_view deciding_nothing[] = {
    "duration",      "warmup",        "quiet",    "verbose", "affinity",
    "prod-affinity", "cons-affinity", "interval", "loads",   "json"};

static std::string_view long_name(char letter)
{
  static const std::map<char, std::string_view> names = {
      {'d', "duration"}, {'w', "warmup"}, {'p', "producers"}, {'c', "consumers"}};
  auto found = names.find(letter);
  return found == names.end() ? "" : found->second;
}

static Value value_of(std::string_view text)
{
  if (auto whole = parse_whole(text); whole && *whole <= INT64_MAX)
    return static_cast<int64_t>(*whole);
  return clean_name(text);
}

static void take_option(BenchCommand &command, std::string_view option, const Value &value)
{
  if (option == "warmup" && value.is_whole() && value.whole() < 100000)
    command.warmup = static_cast<unsigned>(value.whole());
  if (!is_one_of(option, deciding_nothing))
    command.parameters[clean_name(option)] = value;
}

// "-w3", "-w 3", "-a", "-aq". Returns how many words were taken.
static size_t take_short(BenchCommand &command, std::string_view word, std::string_view next)
{
  std::string_view name = long_name(word[1]);
  if (name.empty())
    return 1;
  if (word.size() > 2) {
    take_option(command, name, value_of(word.substr(2)));
    return 1;
  }
  take_option(command, name, value_of(next));
  return 2;
}

static size_t take_long(BenchCommand &command, std::string_view word, std::string_view next)
{
  std::string_view option = word.substr(2);
  if (size_t equals = option.find('='); equals != option.npos) {
    take_option(command, option.substr(0, equals), value_of(option.substr(equals + 1)));
    return 1;
  }
  if (is_one_of(option, flags) || next.empty() || next.starts_with('-')) {
    take_option(command, option, true);
    return 1;
  }
  take_option(command, option, value_of(next));
  return 2;
}

std::optional<BenchCommand> parse_bench_command(std::string_view text)
{
  constexpr size_t longest = 2000;
  if (text.size() > longest || text.find("bench") == text.npos)
    return std::nullopt;
  std::vector<std::string_view> words = split(text);
  size_t at = 0;
  while (at < words.size() && !is_bench(words[at]) && may_precede(words[at]))
    at++;
  bool named = at < words.size() && is_bench(words[at]) &&
               (at > 0 || words[at].find('/') != std::string_view::npos);
  if (!named || words.back().ends_with(':'))
    return std::nullopt;
  BenchCommand command;
  for (at++; at < words.size();) {
    std::string_view word = words[at], next = at + 1 < words.size() ? words[at + 1] : "";
    if (word == "|" || word == "2>&1" || word.starts_with('>') || word == "&&" || word == ";")
      break;
    if (word.starts_with("--") && word.size() > 2) {
      at += take_long(command, word, next);
    } else if (word.starts_with('-') && word.size() > 1) {
      at += take_short(command, word, next);
    } else {
      command.name = clean_name(word);
      at++;
    }
  }
  return command;
}

} // namespace gate
