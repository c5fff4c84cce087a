// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The result file of docs/results.md: its model, its reader and its writer. What bench prints and
// gate reads comes from here and from nowhere else. tools/lib/json.h has its parts as JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/lib/input.h"
#include "tools/lib/value.h"

namespace result
{

constexpr const char *schema_name = "bpfgate-result";
constexpr int schema_version = 1;

enum class Better { Lower, Higher, None, Unknown };
// Unknown: a quantity that no unit tells (a counter, a column of somebody's own). It is compared by
// ranks; 0 is a figure of it like any other, and it says nothing about the machine.
enum class Class { Time, Exact, Memory, Ratio, Unknown };
enum class Status { Ok, Interrupted, Skipped, Failed };

struct Metric {
  std::string name;
  std::string unit;
  Better better = Better::Lower;
  Class kind = Class::Time; // the file's member "class"
  bool gated = false;
  // 0 is a good figure (drops, failures): reaching it is an improvement, not work that vanished.
  bool may_be_zero = false;
  // [load][sample]. NaN is a figure that could not be read: null in the file.
  std::vector<std::vector<double>> samples;
  std::string reason; // why figures are missing; empty: none are
};

// What the events of a modelled machine (docs/model.md) are in one function of the kernel or of a
// BPF program: its own, loop and keys included.
struct Function {
  std::string name;
  // Per op, one figure a load, by the event's name. Events that are 0 in all loads are left out.
  std::map<std::string, std::vector<double>, std::less<>> events;
};

struct Benchmark {
  std::string name;
  Value parameters = Value::object(); // scalars by name
  std::string op;
  int definition = 1;
  std::string bytecode;
  std::string base_bytecode; // of the program whose cost was taken off; "": nothing was
  Status status = Status::Ok;
  std::string reason;  // of Skipped and Failed
  std::string failure; // of Failed: its kind where it is known, "verifier" for a refused program
  std::optional<double> inject_pct;
  std::optional<bool> batched; // only in the list of bench --serve
  // Ops in one sample, where a format that is read tells; in no file of ours.
  std::optional<double> iterations;
  // What a reader of a foreign format could not use of it (runs that failed, broken lines): how
  // many, and the first in words. In no file of ours.
  size_t dropped = 0;
  std::string first_dropped;
  std::vector<Metric> metrics;
  std::vector<Function> functions; // empty: there is no profile
};

struct Tool {
  std::string name;
  std::string version;
  std::string revision;
};

struct Result {
  Tool tool;
  std::vector<std::string> command;
  std::string started; // UTC, 2026-11-30T10:30:25Z
  Value environment = Value::object();
  std::vector<Benchmark> benchmarks;
};

// What is kept of one input: beyond it the input is refused, so that no input fills memory.
constexpr size_t most_bytes = size_t(1) << 30;
constexpr size_t most_benchmarks = 200'000;

// What loads take in memory.
size_t bytes_of(const std::vector<std::vector<double>> &loads);

// An unusable file or text. what() is one line: the file, what is wrong, and where (the byte of
// broken JSON, the JSON pointer of a wrong member).
using error = input_error;

// Reads a file that bench or gate wrote. The same row twice: its loads are joined when all else is
// equal, otherwise the file is invalid. One benchmark at a time is in memory as JSON. Throws error.
Result read_result(const std::string &path);
Result read_result(Input &input);

// broken: not null to keep what came before the place where the input breaks off, and to be told
// why in it; it stays empty when nothing is broken.
Result read_result(Input &input, std::string *broken);

// The same from a text; where: the name that errors begin with.
Result parse_result(const std::string &text, const std::string &where);

// Writes the file whole or not at all, see write_file(); "-" is the standard output. Figures that
// are not finite become null. Throws std::system_error.
void write_result(const std::string &path, const Result &result);

// The text of the file: one line per benchmark.
std::string format_result(const Result &result);

const char *to_string(Better better);
const char *to_string(Class kind);
const char *to_string(Status status);

// By which two files are matched: the name and all parameters, whatever their order.
std::string benchmark_key(const Benchmark &benchmark);
// The same and the metric's name.
std::string row_key(const Benchmark &benchmark, const Metric &metric);

} // namespace result
