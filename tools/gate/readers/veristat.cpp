// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// veristat's CSV: one program a line. Its verdict is a metric, "failed", and a program that failed
// has no other: how far the verifier got with it is no figure of the program.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/gate/readers/collector.h"
#include "tools/gate/readers/format.h"
#include "tools/lib/text.h"

namespace gate
{

using result::Benchmark;
using result::Better;
using result::Class;
using result::Status;

namespace
{

struct Column {
  std::string_view name;
  const char *unit;
  bool gated;
};

// What is not gated follows from the others or from the machine.
constexpr std::array<Column, 10> columns{{{"total_insns", "insns", true},
                                          {"total_states", "states", true},
                                          {"size", "insns", true},
                                          {"jited_size", "B", true},
                                          {"peak_states", "states", false},
                                          {"max_states_per_insn", "states", false},
                                          {"mark_read_max_len", "reads", false},
                                          {"stack", "B", false},
                                          {"memory_peak", "KiB", false},
                                          {"duration", "us", false}}};

class Veristat : public LineParser {
public:
  explicit Veristat(const std::string &input) : x_collector(input), x_input(input) {}

  void line(std::string_view text, size_t number) override
  {
    if (x_names.empty()) {
      if (text.find("prog_name") != text.npos && text.find(',') != text.npos)
        take_header(text);
      return;
    }
    if (text.empty())
      return;
    std::vector<std::string> fields = split(text);
    if (fields != x_names) // a second run, appended
      take_program(fields, number);
  }

  size_t recognised() const override { return x_names.empty() ? 0 : 1 + x_programs; }

  Reading finish() override
  {
    if (std::any_of(x_names.begin(), x_names.end(),
                    [](const std::string &name) { return name.ends_with("_base"); }))
      throw input_error(fmt::format(
          "{}: a comparison that veristat made (-C): give gate the two files it was made of",
          x_input));
    if (!has("verdict"))
      x_collector.remark("no column 'verdict': a program that is refused now cannot be seen");
    return x_collector.take("veristat CSV");
  }

private:
  // Fields may be quoted; a quote inside is doubled.
  static std::vector<std::string> split(std::string_view text)
  {
    constexpr size_t most_fields = 64;
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (size_t i = 0; i < text.size(); i++) {
      char c = text[i];
      if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
        fields.back() += '"';
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted && fields.size() < most_fields) {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    return fields;
  }

  void take_header(std::string_view text)
  {
    x_names = split(text);
    if (!has("prog_name") && !has("prog_name_base"))
      x_names.clear();
  }

  bool has(std::string_view name) const
  {
    return std::find(x_names.begin(), x_names.end(), name) != x_names.end();
  }

  static const Column *find_column(std::string_view name)
  {
    auto found = std::find_if(columns.begin(), columns.end(),
                              [&](const Column &column) { return column.name == name; });
    return found == columns.end() ? nullptr : &*found;
  }

  void take_program(const std::vector<std::string> &fields, size_t number)
  {
    std::string name, verdict;
    Value parameters = Value::object();
    bool is_whole = fields.size() == x_names.size();
    // A name that the line breaks off in is none.
    for (size_t i = 0; i < std::min(x_names.size(), fields.size() - !is_whole); i++) {
      if (x_names[i] == "prog_name")
        name = clean_name(fields[i]);
      else if (x_names[i] == "file_name")
        parameters["file"] = clean_name(fields[i]);
      else if (x_names[i] == "verdict")
        verdict = fields[i];
    }
    std::string why;
    if (!is_whole)
      why = fmt::format("line {} has {} fields, the header has {}", number, fields.size(),
                        x_names.size());
    else if (has("verdict") && verdict != "success" && verdict != "failure")
      why = fmt::format("line {}: verdict '{}' is neither success nor failure", number,
                        printable(verdict, 30));
    if (!why.empty() && name.empty())
      return x_collector.remark(why + ": left out");
    Benchmark &program = x_collector.benchmark(name, parameters);
    if (!why.empty())
      return x_collector.drop(program, why);
    x_programs++;
    bool failed = verdict == "failure";
    if (has("verdict"))
      x_collector.add_load(program, {.name = "failed", .kind = Class::Exact, .may_be_zero = true},
                           {failed ? 1.0 : 0.0});
    if (failed) {
      program.status = Status::Failed;
      program.failure = "verifier";
      program.reason = "the verifier refuses the program";
    } else {
      take_figures(program, fields, number);
    }
  }

  void take_figures(Benchmark &program, const std::vector<std::string> &fields, size_t number)
  {
    for (size_t i = 0; i < fields.size(); i++) {
      const Column *column = find_column(x_names[i]);
      auto value = parse_whole(fields[i]);
      if (column && !value && !fields[i].empty() && fields[i] != "N/A")
        x_collector.drop(program, fmt::format("line {}: {} is '{}'", number, column->name,
                                              printable(fields[i], 30)));
      if (!column || !value)
        continue;
      bool time = column->name == "duration";
      x_collector.add_load(program,
                           {.name = std::string(column->name),
                            .unit = column->unit,
                            .kind = time ? Class::Time : Class::Exact,
                            .gated = column->gated,
                            .may_be_zero = column->name == "stack"},
                           {static_cast<double>(*value)});
    }
  }

  Collector x_collector;
  std::string x_input;
  std::vector<std::string> x_names;
  size_t x_programs = 0;
};

} // namespace

static const Register veristat(LineFormat{
    .name = "veristat CSV", .order = 2, .make = make<Veristat>});

} // namespace gate
