// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Tables of figures without samples: what the kernel's run scripts print, one line a benchmark, and
// what commit messages quote. Headings above a line give its parameters.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "tools/gate/readers/format.h"
#include "tools/gate/readers/line_pattern.h"
#include "tools/gate/readers/upstream_lines.h"
#include "tools/lib/text.h"

namespace gate
{

using result::Better;
using result::Class;

namespace
{

struct Cell {
  Shape shape;
  double value = 0;
  std::optional<double> stddev;
};

struct TableRow {
  std::string name;
  std::vector<Cell> cells;
};

} // namespace

static Shape rate(const char *name, const std::string &unit)
{
  return {.name = name, .unit = unit, .better = Better::Higher};
}

static std::string_view trimmed(std::string_view text)
{
  size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

// Of a row: what stands before its figures, without the punctuation at its end.
static std::string row_name(std::string_view text)
{
  text = trimmed(text);
  while (!text.empty() &&
         (text.back() == ':' || text.back() == '-' || text.back() == '=' || text.back() == ' '))
    text.remove_suffix(1);
  std::string name = clean_name(text);
  // "hash functions  = ~0.35%" has a blank more than its neighbours.
  name.erase(
      std::unique(name.begin(), name.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
      name.end());
  return name;
}

// ---- the cells of a row, by what stands behind its name; none: it is no row after all ----

using Cells = std::vector<Cell>;

static Cell cell(Shape shape, const LineMatch::Figure &figure)
{
  return {std::move(shape), figure.value, figure.stddev};
}

static Cells ops_cells(const LineMatch &match)
{
  if (!match.words[1].ends_with("/op"))
    return {};
  return {cell(rate("throughput", match.words[0] + " ops/s"), match.figures[0]),
          cell({.name = "latency", .unit = match.words[1], .gated = false}, match.figures[1])};
}

static Cells storage_cells(const LineMatch &match)
{
  Shape important = rate("important_throughput", "M ops/s");
  important.gated = false;
  return {cell(rate("throughput", "M ops/s"), match.figures[0]),
          cell({.name = "latency", .unit = "ns/op", .gated = false}, match.figures[1]),
          cell(important, match.figures[2])};
}

// Where memory could not be read there is "n/a".
static Cells htab_cells(const LineMatch &match)
{
  auto memory = [&](size_t place, const char *name, bool gated) {
    return cell({.name = name, .unit = "MiB", .kind = Class::Memory, .gated = gated},
                place < match.figures.size() ? match.figures[place]
                                             : LineMatch::Figure{std::nan(""), {}});
  };
  return {cell(rate("per_prod_op", "k ops/s"), match.figures[0]), memory(1, "memory", true),
          memory(2, "peak_memory", false)};
}

// Of a line with a total, that is what is judged, as in a log.
static Cells hits_cells(const LineMatch &match)
{
  auto plain = [](const char *name) {
    return Shape{.name = name, .unit = "M ops/s", .better = Better::None, .gated = false};
  };
  const auto &figures = match.figures;
  Cells cells = {cell(rate("throughput", "M ops/s"), figures.size() > 2 ? figures[2] : figures[0])};
  if (figures.size() > 2)
    cells.push_back(cell(plain("hits"), figures[0]));
  if (figures.size() == 1)
    return cells;
  cells.push_back(cell(plain("drops"), figures[1]));
  double drops = figures[1].value;
  double all = cells[0].value + (figures.size() > 2 ? 0 : drops);
  if (all > 0)
    cells.push_back(
        {{.name = "drop_share", .unit = "%", .kind = Class::Ratio}, 100 * drops / all, {}});
  return cells;
}

static Cells rate_cells(const LineMatch &match)
{
  return {cell({.name = "false_positive", .unit = "%", .kind = Class::Ratio}, match.figures[0])};
}

static Cells operations_cells(const LineMatch &match)
{
  return {cell(rate("throughput", "M ops/s"), match.figures[0])};
}

// Than the hash map without a bloom filter, which is 100 %.
static Cells relative_cells(double change_pct)
{
  Shape shape = rate("relative_throughput", "%");
  shape.kind = Class::Ratio;
  return {{shape, 100 + change_pct, {}}};
}

static Cells faster_cells(const LineMatch &match) { return relative_cells(match.figures[0].value); }
static Cells slower_cells(const LineMatch &match)
{
  return relative_cells(-match.figures[0].value);
}

// ---- where in a line the figures begin ----

// The start of the last number before the first sign-like token, of "name 1.5 ± 0.1M/s".
static size_t spread_start(std::string_view text)
{
  size_t unit = text.find("M/s");
  if (unit == text.npos)
    return text.npos;
  std::string_view front = text.substr(0, unit);
  // Backwards: the deviation, the sign, the mean.
  auto is_figure = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '.'; };
  size_t at = front.size();
  auto back_over = [&](auto over) {
    while (at > 0 && over(front[at - 1]))
      at--;
  };
  back_over(is_figure);
  size_t deviation = at;
  back_over([](char c) { return c == ' '; });
  size_t sign_end = at;
  back_over([&](char c) { return c != ' ' && !is_figure(c); });
  // Never out of a word or an escape ("=C2=B1").
  for (char c : front.substr(at, sign_end - at))
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '=')
      return text.npos;
  back_over([](char c) { return c == ' '; });
  size_t mean_end = at;
  back_over(is_figure);
  return deviation == front.size() || mean_end == at ? text.npos : at;
}

static size_t number_start(std::string_view text, std::string_view before)
{
  size_t end = text.find(before);
  if (end == text.npos)
    return end;
  size_t at = text.find_last_not_of("0123456789.", end - 1);
  return end == 0 || at == end - 1 ? text.npos : at + 1;
}

static std::optional<TableRow> parse_table_row(std::string_view text)
{
  struct Form {
    size_t start;
    const char *pattern;
    Cells (*cells)(const LineMatch &);
  };
  size_t htab = text.find("per-prod-op:"), hits = spread_start(text);
  const Form forms[] = {
      {text.find("hits throughput:"),
       "hits throughput: %m M ops/s, hits latency: %f ns/op, important_hits throughput: %m M ops/s",
       storage_cells},
      {text.find("throughput"), "throughput%[:%] %m %w ops/s%[(%* )%], latency%[:%] %f %w",
       ops_cells},
      {htab, "per-prod-op: %m k/s, avg mem: %m MiB, peak mem: %f MiB", htab_cells},
      {htab, "per-prod-op: %m k/s, avg mem: %f MiB, peak mem: %f MiB", htab_cells},
      {htab, "per-prod-op: %m k/s, avg mem: %m MiB, peak mem: n/a", htab_cells},
      {htab, "per-prod-op: %m k/s, avg mem: n/a, peak mem: n/a", htab_cells},
      {hits, "%m M/s", hits_cells},
      {hits, "%m M/s (%* /prod)", hits_cells},
      {hits, "%m M/s (drops %m M/s)", hits_cells},
      {hits, "%m M/s (drops %m M/s, total operations %m M/s)", hits_cells},
      {number_start(text, " M/s operations"), "%f M/s operations", operations_cells},
      {number_start(text, "% faster"), "%f %% faster", faster_cells},
      {number_start(text, "% slower"), "%f %% slower", slower_cells},
      {text.ends_with('%') ? number_start(text, "%") : text.npos, "%f %%", rate_cells},
  };
  for (const Form &form : forms) {
    auto match =
        form.start == text.npos ? std::nullopt : match_line(form.pattern, text.substr(form.start));
    if (!match)
      continue;
    TableRow row = {.name = "", .cells = form.cells(*match)};
    if (row.cells.empty())
      continue;
    std::string_view name = text.substr(0, form.start);
    while (!name.empty() && (name.back() == '~' || name.back() == ' '))
      name.remove_suffix(1);
    row.name = row_name(name);
    // Other things end in a percent sign too: the progress of a download, for one.
    bool is_rate = row.cells[0].shape.name == "false_positive";
    if (is_rate && row.name.find("alse positive") == std::string::npos &&
        row.name.find("hash") == std::string::npos)
      continue;
    if (!row.name.empty())
      return row;
  }
  return std::nullopt;
}

// ---- what headings and names say ----

// "10k", "10,000", "2.5 million", "50000": the count; text becomes what is behind it.
static std::optional<int64_t> take_count(std::string_view &text)
{
  constexpr size_t longest = 16;
  size_t end = std::min({text.find_first_not_of("0123456789.,"), text.size(), longest});
  std::string digits(text.substr(0, end));
  bool comma_behind = digits.ends_with(',') || digits.ends_with('.');
  if (comma_behind)
    digits.pop_back();
  std::erase(digits, ',');
  auto value = parse_number(digits);
  if (!value || *value < 0)
    return std::nullopt;
  std::string_view rest = trimmed(text.substr(end));
  if (rest.starts_with("k ") || rest.starts_with("K ")) {
    *value *= 1e3;
    rest.remove_prefix(1);
  } else if (rest.starts_with("million")) {
    *value *= 1e6;
    rest.remove_prefix(7);
  }
  text = trimmed(rest);
  return std::llround(std::min(*value, 1e15));
}

// "5 hash functions", "50k entries", "8-byte value": number first.
static bool number_first(std::string_view text, Value &parameters)
{
  std::optional<int64_t> count = take_count(text);
  if (!count)
    return false;
  const char *name = text.starts_with("hash function") ? "nr_hash_funcs"
                     : text.starts_with("entr")        ? "nr_entries"
                     : text.starts_with("-byte value") ? "value_size"
                     : text.starts_with("thread")      ? "producers"
                                                       : nullptr;
  if (name)
    parameters[name] = *count;
  return name != nullptr;
}

// "value_size: 8 bytes, # threads: 1, # hashes: 3", "value_size = 4 bytes".
static bool name_first(std::string_view text, Value &parameters)
{
  static constexpr std::array<std::pair<std::string_view, const char *>, 4> names{
      {{"value_size", "value_size"},
       {"# threads", "producers"},
       {"# hashes", "nr_hash_funcs"},
       {"# entries", "nr_entries"}}};
  bool any = false;
  for (const auto &[word, parameter] : names) {
    size_t at = text.find(word);
    if (at == text.npos)
      continue;
    std::string_view rest = text.substr(at + word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" :="), rest.size()));
    if (auto count = take_count(rest)) {
      parameters[parameter] = *count;
      any = true;
    }
  }
  return any;
}

// "num_maps: 1", "nr_loops: 10, nr_threads: 1": a line of nothing but names of one word and counts.
static bool take_pairs(std::string_view text, Value &parameters)
{
  constexpr size_t longest_name = 40, most_pairs = 8;
  std::vector<std::pair<std::string, int64_t>> pairs;
  while (!text.empty()) {
    size_t colon = text.find_first_of(":=");
    std::string_view name = trimmed(text.substr(0, colon));
    bool is_name = colon != text.npos && colon <= longest_name && !name.empty() &&
                   std::isalpha(static_cast<unsigned char>(name[0])) &&
                   name.find_first_of(" \t") == name.npos;
    if (!is_name || pairs.size() == most_pairs)
      return false;
    std::string_view rest = trimmed(text.substr(colon + 1));
    size_t end = std::min(rest.find(", "), rest.size());
    std::string_view value = trimmed(rest.substr(0, end));
    auto count = parse_whole(value);
    if (!count || *count > 1'000'000'000'000'000)
      return false;
    pairs.emplace_back(clean_name(name), static_cast<int64_t>(*count));
    text = trimmed(rest.substr(std::min(end + 1, rest.size())));
  }
  for (const auto &[name, count] : pairs)
    parameters[name] = count;
  return !pairs.empty();
}

// Names of rows as benchmarks of the suite, where they are some.
static std::string benchmark_name(const TableRow &row, Value &parameters)
{
  const std::string &name = row.name;
  if (number_first(name, parameters))
    return row.cells[0].shape.name == "relative_throughput" ? "hashmap-with-bloom"
                                                            : "bloom-false-positive";
  if (name.starts_with("Lookups"))
    return "bloom-lookup";
  if (name.starts_with("Updates"))
    return "bloom-update";
  if (name.starts_with("False positive rate"))
    return "bloom-false-positive";
  if (name == "Hashmap without bloom filter")
    return "hashmap-without-bloom";
  if (name == "Hashmap with bloom filter")
    return "hashmap-with-bloom";
  for (std::string_view variant : {"no-helper-", "helper-"})
    if (name.starts_with(variant))
      if (auto length = parse_whole(std::string_view(name).substr(variant.size()));
          length && *length < 1e9) {
        parameters["cmp-str-len"] = static_cast<int64_t>(*length);
        return "strncmp-" + std::string(variant.substr(0, variant.size() - 1));
      }
  if (row.cells[0].shape.name == "per_prod_op") {
    parameters["use-case"] = name;
    return "htab-mem";
  }
  return name;
}

namespace
{

class SummaryTable : public LineParser {
public:
  explicit SummaryTable(const std::string &input) : x_collector(input) {}

  void line(std::string_view text, size_t number) override
  {
    constexpr size_t longest = 300;
    text = trimmed(text.substr(0, std::min(text.size(), longest)));
    if (text.empty()) {
      x_after_blank = true;
      return;
    }
    if (text.find_first_not_of('=') == text.npos) {
      // The line before was underlined: what comes is about something else.
      x_parameters = Value::object();
      x_section = clean_name(x_last);
      x_prefix.clear();
      x_heading.clear();
    } else if (auto row = parse_table_row(text)) {
      add(*row, number);
    } else if (!take_command(text)) {
      take_heading(text);
      keep_broken(text, number);
    }
    x_after_blank = false;
    x_last.assign(text);
  }

  size_t recognised() const override { return x_rows; }

  Reading finish() override
  {
    for (const Broken &broken : x_broken)
      if (auto known = x_known.find(broken.name); known != x_known.end())
        x_collector.drop(*known->second, fmt::format("line {} cannot be read", broken.number));
    x_collector.remark("a table of figures without samples: each counts as one run");
    return x_collector.take("summary table");
  }

private:
  void take_heading(std::string_view text)
  {
    bool blank_before = x_after_blank || x_last.empty();
    if (take_pairs(text, x_parameters) || name_first(text, x_parameters) ||
        number_first(text, x_parameters)) {
      x_heading.clear();
      return;
    }
    if (text.ends_with(':') || text.starts_with('(')) {
      while (text.ends_with(':'))
        text.remove_suffix(1);
      // The end of a sentence heads nothing by name.
      x_section = text.ends_with("follows") ? "" : clean_name(text);
      x_parameters = Value::object();
      x_heading.clear();
    } else if (blank_before && std::any_of(text.begin(), text.end(),
                                           [](unsigned char c) { return std::isdigit(c); })) {
      x_heading = clean_name(text);
    }
  }

  // Figures that no form takes, behind what may be the name of a row.
  void keep_broken(std::string_view text, size_t number)
  {
    constexpr size_t most_broken = 10000;
    bool has_figures = text.find("M/s") != text.npos || text.find("ops/s") != text.npos ||
                       text.find("/op") != text.npos;
    size_t colon = text.find(':');
    if (has_figures && colon != text.npos && x_broken.size() < most_broken)
      x_broken.push_back({row_name(text.substr(0, colon)), number});
  }

  // "./bench lpm-trie-$op --nr_entries=10000": of all rows that follow.
  bool take_command(std::string_view text)
  {
    bool goes_on = text.ends_with('\\');
    if (x_continued.size() < 2000 && (goes_on || !x_continued.empty()))
      x_continued += std::string(text) + " ";
    if (goes_on)
      return true;
    auto command = parse_bench_command(x_continued.empty() ? text : x_continued);
    x_continued.clear();
    if (!command)
      return false;
    x_parameters = command->parameters;
    size_t variable = command->name.find('$');
    x_prefix = variable == std::string::npos ? "" : command->name.substr(0, variable);
    return true;
  }

  void add(const TableRow &row, size_t number)
  {
    Value parameters = x_parameters;
    std::string name = benchmark_name(row, parameters);
    if (name == row.name)
      name = x_prefix + name;
    if (!x_section.empty())
      parameters["section"] = x_section;
    result::Benchmark &benchmark = x_collector.benchmark(name, parameters);
    x_known.try_emplace(row.name, &benchmark);
    // What the heading means is not known: two of them are two configurations, not two runs.
    auto [heading, is_new] = x_headings.try_emplace(&benchmark, x_heading);
    if (!is_new && heading->second != x_heading)
      x_collector.drop(benchmark,
                       fmt::format("line {} is under '{}', others under '{}'", number,
                                   printable(x_heading, 40), printable(heading->second, 40)));
    for (const Cell &cell : row.cells) {
      if (std::isnan(cell.value)) {
        x_collector.metric(benchmark, cell.shape).reason = "not in the table";
        continue;
      }
      x_collector.add_load(benchmark, cell.shape, {cell.value});
      if (cell.stddev)
        x_collector.add_load(benchmark,
                             {.name = cell.shape.name + "_stddev",
                              .unit = cell.shape.unit,
                              .better = Better::None,
                              .kind = cell.shape.kind,
                              .gated = false},
                             {*cell.stddev});
    }
    x_rows++;
  }

  Collector x_collector;
  Value x_parameters = Value::object();
  struct Broken {
    std::string name;
    size_t number = 0;
  };
  std::string x_section, x_prefix, x_last, x_continued;
  std::string x_heading; // the last one with a number in it that is no parameter
  bool x_after_blank = false;
  std::vector<Broken> x_broken;
  std::map<std::string, result::Benchmark *, std::less<>> x_known; // by the name in its row
  std::map<const result::Benchmark *, std::string> x_headings;     // of the first row
  size_t x_rows = 0;
};

} // namespace

static const Register summary_table(LineFormat{
    .name = "a summary table", .order = 5, .make = make<SummaryTable>});

} // namespace gate
