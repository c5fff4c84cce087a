// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/report/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "tools/gate/judge/bytecode.h"
#include "tools/gate/judge/exact.h"
#include "tools/gate/statistics/statistics.h"

namespace gate
{

using result::Benchmark;
using result::Function;

// As a report says them, in this order.
static constexpr std::pair<const char *, const char *> event_words[] = {
    {"insns", "insns"},
    {"loads", "loads"},
    {"stores", "stores"},
    {"l1i_misses", "L1I misses"},
    {"l1d_misses", "L1D misses"},
    {"l2_misses", "L2 misses"},
    {"l3_misses", "L3 misses"},
    {"tlb_misses", "TLB misses"},
    {"walks", "page walks"},
    {"branches", "branches"},
    {"mispredicted", "mispredicted branches"},
};

namespace
{

struct FunctionChange {
  std::string function;
  const char *side = "both"; // that has it
  Value events = Value::object();
  double insns = 0, others = 0; // by how much, either way
};

} // namespace

using Events = decltype(Function::events);

static std::vector<double> figures(const Events &events, const std::string &event)
{
  auto found = events.find(event);
  return found == events.end() || found->second.empty() ? std::vector<double>{0} : found->second;
}

static void put_event(const std::string &event, const Events &base, const Events &comp,
                      double op_insns, double tolerance, FunctionChange &change)
{
  std::vector<double> from = figures(base, event), to = figures(comp, event);
  EventFloor least = event_floor("modelled_" + event, op_insns);
  double middle = median(from);
  double floor = std::max(least.absolute, std::max(least.relative, tolerance) * std::abs(middle));
  Exact exact = judge_exact(from, to, floor, false);
  if (std::abs(exact.change) <= exact.tolerance)
    return;
  change.events[event] = {{"base", middle}, {"comp", median(to)}, {"change", exact.change}};
  (event == "insns" ? change.insns : change.others) += std::abs(exact.change);
}

static std::map<std::string, const Function *> by_name(const Benchmark &benchmark)
{
  std::map<std::string, const Function *> functions;
  for (const Function &function : benchmark.functions)
    functions[function.name] = &function;
  return functions;
}

static double insns_of(const Benchmark &benchmark)
{
  double sum = 0;
  for (const Function &function : benchmark.functions)
    sum += median(figures(function.events, "insns"));
  return sum;
}

static std::vector<FunctionChange> changes_of(const Benchmark &base, const Benchmark &comp,
                                              double tolerance)
{
  auto before = by_name(base), after = by_name(comp);
  auto all = before;
  all.insert(after.begin(), after.end());
  std::vector<FunctionChange> changes;
  static const Events none;
  const double op_insns = insns_of(base);
  for (const auto &[name, any] : all) {
    bool in_base = before.count(name), in_comp = after.count(name);
    const Events &from = in_base ? before[name]->events : none;
    const Events &to = in_comp ? after[name]->events : none;
    FunctionChange change{.function = name, .side = !in_base ? "comp" : !in_comp ? "base" : "both"};
    Events events = from;
    events.insert(to.begin(), to.end());
    for (const auto &[event, loads] : events)
      put_event(event, from, to, op_insns, tolerance, change);
    if (!change.events.empty())
      changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const FunctionChange &one, const FunctionChange &other) {
                     return std::pair(one.insns, one.others) > std::pair(other.insns, other.others);
                   });
  return changes;
}

// Where the rows are not compared, functions are not either.
static bool comparable(const Benchmark &base, const Benchmark &comp, const result::Result &one,
                       const result::Result &other)
{
  return base.definition == comp.definition &&
         check_bytecode({one.environment, base}, {other.environment, comp}).refusal.empty();
}

static Value benchmark_value(const Benchmark &base, const Benchmark &comp, double tolerance)
{
  bool whole = !base.functions.empty() && !comp.functions.empty();
  Value list = Value::list();
  if (whole)
    for (FunctionChange &change : changes_of(base, comp, tolerance))
      list.push_back({{"function", change.function},
                      {"side", change.side},
                      {"events", std::move(change.events)}});
  Value missing;
  if (!whole)
    missing = base.functions.empty() ? "base" : "comp";
  return {{"name", comp.name},
          {"parameters", comp.parameters},
          {"missing", missing},
          {"changed", std::move(list)}};
}

static bool has_profile(const result::Result &result)
{
  return std::any_of(result.benchmarks.begin(), result.benchmarks.end(),
                     [](const Benchmark &benchmark) { return !benchmark.functions.empty(); });
}

Value changed_functions(const result::Result &base, const result::Result &comp, double tolerance)
{
  if (!has_profile(base) && !has_profile(comp))
    return Value::list();
  std::map<std::string, const Benchmark *> before;
  for (const Benchmark &benchmark : base.benchmarks)
    before.emplace(result::benchmark_key(benchmark), &benchmark);
  Value all = Value::list();
  for (const Benchmark &benchmark : comp.benchmarks) {
    auto found = before.find(result::benchmark_key(benchmark));
    if (found == before.end() || !comparable(*found->second, benchmark, base, comp))
      continue;
    if (!found->second->functions.empty() || !benchmark.functions.empty())
      all.push_back(benchmark_value(*found->second, benchmark, tolerance));
  }
  return all;
}

// Of a report that may be anybody's: what is not as it should be is not there.
static const Value::List &list_of(const Value &object, std::string_view name)
{
  static const Value::List none;
  const Value *list = object.find(name);
  return list && list->is_list() ? list->items_of_list() : none;
}

static std::string event_text(const std::string &event, const char *words, const Value &figures)
{
  const Value *change = figures.find("change");
  return fmt::format("{:+.{}f} {}/op", change && change->is_number() ? change->number() : NAN,
                     event == "insns" ? 1 : 2, words);
}

static std::string change_text(const Value &change)
{
  std::string side = change.text_of("side"), text = change.text_of("function");
  text += side == "base" ? " gone:" : side == "comp" ? " new:" : "";
  const Value *events = change.find("events");
  const char *separator = " ";
  for (const auto &[event, words] : event_words)
    if (const Value *figures = events ? events->find(event) : nullptr) {
      text += separator + event_text(event, words, *figures);
      separator = ", ";
    }
  return text;
}

std::string functions_text(const Value &functions, const std::string &name, const Value &parameters)
{
  static const Value::List none;
  const Value::List &all = functions.is_list() ? functions.items_of_list() : none;
  auto found = std::find_if(all.begin(), all.end(), [&](const Value &each) {
    const Value *own = each.find("parameters");
    return each.text_of("name") == name && own && *own == parameters;
  });
  if (found == all.end())
    return "there is no profile of either side, so functions are not compared (--model makes "
           "one)\n";
  if (std::string missing = found->text_of("missing"); !missing.empty())
    return fmt::format("there is no profile of {}, so functions are not compared\n", missing);
  const Value::List &changed = list_of(*found, "changed");
  if (changed.empty())
    return "no function changed by more than its tolerance\n";
  std::string text = "functions that changed, largest first:\n";
  for (const Value &each : changed)
    text += fmt::format("  {}\n", change_text(each));
  return text;
}

} // namespace gate
