// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Formats of services that keep figures: OpenMetrics, Bencher, github-action-benchmark. Names hold
// all parameters, since they must be the same from run to run, whatever else was measured.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "tools/gate/report/writers/writers.h"
#include "tools/gate/report/writing.h"
#include "tools/gate/statistics/statistics.h"
#include "tools/gate/statistics/units.h"
#include "tools/lib/json.h"

namespace gate
{

using result::json;

// ---- OpenMetrics 1.0 ----

namespace
{

struct Family {
  std::string unit; // the end of the name too; empty: none
  std::string help;
  std::vector<std::string> samples;
};

using Families = std::map<std::string, Family>;

} // namespace

static std::string label(const std::string &name, const std::string &value)
{
  return fmt::format("{}=\"{}\"", name, replaced(one_line(value), {{'\\', "\\\\"}, {'"', "\\\""}}));
}

static std::string row_labels(const Row &row)
{
  std::string parameters;
  for (const auto &[name, value] : row.parameters.items())
    parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", name, value.shown());
  return label("bench", row.name) + "," + label("parameters", parameters) + "," +
         label("metric", row.metric);
}

static std::string metric_number(double value)
{
  if (std::isnan(value))
    return "NaN";
  return std::isinf(value) ? (value < 0 ? "-Inf" : "+Inf") : fmt::format("{}", value);
}

static void add_sample(Families &families, const Family &family, const std::string &name,
                       const std::string &labels, double value)
{
  Family &place = families.try_emplace(name, family).first->second;
  place.samples.push_back(fmt::format("{}{{{}}} {}", name, labels, metric_number(value)));
}

// In base units, as OpenMetrics wants: seconds, bytes, ops per second. Others keep their unit, as a
// label.
static void add_figure(Families &families, const Row &row, const char *side, double value)
{
  std::string labels = row_labels(row) + "," + label("side", side);
  for (auto [unit, name, suffix] : {std::tuple("s/op", "bpf_gate_time_seconds", "seconds"),
                                    std::tuple("s", "bpf_gate_time_seconds", "seconds"),
                                    std::tuple("B", "bpf_gate_size_bytes", "bytes"),
                                    std::tuple("ops/s", "bpf_gate_rate_ops_per_second", "")})
    if (auto factor = conversion(row.unit, unit))
      return add_sample(families, {suffix, "Median over fresh loads.", {}}, name, labels,
                        value * *factor);
  add_sample(families, {"", "Median over fresh loads, in the unit of the label.", {}},
             "bpf_gate_value", labels + "," + label("unit", row.unit), value);
}

static void add_row(Families &families, const Row &row)
{
  std::string labels = row_labels(row);
  if (row.base)
    add_figure(families, row, "base", *row.base);
  if (row.comp)
    add_figure(families, row, "comp", *row.comp);
  Family ratio{"ratio", "comp against base; 0.1 is 10 % more.", {}};
  if (row.relative && row.change)
    add_sample(families, ratio, "bpf_gate_change_ratio", labels, *row.change);
  if (row.relative && row.interval) {
    ratio.help = "Ends of the interval of the change.";
    for (auto [bound, value] :
         {std::pair("low", row.interval->low), std::pair("high", row.interval->high)})
      add_sample(families, ratio, "bpf_gate_interval_ratio", labels + "," + label("bound", bound),
                 value);
  }
  if (row.gated)
    add_sample(families, {"", "1, with the verdict as a label.", {}}, "bpf_gate_verdict",
               labels + "," + label("verdict", to_string(row.verdict)), 1);
}

static std::string info_labels(const Report &report)
{
  std::string labels = label("command", report.command);
  for (const char *name : {"kernel", "cpu_model", "arch"})
    for (auto [side, environment] :
         {std::pair("base", &report.base_environment), std::pair("comp", &report.comp_environment)})
      labels += "," + label(fmt::format("{}_{}", side, name), environment_text(*environment, name));
  return labels;
}

std::string format_openmetrics(const Report &report)
{
  Families families;
  for (const Row &row : report.rows)
    add_row(families, row);
  add_sample(families, {"", "What gate exits with (0: nothing regressed).", {}},
             "bpf_gate_exit_code", label("command", report.command), exit_code(report));
  std::string text;
  for (const auto &[name, family] : families) {
    text += fmt::format("# TYPE {} gauge\n", name);
    if (!family.unit.empty())
      text += fmt::format("# UNIT {} {}\n", name, family.unit);
    text += fmt::format("# HELP {} {}\n", name, family.help);
    for (const std::string &sample : family.samples)
      text += sample + "\n";
  }
  return text + fmt::format("# TYPE bpf_gate_build info\n# HELP bpf_gate_build What was "
                            "compared.\nbpf_gate_build_info{{{}}} 1\n# EOF\n",
                            info_labels(report));
}

// ---- Bencher Metric Format ----

// Bencher's own measures have fixed units: latency in ns, throughput in ops/s.
static double bencher_factor(const Row &row)
{
  if (row.metric == "latency")
    return conversion(row.unit, "ns/op").value_or(1);
  if (row.metric == "throughput")
    return conversion(row.unit, "ops/s").value_or(1);
  return 1;
}

// The exact interval of comp's median at 95 %, where there are enough loads for one.
static json bencher_metric(const Row &row)
{
  constexpr double level = 0.025;
  double factor = bencher_factor(row);
  json metric = {{"value", factor * *row.comp}};
  std::vector<double> loads = finite(row.comp_samples);
  double low = lower_bound(loads, level), high = upper_bound(loads, level);
  if (std::isfinite(low) && std::isfinite(high)) {
    metric["lower_value"] = factor * low;
    metric["upper_value"] = factor * high;
  }
  return metric;
}

std::string format_bencher(const Report &report)
{
  json all = json::object();
  for (const Row &row : report.rows)
    if (row.comp)
      all[one_line(full_name(row, " ", "="))][one_line(row.metric)] = bencher_metric(row);
  return result::json_text(all, 1) + "\n";
}

// ---- github-action-benchmark ----

std::string format_action(const Report &report, result::Better better)
{
  json all = json::array();
  for (const Row &row : report.rows) {
    if (!row.comp || row.better != better)
      continue;
    json entry = {{"name", row_title(row)}, {"unit", row.unit}, {"value", *row.comp}};
    std::vector<double> loads = finite(row.comp_samples);
    if (loads.size() > 1)
      entry["range"] = fmt::format("± {:.4g}", mean_stddev(loads).stddev);
    std::string verdict = row.gated ? to_string(row.verdict) : "not gated";
    entry["extra"] = fmt::format("{}: {}", verdict, describe(row));
    all.push_back(std::move(entry));
  }
  return result::json_text(all, 1) + "\n";
}

} // namespace gate
