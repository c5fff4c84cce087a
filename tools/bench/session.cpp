// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/session.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <cmath>

#include "revision.h"
#include "tools/bench/inject.h"
#include "tools/bench/reports.h"
#include "tools/bench/version.h"
#include "tools/lib/bench_line.h"
#include "tools/lib/bpf_error.h"
#include "tools/lib/environment.h"

namespace bench
{

using bench_line::Kind, bench_line::Line;
using result::Status;

result::Tool this_tool() { return {"bench", version, git_revision}; }

Value this_environment()
{
  auto environment = read_environment();
  environment["toolchain"] = {
      {"bpf_clang", bpf_clang_version},
      {"bpftool", bpftool_version},
      {"libbpf", fmt::format("{}.{}", libbpf_major_version(), libbpf_minor_version())},
      {"cxx", __VERSION__},
  };
  return environment;
}

result::Benchmark make_row(const Selected &selected)
{
  const Descriptor &descriptor = *selected.descriptor;
  result::Benchmark row;
  row.name = descriptor.name;
  row.op = descriptor.op;
  row.definition = descriptor.definition;
  for (const Option &option : descriptor.options) {
    if (option.kind == Option::Kind::Choice || option.kind == Option::Kind::Text)
      row.parameters[option.name] = selected.params.text(option.name);
    else if (option.kind == Option::Kind::Flag)
      row.parameters[option.name] = selected.params.flag(option.name);
    else
      row.parameters[option.name] = selected.params.number(option.name);
  }
  row.parameters["producers"] = selected.params.producers;
  if (selected.params.consumers)
    row.parameters["consumers"] = selected.params.consumers;
  if (selected.inject_pct > 0)
    row.inject_pct = selected.inject_pct;
  return row;
}

int flush_output() { return counting() ? 0 : fflush(stdout); }

// Each line when it happens, also in a pipe; while instructions are counted, at the end.
static void print_line(const std::string &line)
{
  if (puts(line.c_str()) < 0 || flush_output())
    throw output_error();
}

static void print_if_any(const std::string &line)
{
  if (!line.empty())
    print_line(line);
}

Session::Session(const Options &options, Signals &signals) : x_options(options), x_signals(signals)
{
  x_result.tool = this_tool();
  x_result.command = options.command;
  the_model(); // before anything is loaded
  x_result.started = utc_now();
  if (counting())
    x_insns_per_ns = settle();
  x_result.environment = this_environment();
  for (const std::string &contradiction : contradictions(x_result.environment))
    fmt::print(stderr, "bench: {}\n", contradiction);
}

static bool anything_done(const std::vector<Sample> &samples)
{
  for (const Sample &sample : samples)
    if (sample.counts.ops())
      return true;
  return false;
}

// Lines are printed for every interval of a single load; of several, only the summary over all.
void Session::run_load(const Selected &selected, unsigned load, bool print,
                       std::vector<std::vector<Sample>> &loads, result::Benchmark &row)
{
  const Descriptor &descriptor = *selected.descriptor;
  auto cpus =
      producer_cpus(selected.params.producers, x_options.producer_cpus, selected.params.consumers);
  bool shared_cpu = share_cpu(cpus);
  auto bench = descriptor.load(selected.params);
  row.bytecode = bench->bytecode();
  if (x_options.net)
    row.base_bytecode = bench->base_bytecode();
  Producers producers(*bench, descriptor, cpus, x_options.net);
  if (selected.inject_pct > 0) {
    double spin_ns = inject(*bench, selected.inject_pct);
    if (print && load == 0)
      print_line(fmt::format("Injecting {} % of what ops take, by spins of {:.3f} ns",
                             selected.inject_pct, spin_ns));
  }
  if (print && !x_options.quiet && load == 0)
    print_line(format(Line{.kind = Kind::Started, .name = descriptor.name}));

  unsigned intervals = static_cast<unsigned>(x_options.warmup + x_options.duration + 1);
  // On a busy machine no op may end within the few short intervals of a sweep.
  constexpr unsigned patience = 10;
  auto tick = [&](unsigned iteration, const Sample &sample) {
    double nominal = std::chrono::duration<double, std::nano>(x_options.interval).count();
    if (print && x_options.loads == 1 && !(x_options.quiet && descriptor.report->quiet_intervals()))
      print_if_any(descriptor.report->iter(static_cast<int>(iteration),
                                           (sample.interval_ns - nominal) / 1000, sample));
    if (iteration >= x_options.warmup)
      loads.back().push_back(sample);
    unsigned past = iteration + 1;
    return past < intervals || (!anything_done(loads.back()) && past < patience * intervals);
  };
  loads.emplace_back();
  if (measure(*bench, producers, x_signals, shared_cpu, x_options.interval, tick) ==
      Ending::Interrupted)
    row.status = Status::Interrupted;
  if (loads.back().empty())
    loads.pop_back();
}

void Session::run_counted(const Selected &selected, bool print, Outcome &outcome)
{
  result::Benchmark &row = outcome.row;
  unsigned producers = selected.params.producers;
  if (producers != 1)
    throw bpf::missing(fmt::format("{} producers need a CPU each, and the clock that counts "
                                   "instructions (QEMU -icount) allows one",
                                   producers));
  if (print && !x_options.quiet)
    print_line(format(Line{.kind = Kind::Started, .name = row.name}));
  for (unsigned load = 0; load < x_options.loads && row.status == Status::Ok; load++) {
    auto bench = selected.descriptor->load(selected.params);
    row.bytecode = bench->bytecode();
    row.base_bytecode = bench->base_bytecode();
    if (auto counted = count_load(*bench, selected, x_insns_per_ns, x_signals))
      outcome.counted.push_back(std::move(*counted));
    else
      row.status = Status::Interrupted;
    if (auto modelled = model_load(*bench, selected, x_signals))
      outcome.modelled.push_back(std::move(*modelled));
  }
  for (const Counted &counted : outcome.counted)
    outcome.samples.push_back(counted.sample);
  if (!outcome.counted.empty())
    row.metrics = counted_metrics(*selected.descriptor->report, outcome.counted);
  for (result::Metric &metric : modelled_metrics(outcome.modelled))
    row.metrics.push_back(std::move(metric));
  row.functions = modelled_functions(outcome.modelled);
}

// ns per op without loop and key generation.
static void print_net(const std::vector<Sample> &samples)
{
  std::vector<double> net, base;
  for (const Sample &sample : samples)
    if (double value = net_latency_ns(sample); !std::isnan(value)) {
      net.push_back(value);
      base.push_back(static_cast<double>(sample.counts.base_ns) / sample.counts.base_ops);
    }
  if (net.empty())
    return print_line("Net: this benchmark is its own base, there is nothing to take off");
  auto [mean, stddev] = mean_stddev(net);
  print_line(
      fmt::format("Net: latency {:8.3f} ± {:5.3f} ns/op (loop and keys, {:.3f} ns/op, taken off)",
                  mean, stddev, mean_stddev(base).mean));
}

void Session::run_timed(const Selected &selected, bool print, Outcome &outcome)
{
  result::Benchmark &row = outcome.row;
  std::vector<std::vector<Sample>> loads;
  Progress progress(row.name);
  for (unsigned load = 0; load < x_options.loads && row.status == Status::Ok; load++) {
    if (x_options.loads > 1)
      progress.show(load, x_options.loads, "fresh loads");
    run_load(selected, load, print, loads, row);
  }
  for (const auto &load : loads)
    outcome.samples.insert(outcome.samples.end(), load.begin(), load.end());
  if (row.status == Status::Ok && !anything_done(outcome.samples))
    throw std::runtime_error("no op ended within an interval; a longer --interval helps");
  if (anything_done(outcome.samples))
    row.metrics = selected.descriptor->report->metrics(loads);
}

void Session::print_figures(const Selected &selected, const Outcome &outcome)
{
  if (counting()) {
    for (const std::string &line : counted_lines(selected, outcome.counted))
      print_line(line);
    for (const std::string &line : modelled_lines(outcome.modelled))
      print_line(line);
    return;
  }
  const Report &report = *selected.descriptor->report;
  std::string quiet =
      x_options.quiet ? report.quiet_summary(outcome.samples, x_options.affinity) : "";
  print_if_any(quiet.empty() ? report.summary(outcome.samples) : quiet);
  for (const std::string &line : report.more(selected.params, outcome.samples))
    print_line(line);
  if (x_options.net)
    print_net(outcome.samples);
}

Outcome Session::run(const Selected &selected, bool print)
{
  const Descriptor &descriptor = *selected.descriptor;
  Outcome outcome{make_row(selected), {}, {}, {}};
  result::Benchmark &row = outcome.row;
  if (print && !x_options.quiet)
    print_line(format(Line{.kind = Kind::SettingUp, .name = descriptor.name}));
  try {
    if (counting())
      run_counted(selected, print, outcome);
    else
      run_timed(selected, print, outcome);
  } catch (const output_error &) {
    throw; // no fault of the benchmark's
  } catch (const bpf::missing &missing) {
    row.status = Status::Skipped;
    row.reason = missing.what();
  } catch (const std::exception &error) {
    row.status = Status::Failed;
    row.reason = error.what();
    auto *of_bpf = dynamic_cast<const bpf::error *>(&error);
    row.failure = of_bpf && of_bpf->by_verifier() ? "verifier" : "";
  }
  if (row.status == Status::Skipped || row.status == Status::Failed) {
    fmt::print(stderr, "{}: {}: {}\n", descriptor.name,
               row.status == Status::Skipped ? "skipped" : "failed", row.reason);
  } else if (print && row.metrics.empty()) {
    fmt::print(stderr, "{}: interrupted before the first figure\n", descriptor.name);
  } else if (print) {
    print_figures(selected, outcome);
  }
  return outcome;
}

void Session::write()
{
  if (!x_options.json.empty())
    result::write_result(x_options.json, x_result);
}

int Session::exit_code()
{
  if (int signal = x_signals.pending())
    return exit_signal + signal;
  bool any_ok = false, any_skipped = false;
  for (const result::Benchmark &row : x_result.benchmarks) {
    if (row.status == Status::Failed)
      return exit_failed;
    any_ok = any_ok || row.status == Status::Ok;
    any_skipped = any_skipped || row.status == Status::Skipped;
  }
  return !any_ok && any_skipped ? exit_skipped : 0;
}

} // namespace bench
