// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/modelled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/gate/statistics/statistics.h"
#include "tools/lib/model_page.h"

namespace bench
{

// From init's counting of the whole command, which this is not for.
static ModelPage *find_and_reset()
{
  ModelPage *model = ModelPage::find();
  if (model) {
    model->reset();
    model->follow_programs();
  }
  return model;
}

ModelPage *the_model()
{
  static ModelPage *const model = find_and_reset();
  return model;
}

uint64_t model_ops(const Selected &selected)
{
  // Some 4 and 40 million instructions: 20,000 and 200,000 lookups.
  const Descriptor &descriptor = *selected.descriptor;
  uint64_t chunk = descriptor.counted_ops(selected.params), least = 40 * chunk, most = 400 * chunk;
  uint64_t entries = least;
  for (const Option &option : descriptor.options)
    if (option.name == "nr_entries")
      entries = std::clamp(selected.params.number(option.name), least, most);
  return whole_cycles(descriptor, selected.params, entries);
}

uint64_t model_warming_ops(const Selected &selected)
{
  const Descriptor &descriptor = *selected.descriptor;
  return std::max<uint64_t>(model_ops(selected),
                            whole_cycles(descriptor, selected.params, descriptor.warming_ops));
}

namespace
{

// What a pass runs: nr ops, or as many of their base.
using Run = std::function<void(uint32_t nr)>;

// The model watches this bench's memory as long as this lives.
class Bracket {
public:
  Bracket(ModelPage &model, Bench &bench) : x_model(model), x_works(bench.bracket(model)) {}
  ~Bracket() { x_model.unwatch(); }
  Bracket(const Bracket &) = delete;
  Bracket &operator=(const Bracket &) = delete;
  bool works() const { return x_works; }

private:
  ModelPage &x_model;
  bool x_works;
};

class Passes {
public:
  Passes(ModelPage &model, Signals &signals) : x_model(model), x_signals(signals) {}

  // False when a signal arrives.
  bool pass(uint64_t ops, const Run &run)
  {
    constexpr uint64_t chunk = 10000; // some milliseconds each, so that a signal is not late
    return repeat(ops, chunk, run);
  }
  // Each op by itself.
  bool singles(const Run &run) { return repeat(nr_singles, 1, run); }

  // What was counted since the last time, as events.
  std::vector<double> take(uint64_t ops)
  {
    if (x_model.lost() || x_model.counting())
      throw std::runtime_error("the model lost track of what the guest executes");
    if (!x_model.windows())
      throw std::runtime_error("the model saw no run of this benchmark");
    std::vector<double> per_op;
    for (uint64_t events : x_model.events())
      per_op.push_back(static_cast<double>(events) / static_cast<double>(ops));
    x_interrupts += x_model.interrupts();
    x_model.reset();
    return per_op;
  }

  static constexpr uint64_t nr_singles = 100;
  uint64_t interrupts() const { return x_interrupts; }

private:
  bool repeat(uint64_t ops, uint64_t chunk, const Run &run)
  {
    for (uint64_t done = 0; done < ops; done += chunk) {
      if (x_signals.pending())
        return false;
      run(static_cast<uint32_t>(std::min(chunk, ops - done)));
    }
    return true;
  }

  ModelPage &x_model;
  Signals &x_signals;
  uint64_t x_interrupts = 0;
};

} // namespace

static size_t index_of(const std::vector<std::string> &names, std::string_view name)
{
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

static std::vector<Modelled::Function> take_functions(ModelPage &model, uint64_t ops)
{
  std::vector<Modelled::Function> functions;
  for (ModelPage::Function &function : model.name_symbols()) {
    std::vector<double> per_op;
    for (uint64_t events : function.events)
      per_op.push_back(static_cast<double>(events) / static_cast<double>(ops));
    functions.push_back({std::move(function.name), std::move(per_op)});
  }
  return functions;
}

// Warms up, counts one pass, and then single ops for the lines. subject: for the profile, whose
// functions are put into the plan; "" keeps it out. nullopt when a signal arrives.
static std::optional<std::vector<double>> count_events(ModelPage &model, Passes &passes,
                                                       Modelled &plan, const std::string &subject,
                                                       const Run &run)
{
  model.reset();
  model.keep(false, subject);
  if (!passes.pass(plan.warming_ops, run))
    return std::nullopt;
  model.reset();
  model.keep(!subject.empty(), subject);
  bool complete = passes.pass(plan.ops, run);
  model.keep(false, subject);
  if (!complete)
    return std::nullopt;
  if (!subject.empty())
    plan.functions = take_functions(model, plan.ops);
  std::vector<double> events = passes.take(plan.ops);
  if (!passes.singles(run))
    return std::nullopt;
  size_t lines = index_of(model.names(), "lines");
  events.at(lines) = passes.take(Passes::nr_singles).at(lines);
  return events;
}

std::optional<Modelled> model_load(Bench &bench, const Selected &selected, Signals &signals)
{
  ModelPage *model = the_model();
  if (!model || !selected.descriptor->batched)
    return std::nullopt;
  Bracket bracket(*model, bench);
  if (!bracket.works())
    return std::nullopt;
  Modelled modelled{.model = model->model(),
                    .names = model->names(),
                    .ops = model_ops(selected),
                    .warming_ops = model_warming_ops(selected)};
  Passes passes(*model, signals);
  bench.seed(1);
  auto op = count_events(*model, passes, modelled, selected.descriptor->name,
                         [&](uint32_t nr) { bench.run(0, nr); });
  bench.seed(1);
  modelled.has_base = bench.run_base_on(0, 1).has_value();
  if (!op)
    return std::nullopt;
  modelled.net = modelled.raw = *op;
  if (modelled.has_base) {
    auto base =
        count_events(*model, passes, modelled, "", [&](uint32_t nr) { bench.run_base_on(0, nr); });
    if (!base)
      return std::nullopt;
    for (size_t i = 0; i < modelled.net.size(); i++)
      modelled.net[i] -= base->at(i);
  }
  modelled.interrupts = passes.interrupts();
  return modelled;
}

static double median_of(const std::vector<Modelled> &loads, size_t event)
{
  std::vector<double> values;
  for (const Modelled &load : loads)
    values.push_back(load.net.at(event));
  return gate::median(std::move(values));
}

// A difference of two counts may be a hair below 0, which "-0.00" would show.
static std::string number(double value, int digits)
{
  std::string text = fmt::format("{:.{}f}", value, digits);
  return text.find_first_not_of("-0.") == std::string::npos ? fmt::format("{:.{}f}", 0.0, digits)
                                                            : text;
}

std::vector<std::string> modelled_lines(const std::vector<Modelled> &loads)
{
  if (loads.empty())
    return {};
  const Modelled &first = loads.front();
  auto event = [&](const char *name) { return median_of(loads, index_of(first.names, name)); };
  std::string line = fmt::format(
      "Modelled: {} insns, {} accesses, lines {}, misses L1 {} L2 {} L3 {} TLB {}, mispredicted {} "
      "per op",
      number(event("insns"), 1), number(event("loads") + event("stores"), 1),
      number(event("lines"), 1), number(event("l1d_misses"), 2), number(event("l2_misses"), 2),
      number(event("l3_misses"), 2), number(event("tlb_misses"), 2),
      number(event("mispredicted"), 2));
  uint64_t interrupts = 0;
  for (const Modelled &load : loads)
    interrupts += load.interrupts;
  std::string how = fmt::format(
      "Model {}: {} ops counted in each of {} load{}, after {} to warm up; {}; {} interrupt{} left "
      "out",
      first.model, first.ops, loads.size(), loads.size() == 1 ? "" : "s", first.warming_ops,
      first.has_base ? "loop and keys taken off" : "there is nothing to take off", interrupts,
      interrupts == 1 ? "" : "s");
  return {line, how};
}

std::vector<result::Metric> modelled_metrics(const std::vector<Modelled> &loads)
{
  std::vector<result::Metric> metrics;
  for (size_t i = 0; !loads.empty() && i < loads.front().names.size(); i++) {
    result::Metric metric{.name = "modelled_" + loads.front().names[i],
                          .unit = i ? "events/op" : "insns/op",
                          .better = result::Better::Lower,
                          .kind = result::Class::Exact,
                          .gated = true,
                          .may_be_zero = i > 0};
    for (const Modelled &load : loads)
      metric.samples.push_back({load.net.at(i)});
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

std::vector<result::Function> modelled_functions(const std::vector<Modelled> &loads)
{
  constexpr double digits = 1e3; // floors of what counts as a change are higher (gate)
  std::map<std::string, std::vector<std::vector<double>>> events; // [name][event][load]
  for (size_t load = 0; load < loads.size(); load++)
    for (const Modelled::Function &function : loads[load].functions) {
      auto &of = events[function.name];
      of.resize(function.events.size(), std::vector<double>(loads.size()));
      for (size_t i = 0; i < of.size(); i++)
        of[i][load] = std::round(digits * function.events[i]) / digits;
    }
  std::vector<result::Function> functions;
  for (const auto &[name, of] : events) {
    result::Function function{name, {}};
    for (size_t i = 0; i < of.size(); i++)
      if (const std::string &event = loads[0].names[i];
          event != "lines" && std::any_of(of[i].begin(), of[i].end(), [](double v) { return v; }))
        function.events[event] = of[i];
    const auto &insns = of.at(index_of(loads[0].names, "insns"));
    if (*std::max_element(insns.begin(), insns.end()) >= least_insns)
      functions.push_back(std::move(function));
  }
  return functions;
}

} // namespace bench
