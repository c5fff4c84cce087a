// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The report as JSON (docs/gate-json.md): written and read back.
#include <fmt/format.h>

#include <limits>

#include "tools/gate/report/report.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/lib/json.h"

namespace gate
{

using result::json;

static constexpr const char *schema_name = "bpfgate-report";
static constexpr int schema_version = 1;

// The library writes what is not finite as null.
static json number(const std::optional<double> &value) { return value ? json(*value) : json(); }

static json tests_json(const std::optional<Tests> &tests)
{
  if (!tests)
    return {};
  return {{"p_worse", tests->p_worse},
          {"p_better", tests->p_better},
          {"p_not_worse", tests->p_not_worse},
          {"level", tests->level},
          {"proof_level", tests->proof_level},
          {"family", tests->family},
          {"units_needed", tests->units_needed ? json(*tests->units_needed) : json()}};
}

static json waived_json(const std::optional<Waived> &waived)
{
  if (!waived)
    return {};
  return {{"verdict", to_string(waived->verdict)},
          {"owner", waived->owner},
          {"reason", waived->reason},
          {"until", waived->until},
          {"bound", waived->bound}};
}

static json drift_json(const std::optional<Drift> &drift)
{
  if (!drift)
    return {};
  return {{"anchor", drift->anchor}, {"change", drift->change}, {"budget", drift->budget}};
}

static json reasons_json(const std::vector<Reason> &reasons)
{
  json list = json::array();
  for (const Reason &reason : reasons)
    if (reason.cause)
      list.push_back({{"cause", reason.cause->rule().cause},
                      {"verdict", to_string(reason.cause->rule().verdict)},
                      {"applied", reason.applied},
                      {"text", reason.text}});
  return list;
}

static json row_json(const Row &row)
{
  json interval;
  if (row.interval)
    interval = {row.interval->low, row.interval->high};
  return {{"name", row.name},
          {"parameters", row.parameters},
          {"metric", row.metric},
          {"unit", row.unit},
          {"better", result::to_string(row.better)},
          {"class", result::to_string(row.kind)},
          {"gated", row.gated},
          {"secondary", row.secondary},
          {"verdict", row.gated || row.secondary ? json(to_string(row.verdict)) : json()},
          {"reasons", reasons_json(row.reasons)},
          {"note", row.note},
          {"method", row.method.empty() ? json() : json(row.method)},
          {"base", number(row.base)},
          {"comp", number(row.comp)},
          {"base_loads", row.base_loads},
          {"comp_loads", row.comp_loads},
          {"scale", row.relative ? "fraction" : "difference"},
          {"change", number(row.change)},
          {"interval", interval},
          {"level", row.level > 0 ? json(row.level) : json()},
          {"tolerance", row.tolerance},
          {"spread", number(row.spread)},
          {"mde", number(row.mde)},
          {"tests", tests_json(row.tests)},
          {"same_bytecode", row.same_bytecode},
          {"waived", waived_json(row.waived)},
          {"drift", drift_json(row.drift)},
          {"base_samples", row.base_samples},
          {"comp_samples", row.comp_samples}};
}

// Everything but the rows.
static json head_json(const Report &report)
{
  Counts counts = count_verdicts(report.rows);
  json count_object = json::object();
  for (size_t i = 0; i < verdict_count; i++)
    count_object[to_string(static_cast<Verdict>(i))] = counts[i];
  size_t used = 0;
  std::optional<double> mean = geometric_mean(report.rows, used);
  return {{"schema", schema_name},
          {"version", schema_version},
          {"command", report.command},
          {"started", report.started.empty() ? json() : json(report.started)},
          {"verdict", overall(report)},
          {"exit_code", exit_code(report)},
          {"alpha", report.alpha},
          {"seed", report.command == "compare" ? json() : json(report.seed)},
          {"strict", report.policy.strict},
          {"advisory", report.policy.advisory},
          {"bisect", report.policy.bisect},
          {"untrusted", report.untrusted.empty() ? json() : json(report.untrusted)},
          {"skipped", report.skipped.empty() ? json() : json(report.skipped)},
          {"counts", count_object},
          {"geometric_mean", {{"change", number(mean)}, {"rows", used}}},
          {"remarks", report.remarks},
          {"environments", {{"base", report.base_environment}, {"comp", report.comp_environment}}}};
}

// One a line: a row's samples would be hundreds of lines.
static std::string list_text(const char *name, const json &list)
{
  std::string text = fmt::format(",\n \"{}\": [", name);
  const char *separator = "\n  ";
  for (const json &item : list) {
    text += separator + result::json_text(item);
    separator = ",\n  ";
  }
  return text + "\n ]";
}

std::string format_json(const Report &report)
{
  std::string text = result::json_text(head_json(report), 1);
  text.resize(text.rfind('\n'));
  json rows = json::array();
  for (const Row &row : report.rows)
    rows.push_back(row_json(row));
  return text + list_text("functions", report.functions) + list_text("rows", rows) + "\n}\n";
}

namespace
{

// A member of the report, which knows where it is. Absent and null are the same.
class Member {
public:
  Member(const json &parent, const char *name, const std::string &at)
      : x_at(at + "/" + name), x_value(find(parent, name))
  {
  }

  bool absent() const { return !x_value; }
  const std::string &at() const { return x_at; }
  [[noreturn]] void fail(const char *what) const { throw result::error(x_at + " " + what); }

  const json &present() const
  {
    if (!x_value)
      fail("is missing");
    return *x_value;
  }
  std::string text(bool required = false) const
  {
    if (!x_value && !required)
      return "";
    require(present().is_string(), "is no text");
    return x_value->get<std::string>();
  }
  bool flag(bool preset) const
  {
    require(!x_value || x_value->is_boolean(), "is neither true nor false");
    return x_value ? x_value->get<bool>() : preset;
  }
  std::optional<double> number() const
  {
    require(!x_value || x_value->is_number(), "is no number");
    return x_value ? std::optional(x_value->get<double>()) : std::nullopt;
  }
  uint64_t whole() const
  {
    require(!x_value || x_value->is_number_unsigned(), "is no whole number");
    return x_value ? x_value->get<uint64_t>() : 0;
  }
  json object() const
  {
    require(!x_value || x_value->is_object(), "is no object");
    return x_value ? *x_value : json::object();
  }
  const json &list() const
  {
    static const json empty = json::array();
    require(!x_value || x_value->is_array(), "is no list");
    return x_value ? *x_value : empty;
  }
  // null becomes unknown.
  std::vector<double> numbers(double unknown) const
  {
    std::vector<double> values;
    for (const json &each : list()) {
      require(each.is_null() || each.is_number(), "holds what is no number");
      values.push_back(each.is_null() ? unknown : each.get<double>());
    }
    return values;
  }
  // Of names that to_string() tells.
  template <class Enum> Enum one_of(Enum last, Enum preset) const
  {
    if (!x_value)
      return preset;
    for (int i = 0; i <= static_cast<int>(last); i++)
      if (auto value = static_cast<Enum>(i); text() == to_string(value))
        return value;
    fail("is none of its known values");
  }

private:
  static const json *find(const json &parent, const char *name)
  {
    auto found = parent.find(name);
    return found == parent.end() || found->is_null() ? nullptr : &*found;
  }
  void require(bool holds, const char *what) const
  {
    if (!holds)
      fail(what);
  }

  std::string x_at;
  const json *x_value;
};

} // namespace

static std::optional<Interval> parse_interval(const Member &member)
{
  if (member.absent())
    return std::nullopt;
  std::vector<double> low = member.numbers(-infinity), high = member.numbers(infinity);
  if (low.size() != 2)
    member.fail("is no pair");
  return Interval{low[0], high[1]};
}

static std::optional<Tests> parse_tests(const Member &member)
{
  if (member.absent())
    return std::nullopt;
  json value = member.object();
  auto number = [&](const char *name, double preset) {
    return Member(value, name, member.at()).number().value_or(preset);
  };
  Tests tests = {.p_worse = number("p_worse", 1),
                 .p_better = number("p_better", 1),
                 .p_not_worse = number("p_not_worse", 1),
                 .level = number("level", 0),
                 .proof_level = number("proof_level", 0),
                 .family = Member(value, "family", member.at()).whole()};
  if (Member needed(value, "units_needed", member.at()); !needed.absent())
    tests.units_needed = needed.whole();
  return tests;
}

static std::optional<Waived> parse_waived(const Member &member)
{
  if (member.absent())
    return std::nullopt;
  json value = member.object();
  auto part = [&](const char *name) { return Member(value, name, member.at()); };
  return Waived{part("verdict").one_of(Verdict::New, Verdict::Regressed), part("owner").text(),
                part("reason").text(), part("until").text(), part("bound").number().value_or(0)};
}

static std::optional<Drift> parse_drift(const Member &member)
{
  if (member.absent())
    return std::nullopt;
  json value = member.object();
  auto part = [&](const char *name) { return Member(value, name, member.at()); };
  return Drift{part("anchor").text(), part("change").number().value_or(0),
               part("budget").number().value_or(0)};
}

// Of the causes that this gate knows; the verdict was told beside them.
static std::vector<Reason> parse_reasons(const Member &member)
{
  std::vector<Reason> reasons;
  for (const json &each : member.list()) {
    if (!each.is_object())
      member.fail("holds what is no object");
    auto part = [&](const char *name) { return Member(each, name, member.at()); };
    for (size_t place = 0; place < std::size(rules); place++)
      if (part("cause").text(true) == rules[place].cause)
        reasons.push_back({Cause::at(place), part("text").text(), part("applied").flag(false)});
  }
  return reasons;
}

static Row parse_row(const json &value, const std::string &at)
{
  auto member = [&](const char *name) { return Member(value, name, at); };
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Row row;
  row.name = member("name").text(true);
  row.parameters = to_value(member("parameters").object());
  row.metric = member("metric").text();
  row.unit = member("unit").text();
  row.better = member("better").one_of(result::Better::Unknown, result::Better::Lower);
  row.kind = member("class").one_of(result::Class::Unknown, result::Class::Time);
  row.gated = member("gated").flag(true);
  row.secondary = member("secondary").flag(false);
  row.verdict = member("verdict").one_of(Verdict::New, Verdict::Inconclusive);
  row.reasons = parse_reasons(member("reasons"));
  row.note = member("note").text();
  row.method = member("method").text();
  row.base = member("base").number();
  row.comp = member("comp").number();
  row.base_loads = member("base_loads").whole();
  row.comp_loads = member("comp_loads").whole();
  row.relative = member("scale").text() != "difference";
  row.change = member("change").number();
  row.interval = parse_interval(member("interval"));
  row.level = member("level").number().value_or(0);
  row.tolerance = member("tolerance").number().value_or(0);
  row.spread = member("spread").number();
  row.mde = member("mde").number();
  row.tests = parse_tests(member("tests"));
  row.same_bytecode = member("same_bytecode").flag(true);
  row.waived = parse_waived(member("waived"));
  row.drift = parse_drift(member("drift"));
  row.base_samples = member("base_samples").numbers(none);
  row.comp_samples = member("comp_samples").numbers(none);
  return row;
}

static void check_schema(const json &value, const std::string &where)
{
  if (!value.is_object() || Member(value, "schema", where).text() != schema_name)
    throw result::error(where + ": no report of gate (its schema is not '" + schema_name + "')");
  uint64_t version = Member(value, "version", where).whole();
  if (version < 1 || version > schema_version)
    throw result::error(
        fmt::format("{}: version {} of the report's schema, this gate knows 1 to {}", where,
                    version, schema_version));
}

Report parse_report(const std::string &text, const std::string &where)
{
  json value = result::parse_json(text, where);
  check_schema(value, where);
  std::string root = where + ": ";
  auto member = [&](const char *name) { return Member(value, name, root); };
  Report report;
  report.command = member("command").text(true);
  report.started = member("started").text();
  report.alpha = member("alpha").number().value_or(report.alpha);
  report.seed = member("seed").whole();
  report.policy = {member("strict").flag(false), member("advisory").flag(false),
                   member("bisect").flag(false)};
  report.untrusted = member("untrusted").text();
  report.skipped = member("skipped").text();
  for (const json &remark : member("remarks").list())
    if (remark.is_string())
      report.remarks.push_back(remark.get<std::string>());
  json environments = member("environments").object();
  report.base_environment = to_value(Member(environments, "base", root + "/environments").object());
  report.comp_environment = to_value(Member(environments, "comp", root + "/environments").object());
  report.functions = to_value(member("functions").list());
  const json &rows = member("rows").present();
  for (size_t i = 0; i < member("rows").list().size(); i++) {
    if (!rows[i].is_object())
      throw result::error(fmt::format("{}/rows/{} is no object", root, i));
    report.rows.push_back(parse_row(rows[i], fmt::format("{}/rows/{}", root, i)));
  }
  return report;
}

} // namespace gate
