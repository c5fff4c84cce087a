// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What gate reads, given to libFuzzer: one program a parser (FUZZED names it), run by ci/fuzz from
// the files of tools/gate/readers/data. Besides not crashing, hanging or taking memory, what is
// read must be fit to be written, and compared with itself it must not differ.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tools/gate/judge/compare.h"
#include "tools/gate/measure/serve_answer.h"
#include "tools/gate/readers/format.h"

using namespace gate;

[[noreturn]] static void broken(const std::string &what)
{
  fmt::print(stderr, "broken: {}\n", what);
  abort();
}

static void require(bool holds, const char *what)
{
  if (!holds)
    broken(what);
}

// A refusal here is no refusal of the input.
static std::string written_again(const std::string &text)
{
  try {
    return format_result(result::parse_result(text, "written"));
  } catch (const input_error &refused) {
    broken(fmt::format("written cannot be read: {}\n{}", refused.what(), text));
  }
}

// The first line in which they differ, of both.
static std::string difference(const std::string &a, const std::string &b)
{
  size_t at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
  size_t start = at == 0 ? 0 : a.rfind('\n', at - 1) + 1;
  auto line = [&](const std::string &text) {
    return text.substr(start, text.find('\n', start) - start);
  };
  return fmt::format("{}\n{}", line(a), line(b));
}

// A result file of it is read back as the same.
static void check_written(const result::Result &result)
{
  std::string text = format_result(result), again = written_again(text);
  if (again != text)
    broken("written is not read: written and read are\n" + difference(text, again));
}

// No difference between a thing and itself.
static void check_compared(const result::Result &result)
{
  std::vector<Candidate> candidates = match_rows(result, result, {});
  judge(candidates, 0.01, 0.01);
  std::vector<Row> rows = rows_of(std::move(candidates));
  hint_renames(rows);
  for (const Row &row : rows) {
    require(row.verdict != Verdict::Regressed && row.verdict != Verdict::Improved,
            "differs from itself");
    require(row.verdict != Verdict::Missing && row.verdict != Verdict::New,
            "has no pair in itself");
  }
}

static void check(const result::Result &result)
{
  check_written(result);
  check_compared(result);
}

[[maybe_unused]] static void lines(std::string_view format, const std::string &text)
{
  const auto &known = line_formats();
  auto found = std::find_if(known.begin(), known.end(),
                            [&](const auto &each) { return each.second.name == format; });
  require(found != known.end(), "no such format");
  std::unique_ptr<LineParser> parser = found->second.make("f");
  Input input(text, "f");
  BareLines lines(input);
  for (std::string_view line; lines.next(line);)
    parser->line(line, lines.number());
  if (parser->recognised())
    check(parser->finish().result);
}

// ---- the parsers by name ----

[[maybe_unused]] static void bench_log(const std::string &text) { lines("a log of bench", text); }
[[maybe_unused]] static void table(const std::string &text) { lines("a summary table", text); }
[[maybe_unused]] static void go(const std::string &text) { lines("Go benchmark text", text); }
[[maybe_unused]] static void ktap(const std::string &text) { lines("KTAP", text); }
[[maybe_unused]] static void veristat(const std::string &text) { lines("veristat CSV", text); }

[[maybe_unused]] static void google(const std::string &text)
{
  Input input(text, "f");
  check(json_format("Google Benchmark JSON").read(input, text.size() % 2 == 0).result);
}
[[maybe_unused]] static void hyperfine(const std::string &text)
{
  Input input(text, "f");
  check(json_format("hyperfine JSON").read(input, text.size() % 2 == 0).result);
}
[[maybe_unused]] static void result_file(const std::string &text)
{
  check(result::parse_result(text, "f"));
}
// As a driver meets them: one answer a line.
[[maybe_unused]] static void serve(const std::string &text)
{
  parse_load_answer(text);
  parse_epoch_answer(text);
  check_written(parse_list_answer(text));
}
// All of them, behind the finding out of the format.
[[maybe_unused]] static void any(const std::string &text)
{
  Input input(text, "f");
  check(read_results(input).result);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  try {
    FUZZED(std::string(reinterpret_cast<const char *>(data), size));
  } catch (const input_error &refused) {
    // One line of reason is what a wrong input gets.
    require(std::string(refused.what()).find('\n') == std::string::npos, "a reason of two lines");
  }
  return 0;
}
