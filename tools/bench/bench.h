// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What a benchmark is. One benchs/bench_<family>.cpp derives from Bench (most from TestRunBench in
// test_run_bench.h) and registers its names in its last lines; nothing else is edited.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/lib/result.h"

class ModelPage;

namespace bench
{

// An option of a benchmark: a whole number in a range, a flag, one of several words, or any text.
struct Option {
  enum class Kind { Number, Flag, Choice, Text };
  std::string name; // without the dashes
  std::string help;
  Kind kind = Kind::Number;
  uint64_t min = 0, max = 0, preset = 0; // Number; Text: of its length in bytes
  std::vector<std::string> choices;      // Choice; the first is the default, which is all of Text's
};

Option number(std::string name, uint64_t min, uint64_t max, uint64_t preset, std::string help);
Option flag(std::string name, std::string help);
Option choice(std::string name, std::vector<std::string> choices, std::string help);
// Of 1 to max bytes.
Option text(std::string name, uint64_t max, std::string preset, std::string help);

// The values that one benchmark runs with: its own options, how many producers, and the CPUs of its
// consumers, as many as it has of them.
class Params {
public:
  unsigned producers = 1, consumers = 0;
  std::vector<int> consumer_cpus;

  // The option must be one of the benchmark's own; std::out_of_range otherwise.
  uint64_t number(const std::string &name) const { return x_numbers.at(name); }
  bool flag(const std::string &name) const { return x_numbers.at(name) != 0; }
  const std::string &text(const std::string &name) const { return x_texts.at(name); }

  void set(const std::string &name, uint64_t value) { x_numbers[name] = value; }
  void set(const std::string &name, const std::string &value) { x_texts[name] = value; }

private:
  std::map<std::string, uint64_t> x_numbers;
  std::map<std::string, std::string> x_texts;
};

// Options that do not fit together, or a benchmark that cannot do what was asked: one line,
// exit 64.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// What a producer did.
struct Counts {
  uint64_t hits = 0;       // ops that did what the benchmark counts
  uint64_t drops = 0;      // ops that did not
  uint64_t false_hits = 0; // filter said yes, map said no
  uint64_t absent = 0;     // lookups of keys that are nowhere; local storage: important hits
  uint64_t ns = 0;         // time of these ops inside the kernel
  uint64_t base_ops = 0;   // --net: loop and keys without the op, in the same load
  uint64_t base_ns = 0;

  uint64_t ops() const { return hits + drops; }
  Counts &operator+=(const Counts &other);
  Counts operator-(const Counts &other) const;
};

// What a benchmark reads besides counts, by metric name (memory in MiB).
using Readings = std::map<std::string, double>;

// Of readings that only grow: by how much since the last call, at first since 0.
class Growth {
public:
  Readings since_last(const Readings &now);

private:
  Readings x_last;
};

// What --inject adds to a run: something once, and each spin.
struct InjectionCost {
  double fixed_ns = 0;
  double spin_ns = 0;
};

// One load of a benchmark: fresh object, fresh maps, filled. Construction loads, destruction
// releases everything. Throws bpf::error, bpf::missing (a skip), usage_error.
class Bench {
public:
  virtual ~Bench() = default;

  // Does nr_ops ops (1 to 2^23) for this producer, from the producer's own thread. Refilling is not
  // part of Counts::ns. A wrong result throws.
  virtual Counts run(unsigned producer, uint32_t nr_ops) = 0;
  // The same loop and keys without the op; nullopt where the benchmark is its own base.
  virtual std::optional<Counts> run_base(unsigned, uint32_t) { return std::nullopt; }
  // The same, but the next keys come next.
  virtual std::optional<Counts> run_base_on(unsigned, uint32_t) { return std::nullopt; }
  // Has the model count what run() and run_base_on() of producer 0 do inside the kernel. False
  // where that cannot be.
  virtual bool bracket(ModelPage &) { return false; }
  // Starts the key generators anew; the same seed gives the same keys.
  virtual void seed(uint64_t) {}
  // Read once per interval, from another thread than the producers'.
  virtual Readings readings() { return {}; }
  // Wakes producers that wait for one another; their run() may then return early.
  virtual void stop() {}
  // The kernel's tag of the measured program.
  virtual std::string bytecode() const { return ""; }
  // The same of the program that run_base() runs; "" where the benchmark is its own base.
  virtual std::string base_bytecode() const { return ""; }
  // --inject: spins per ns that ops take, in units of 2^-20, and what they cost. See inject.h.
  virtual void set_inject_q20(uint64_t q20) = 0;
  virtual InjectionCost measure_injection() = 0;
};

// Running totals of one interval, all producers together.
struct Sample {
  Counts counts;
  double interval_ns = 0; // true length
  // Ops per ns: of each producer by its own time in the kernel where it has a CPU to itself, by
  // the interval where producers share a CPU; summed. hits, drops.
  double hit_rate = 0, drop_rate = 0;
  unsigned producers = 1;
  Readings readings;
};

// How samples become lines and metrics. See reports.h for those that exist.
struct Report {
  virtual ~Report() = default;
  // "" where it has no line of an interval.
  virtual std::string iter(int iteration, double tick_us, const Sample &sample) const = 0;
  // May be several lines.
  virtual std::string summary(const std::vector<Sample> &samples) const = 0;
  // Whether --quiet leaves out the lines of intervals, which others keep.
  virtual bool quiet_intervals() const { return false; }
  // What --quiet prints in its place, with and without --affinity; "" where that is the same.
  virtual std::string quiet_summary(const std::vector<Sample> &, bool) const { return ""; }
  // loads: samples grouped by load. time_metrics() of reports.h, unless it has others.
  virtual std::vector<result::Metric> metrics(const std::vector<std::vector<Sample>> &loads) const;
  // Lines that hold no time, for where there is none to tell.
  virtual std::vector<std::string> untimed(const std::vector<Sample> &) const { return {}; }
  // Lines after the summary that the kernel's bench does not print.
  virtual std::vector<std::string> more(const Params &, const std::vector<Sample> &) const
  {
    return {};
  }
};

// A benchmark's registration.
struct Descriptor {
  std::string name;
  std::string op;     // what one operation does, in words
  int definition = 1; // raise when the same name measures something else
  std::shared_ptr<const Report> report;
  std::vector<Option> options;
  // Ops of one run of a producer: around a millisecond of work, so that the machine stays usable.
  uint32_t ops_per_run = 10000;
  // Ops of one run where the clock counts instructions: some 10^5 of them, well below the millions
  // between two timer interrupts, and so many more, uncounted, where a rate is read from ops.
  std::function<uint32_t(const Params &)> counted_ops = [](const Params &) { return 500; };
  uint32_t rate_ops = 0;
  // At least so many ops before all that a benchmark visits has been visited, for the model, which
  // else takes its map's entries (modelled.h).
  uint32_t warming_ops = 0;
  // False: an op cannot be repeated inside the kernel; a run is one op.
  bool batched = true;
  // Ops after which a benchmark is back where it started, for those that use up their map; an epoch
  // of bench --serve is a whole number of cycles.
  std::function<uint64_t(const Params &)> cycle = [](const Params &) { return 1; };
  // How many consumers it needs, no more and no fewer. It starts them itself.
  std::function<unsigned(const Params &)> consumers = [](const Params &) { return 0u; };
  // Throws usage_error when the values do not fit together.
  std::function<void(const Params &)> validate = [](const Params &) {};
  std::function<std::unique_ptr<Bench>(const Params &)> load;
};

// Registers one or more benchmarks; a static object of each bench file.
struct Register {
  Register(std::initializer_list<Descriptor> descriptors);
};

// All registered, sorted by name.
const std::vector<Descriptor> &registry();

// At least nr ops, a whole number of cycles, at most about 2^23.
uint32_t whole_cycles(const Descriptor &descriptor, const Params &params, uint64_t nr);

// Throws usage_error unless the benchmark was asked to run with one producer.
void require_one_producer(const Params &params, const char *name);

} // namespace bench
