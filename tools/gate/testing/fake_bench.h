// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Benches for the unit tests: shell scripts that speak docs/serve.md, or fail to.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tools/lib/atomic_file.h"

namespace gate
{

// What one request is answered with; shell code. Empty: as a good bench does.
struct FakeBench {
  std::string list;                       // before the answer to "list"
  std::string load;                       // before the answer to "load"
  std::string epoch;                      // before the answer to "epoch"
  std::string ns = "$((ops * 50))";       // of an epoch; n: number of the benchmark
  std::string values = "\"memory\": 2.5"; // of an epoch
  std::string environment = R"("cpu_model": "A", "cpus": 2, "kernel": "6.1")";
  std::string names = "one two";
  std::string definition = "1";
};

inline std::string fake_listing(const FakeBench &bench)
{
  std::string rows, rest = bench.names + " ";
  for (size_t end; (end = rest.find(' ')) != std::string::npos; rest.erase(0, end + 1))
    rows += (rows.empty() ? "" : ", ") +
            fmt::format(
                R"({{"name": "{}", "definition": {}, "status": "ok", "batched": true, "metrics": [
{{"name": "latency", "unit": "ns/op", "better": "lower", "class": "time", "gated": true}},
{{"name": "memory", "unit": "MiB", "better": "lower", "class": "memory", "gated": false}}]}})",
                rest.substr(0, end), bench.definition);
  std::string text = fmt::format(
      R"({{"protocol": 1, "tool": {{"name": "bench"}}, "environment": {{{}}}, "benchmarks": [{}]}})",
      bench.environment, rows);
  std::erase(text, '\n');
  return text;
}

// Writes the script. Its arguments are ignored.
inline void write_fake(const std::string &path, const FakeBench &bench)
{
  std::string script =
      fmt::format(R"(#!/bin/sh
while read -r verb n ops seed; do
  case $verb in
  list) {}
    echo 'ok {}' ;;
  load) {}
    echo 'ok {{"bytecode": "a1"}}' ;;
  epoch) {}
    echo "ok {{\"hits\": $ops, \"ns\": {}, \"values\": {{{}}}}}" ;;
  unload) echo ok ;;
  quit) exit 0 ;;
  esac
done
)",
                  bench.list, fake_listing(bench), bench.load, bench.epoch, bench.ns, [&] {
                    std::string quoted;
                    for (char c : bench.values)
                      quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
                    return quoted;
                  }());
  write_file(path, script, 0777);
}

} // namespace gate
