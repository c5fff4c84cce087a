// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/serve.h"

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "tools/bench/inject.h"
#include "tools/bench/session.h"
#include "tools/lib/bpf_error.h"
#include "tools/lib/json.h"
#include "tools/lib/text.h"

namespace bench
{

namespace
{

// A request that cannot be served: its text goes back after "error".
class bad_request : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Load {
  std::unique_ptr<Bench> bench; // outlives its producers
  std::unique_ptr<Producers> producers;
  Counts total; // since the load
};

// What several names or globs select is one benchmark.
std::vector<Selected> each_once(const std::vector<Selected> &selected)
{
  std::set<std::string> keys;
  std::vector<Selected> once;
  for (const Selected &each : selected)
    if (keys.insert(benchmark_key(make_row(each))).second)
      once.push_back(each);
  return once;
}

class Server {
public:
  explicit Server(const Options &options)
      : x_options(options), x_selected(each_once(options.selected))
  {
  }

  // The answer to one line, without the newline; empty for "quit".
  std::string answer(const std::string &line)
  {
    std::istringstream words(line);
    std::vector<std::string> request;
    for (std::string word; words >> word;)
      request.push_back(word);
    try {
      return dispatch(request);
    } catch (const bpf::missing &missing) {
      return "skip " + one_line(missing.what());
    } catch (const bpf::error &error) {
      return (error.by_verifier() ? "error verifier: " : "error ") + one_line(error.what());
    } catch (const std::exception &error) {
      return "error " + one_line(error.what());
    }
  }

private:
  std::string dispatch(const std::vector<std::string> &request)
  {
    std::string verb = request.empty() ? "" : request[0];
    if (verb == "quit")
      return "";
    if (verb == "list" && request.size() == 1)
      return "ok " + result::json_text(list());
    if (verb == "load" && request.size() == 2)
      return load(index(request[1]));
    if (verb == "unload" && request.size() == 2)
      return unload(index(request[1]));
    if (verb == "epoch" && request.size() == 4)
      return epoch(index(request[1]), whole(request[2], 1, 1 << 23),
                   whole(request[3], 0, INT64_MAX));
    throw bad_request(fmt::format("'{}' is no request", fmt::join(request, " ")));
  }

  result::json list() const
  {
    result::json rows = result::json::array();
    for (const Selected &selected : x_selected) {
      result::Benchmark row = make_row(selected);
      row.batched = selected.descriptor->batched;
      row.metrics = selected.descriptor->report->metrics({});
      // An epoch gives one time, which is what the gated one is made from, and no rates.
      std::erase_if(row.metrics, [](const result::Metric &metric) {
        return metric.kind == result::Class::Time && !metric.gated;
      });
      rows.push_back(to_json(row, false));
    }
    return {{"protocol", 1},
            {"tool", to_json(this_tool())},
            {"environment", this_environment()},
            {"benchmarks", rows}};
  }

  std::string load(size_t i)
  {
    if (x_loads.count(i))
      throw bad_request(fmt::format("benchmark {} is loaded already", i));
    const Selected &selected = x_selected[i];
    auto cpus = producer_cpus(selected.params.producers, x_options.producer_cpus,
                              selected.params.consumers);
    Load load;
    load.bench = selected.descriptor->load(selected.params);
    load.producers = std::make_unique<Producers>(*load.bench, *selected.descriptor, cpus, false);
    if (selected.inject_pct > 0)
      inject(*load.bench, selected.inject_pct);
    std::string answer = "ok " + result::json_text({{"bytecode", load.bench->bytecode()}});
    x_loads[i] = std::move(load);
    return answer;
  }

  std::string unload(size_t i)
  {
    if (!x_loads.erase(i))
      throw bad_request(fmt::format("benchmark {} is not loaded", i));
    return "ok";
  }

  std::string epoch(size_t i, uint64_t ops, uint64_t seed)
  {
    auto found = x_loads.find(i);
    if (found == x_loads.end())
      throw bad_request(fmt::format("benchmark {} is not loaded", i));
    const Selected &selected = x_selected[i];
    const Descriptor &descriptor = *selected.descriptor;
    Load &load = found->second;
    try {
      load.bench->seed(seed);
      Counts epoch = load.producers->run_epoch(
          descriptor.batched ? whole_cycles(descriptor, selected.params, ops) : 1);
      load.total += epoch;
      Sample sample;
      sample.producers = selected.params.producers;
      // A rate needs more lookups than one epoch has.
      sample.counts = load.total;
      sample.readings = load.bench->readings();
      return "ok " +
             result::json_text(
                 {{"hits", epoch.ops()}, {"ns", epoch.ns}, {"values", values(descriptor, sample)}});
    } catch (...) {
      x_loads.erase(i);
      throw;
    }
  }

  // What is no time: memory and ratios.
  static result::json values(const Descriptor &descriptor, const Sample &sample)
  {
    result::json values = result::json::object();
    for (const result::Metric &metric : descriptor.report->metrics({{sample}}))
      if (metric.kind != result::Class::Time && std::isfinite(metric.samples[0][0]))
        values[metric.name] = metric.samples[0][0];
    return values;
  }

  size_t index(const std::string &text) const { return whole(text, 0, x_selected.size() - 1); }

  static uint64_t whole(const std::string &text, uint64_t min, uint64_t max)
  {
    auto value = parse_whole(text);
    if (!value || *value < min || *value > max)
      throw bad_request(fmt::format("'{}' is not a whole number from {} to {}", text, min, max));
    return *value;
  }

  static std::string one_line(std::string text)
  {
    for (char &c : text)
      if (c == '\n' || c == '\r')
        c = ' ';
    return text;
  }

  const Options &x_options;
  const std::vector<Selected> x_selected;
  std::map<size_t, Load> x_loads;
};

} // namespace

int serve(const Options &options)
{
  Server server(options);
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer = server.answer(line);
    if (answer.empty())
      break;
    fmt::print("{}\n", answer);
    if (fflush(stdout))
      return exit_failed; // nobody reads any more
  }
  return 0;
}

} // namespace bench
