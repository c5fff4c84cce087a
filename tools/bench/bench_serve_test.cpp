// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// bench --serve: every request and every error of docs/serve.md, on the live kernel.
#include "tools/bench/run_bench.h"
#include "tools/lib/json.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench_test;
using result::json;

namespace
{

class Server {
public:
  explicit Server(std::vector<std::string> arguments, const std::string &program = bench_program())
      : x_process(program, with_serve(std::move(arguments)))
  {
  }

  std::string ask(const std::string &request)
  {
    x_process.write_line(request);
    return x_process.read_line();
  }

  // The JSON after "ok".
  json ask_ok(const std::string &request)
  {
    std::string answer = ask(request);
    expect(answer.compare(0, 3, "ok ") == 0, request + ": " + answer);
    return json::parse(answer.substr(3));
  }

  void expect_error(const std::string &request, const std::string &part)
  {
    std::string answer = ask(request);
    expect(answer.compare(0, 6, "error ") == 0, request + ": " + answer);
    expect_has(answer, part);
  }

  Process &process() { return x_process; }

private:
  static std::vector<std::string> with_serve(std::vector<std::string> arguments)
  {
    arguments.push_back("--serve");
    return arguments;
  }
  Process x_process;
};

} // namespace

TEST(serve_lists_what_was_selected)
{
  Server server({"lpm-trie-insert", "lpm-trie-free", "lpm-trie-ins*", "--nr_entries", "100",
                 "--inject", "*free=5%"});
  json list = server.ask_ok("list");
  expect_eq(list.at("protocol").get<int>(), 1);
  expect_eq(list.at("tool").at("name").get<std::string>(), std::string("bench"));
  expect(list.at("environment").contains("kernel"));
  const json &rows = list.at("benchmarks");
  expect_eq(rows.size(), 2u);
  auto insert = result::benchmark_from_json(rows[0], "list"),
       free = result::benchmark_from_json(rows[1], "list");
  expect_eq(insert.name, std::string("lpm-trie-insert"));
  expect_eq(insert.parameters.at("nr_entries").whole(), 100);
  expect(insert.batched.value() && !free.batched.value());
  expect_eq(free.inject_pct.value(), 5.0);
  expect(!insert.metrics.empty() && insert.metrics[0].samples.empty());
}

TEST(serve_runs_epochs_of_a_load)
{
  Server server({"bloom-false-positive", "lpm-trie-insert", "--nr_entries", "300"});
  expect_eq(server.ask_ok("load 0").at("bytecode").get<std::string>().size(), 16u);
  json epoch = server.ask_ok("epoch 0 5000 7");
  expect_eq(epoch.at("hits").get<int>(), 5000);
  expect(epoch.at("ns").get<int64_t>() > 0);
  expect(epoch.at("values").at("false_positive_true").get<double>() > 0);
  // While another is loaded, the same seeds are the same keys, and others are not. Rates are over
  // all epochs of the load: the same epochs once more leave them as they are.
  server.ask_ok("load 1");
  json round = epoch.at("values");
  int changes = 0; // of several, since two sets of keys may have as many false positives
  for (int seed = 8; seed < 16; seed++) {
    json next = server.ask_ok(fmt::format("epoch 0 5000 {}", seed)).at("values");
    changes += next != round;
    round = next;
  }
  expect(changes > 0, "all seeds are the same keys");
  json twice;
  for (int seed = 7; seed < 16; seed++)
    twice = server.ask_ok(fmt::format("epoch 0 5000 {}", seed)).at("values");
  expect(twice == round, "the same seeds are not the same keys");
  // A benchmark that uses up its map does whole cycles.
  expect_eq(server.ask_ok("epoch 1 301 1").at("hits").get<int>(), 600);
  expect_eq(server.ask("unload 0"), std::string("ok"));
  expect_eq(server.ask_ok("epoch 1 1 9223372036854775807").at("hits").get<int>(), 300);
  expect_eq(server.ask_ok("epoch 1 1 0").at("hits").get<int>(), 300);
  server.ask_ok("load 0");
}

TEST(serve_limits_of_an_epoch)
{
  Server server({"lpm-trie-noop"});
  server.ask_ok("load 0");
  expect_eq(server.ask_ok("epoch 0 1 0").at("hits").get<int>(), 1);
  expect_eq(server.ask_ok("epoch 0 8388608 0").at("hits").get<int>(), 8388608);
  server.expect_error("epoch 0 8388609 0", "'8388609'");
  server.expect_error("epoch 0 0 0", "'0'");
  server.expect_error("epoch 0 1 9223372036854775808", "'9223372036854775808'");
  server.expect_error("epoch 0 1 -1", "'-1'");
  server.ask_ok("epoch 0 1 0"); // the load has survived
}

TEST(serve_not_batched_is_one_op)
{
  Server server({"lpm-trie-free", "--nr_entries", "50"});
  server.ask_ok("load 0");
  expect_eq(server.ask_ok("epoch 0 1000 0").at("hits").get<int>(), 1);
}

TEST(serve_reads_memory)
{
  Server server({"htab-mem", "lpm-trie-noop"});
  server.ask_ok("load 0");
  expect(server.ask_ok("epoch 0 10 0").at("values").at("memory").get<double>() > 0.01);
  expect(server.ask_ok("load 1").contains("bytecode"));
  expect(server.ask_ok("epoch 1 10 0").at("values").empty());
}

TEST(serve_answers_wrong_requests)
{
  Server server({"lpm-trie-noop", "lpm-trie-baseline"});
  for (const char *request : {"", "nonsense", "list all", "load", "load 0 1", "unload", "epoch 0",
                              "epoch 0 1", "epoch 0 1 1 1", "LIST", "\xff\xfe"})
    server.expect_error(request, "is no request");
  for (const char *number : {"2", "-1", "x", "18446744073709551616", "0.5"})
    for (const char *verb : {"load ", "unload "})
      server.expect_error(verb + std::string(number), "whole number from 0 to 1");
  server.expect_error("epoch 0 1 1", "benchmark 0 is not loaded");
  server.expect_error("unload 1", "benchmark 1 is not loaded");
  server.ask_ok("load 1");
  server.expect_error("load 1", "benchmark 1 is loaded already");
  server.expect_error(std::string(100000, 'x'), "is no request");
  server.ask_ok("  epoch   1 1  1 ");
}

TEST(serve_ends_with_quit_and_with_its_input)
{
  Server quits({"lpm-trie-noop"});
  quits.ask_ok("load 0");
  quits.process().write_line("quit");
  Ended ended = quits.process().wait();
  expect(ended.status == 0 && ended.out.empty() && ended.err.empty(), ended.err);
  Server ends({"htab-mem"});
  ends.ask_ok("load 0");
  pid_t pid = ends.process().pid();
  expect_eq(ends.process().wait().status, 0);
  expect_eq(count_cgroups(pid), 0);
}

TEST(serve_whose_reader_is_gone_ends)
{
  Server server({"lpm-trie-noop"});
  server.ask_ok("list");
  server.process().close_out();
  server.process().write_line("list");
  Ended ended = server.process().wait();
  expect_eq(ended.status, 1);
}

TEST(serve_a_producer_that_cannot_be_pinned_is_an_error)
{
  Server server({"lpm-trie-noop", "--prod-affinity", "1023"});
  server.ask_ok("load 0");
  server.expect_error("epoch 0 1 1", "cannot pin a thread to CPU 1023");
  server.expect_error("epoch 0 1 1", "is not loaded");
  server.ask_ok("load 0"); // the next request is served
}

TEST(serve_a_wrong_result_is_an_error_and_the_load_is_gone)
{
  Server server({"faulty-lookup", "faulty-missing", "faulty-long-cycle"}, faulty_program());
  server.ask_ok("load 0");
  server.expect_error("epoch 0 10 1", "wrong result from an op: -2 (No such file or directory)");
  server.expect_error("epoch 0 10 1", "benchmark 0 is not loaded");
  expect_eq(server.ask("load 1"), std::string("skip this machine has no such thing"));
  server.expect_error("epoch 1 10 1", "benchmark 1 is not loaded");
  // More ops than one loop in the kernel may have.
  server.ask_ok("load 2");
  expect_eq(server.ask_ok("epoch 2 1 1").at("hits").get<int>(), 9000000);
}
