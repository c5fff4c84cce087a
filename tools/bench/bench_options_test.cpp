// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The command line of bench as its users type it: forms of options, names and globs, refusals with
// one line and their exit codes.
#include <linux/capability.h>

#include "tools/bench/run_bench.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace bench_test;

static int count_lines(const Ended &ended, const std::string &beginning)
{
  int count = 0;
  for (const std::string &line : ended.lines())
    count += line.compare(0, beginning.size(), beginning) == 0;
  return count;
}

// Iterations and producers of a run with these arguments, which must succeed.
static void expect_run(std::vector<std::string> arguments, int iterations)
{
  arguments.insert(arguments.begin(), {"--interval", "100"});
  Ended ended = run_bench(arguments);
  expect(ended.status == 0, ended.err);
  expect_eq(count_lines(ended, "Iter "), iterations);
  expect_eq(count_lines(ended, "Summary: "), 1);
}

TEST(options_go_before_and_after_the_name_in_any_form)
{
  expect_run({"-w3", "-d10", "-a", "-p8", "lpm-trie-noop"}, 14);
  expect_run({"lpm-trie-noop", "-w", "1", "-d", "2"}, 4);
  expect_run({"--warmup", "2", "lpm-trie-noop", "--duration", "1", "--affinity"}, 4);
  expect_run({"--warmup=2", "--duration=3", "--producers=2", "lpm-trie-noop"}, 6);
  expect_run({"--warm", "1", "--dur=1", "--nr_e", "5", "lpm-trie-lookup", "--pref=8"}, 3);
  expect_run({"-w1", "-d1", "-qas", "-p2", "-c0", "--", "lpm-trie-noop"}, 3);
  expect_run({"-w1", "-d1", "--prod-affinity", "0", "--cons-affinity", "0", "lpm-trie-noop"}, 3);
}

TEST(options_given_twice_the_last_one_wins)
{
  expect_run({"-d5", "-w4", "lpm-trie-noop", "-d1", "--warmup=1", "-a", "-a"}, 3);
  auto result = measure({"lpm-trie-lookup", "--nr_entries", "7", "--nr_entries=9", "--random"});
  expect_eq(result.benchmarks.at(0).parameters.at("nr_entries").whole(), 9);
  expect(result.benchmarks.at(0).parameters.at("random").flag());
}

TEST(options_that_are_wrong_get_one_line_and_64)
{
  auto refuse = [](std::vector<std::string> arguments, const std::string &part) {
    expect_refused(run_bench(arguments), 64, part);
  };
  refuse({"-d", "5x", "lpm-trie-noop"}, "'5x'");
  refuse({"-d0", "lpm-trie-noop"}, "--duration: '0'");
  refuse({"-d", "-5", "lpm-trie-noop"}, "'-5'");
  refuse({"-w", "0", "lpm-trie-noop"}, "--warmup: '0'");
  refuse({"-w4294967295", "lpm-trie-noop"}, "'4294967295'");
  refuse({"-p", "0", "lpm-trie-noop"}, "--producers: '0'");
  refuse({"-pabc", "lpm-trie-noop"}, "'abc'");
  refuse({"-c", "x", "lpm-trie-noop"}, "'x'");
  refuse({"--interval", "0", "lpm-trie-noop"}, "--interval");
  refuse({"--loads", "0", "lpm-trie-noop"}, "--loads");
  refuse({"-d5", "--loads", "50001", "--json", "x.json", "lpm-trie-noop"}, "more than 250000");
  refuse({"--prod-affinity", "1-", "lpm-trie-noop"}, "CPU list '1-'");
  refuse({"--nonsense", "lpm-trie-noop"}, "--nonsense");
  refuse({"--prod", "1", "lpm-trie-noop"},
         "ambiguous: --prod-affinity, --producer-duration, --producers");
  refuse({"lpm-trie-noop", "-d"}, "requi");
  refuse({"--inject", "0%", "lpm-trie-noop"}, "'0%'");
  refuse({"--inject", "nan", "lpm-trie-noop"}, "'nan'");
  refuse({"--inject", "bloom-*=5%", "lpm-trie-noop"}, "'bloom-*'");
  refuse({"--suite", "other"}, "'other'");
  refuse({"--suite", "quick", "lpm-trie-noop"}, "--suite");
  refuse({"--suite", "seeds", "--serve"}, "--serve");
  refuse({"--net", "-p256", "lpm-trie-lookup"}, "--net");
}

TEST(options_of_consumers)
{
  expect_eq(run_shortest({"-c1", "rb-libbpf"}).status, 0);
  expect_eq(run_shortest({"rb-libbpf", "--cons-affinity", "0"}).status, 0);
  expect_refused(run_bench({"-c2", "rb-libbpf"}), 64, "rb-libbpf needs 1 consumer, not 2");
  expect_refused(run_bench({"-c1", "sockmap"}), 64, "sockmap needs 2 consumers, not 1");
  expect_refused(run_bench({"-c1", "rb-libbpf", "--rb-bench-producer"}), 1,
                 "benchmark doesn't support consumers!");
  expect_refused(run_bench({"rb-custom", "--rb-bench-producer"}), 64, "rb-libbpf only");
  expect_refused(run_bench({"rb-libbpf", "--rb-b2b", "-p2"}), 64, "single producer");
  expect_refused(run_bench({"pb-libbpf", "--rb-batch-cnt", "9"}), 64, "--rb-sample-rate");
  auto result = measure({"rb-libbpf"});
  expect_eq(result.benchmarks.at(0).parameters.at("consumers").whole(), 1);
}

TEST(options_of_text)
{
  expect_refused(run_bench({"crypto-encrypt", "--crypto-cipher", ""}), 64, "1 to 32 bytes");
  expect_refused(run_bench({"crypto-encrypt", "--crypto-cipher", std::string(33, 'x')}), 64,
                 "1 to 32 bytes");
}

TEST(options_help_shows_those_of_what_is_named)
{
  Ended none = run_bench({"--help"}), one = run_bench({"bpf-hashmap-lookup", "--help"}),
        all = run_bench({"*", "--help"});
  expect(none.out.find("--nr_loops") == none.out.npos, none.out);
  expect_has(one.out, "--nr_loops NUM");
  expect_has(one.out, "1..8388608 (1000000)");
  expect(one.out.find("--use-case") == one.out.npos, one.out);
  expect_has(all.out, "--use-case");
}

TEST(options_probe_gives_a_reason_for_every_no)
{
  Ended ended = run_bench({"--probe"});
  expect_eq(ended.status, 0);
  expect(count_lines(ended, "map_ringbuf ") == 1 && count_lines(ended, "uprobe ") == 1, ended.out);
}

TEST(options_of_a_benchmark_are_held_to_its_ranges)
{
  auto refuse = [](std::vector<std::string> arguments, const std::string &part) {
    expect_refused(run_bench(arguments), 64, part);
  };
  refuse({"htab-mem", "--use-case", "sideways"}, "overwrite, batch_add_batch_del");
  refuse({"htab-mem", "--value-size", "0"}, "--value-size: '0'");
  refuse({"htab-mem", "--use-case", "add_del_on_diff_cpu"}, "even number");
  refuse({"lpm-trie-lookup", "--prefix_len", "64"}, "--prefix_len: '64'");
  refuse({"lpm-trie-lookup", "--prefix_len", "0"}, "'0'");
  refuse({"lpm-trie-lookup", "--prefix_len", "8", "--nr_entries", "257"}, "257");
  for (const char *size : {"0", "1", "257"})
    refuse({"bloom-lookup", "--value_size", size}, std::string("'") + size + "'");
  refuse({"bloom-lookup", "--nr_hash_funcs", "16"}, "'16'");
  refuse({"rhtab-mem", "--preallocated"}, "cannot be preallocated");
  refuse({"trig-kprobe", "--trig-batch-iters", "1001"}, "'1001'");
  refuse({"bpf-hashmap-lookup", "--nr_entries", "1001"}, "more than --max_entries");
  refuse({"bpf-hashmap-lookup", "--key_size", "1", "--nr_entries", "257"}, "--key_size");
  for (const char *name : {"rename-base", "local-storage-cache-seq-get", "sockmap"})
    refuse({name, "-p2"}, "one producer");
  refuse({"bloom-lookup", "--value_size", "2", "--nr_entries", "65537"}, "65537");
  refuse({"strncmp-helper", "--cmp-str-len", "4096"}, "'4096'");
  refuse({"strncmp-helper", "--nr_entries", "5"}, "--nr_entries is no option of strncmp-helper");
  refuse({"strncmp-*", "htab-mem", "--random"}, "--random is no option of");
  for (const char *name : {"lpm-trie-insert", "lpm-trie-delete", "lpm-trie-free"}) {
    refuse({name, "--random"}, "--random");
    refuse({name, "-p2"}, "one producer");
  }
}

TEST(options_names_that_are_wrong_get_one_line_and_1)
{
  expect_refused(run_bench({"lpm-trie-lokup"}), 1,
                 "benchmark 'lpm-trie-lokup' not found; did you mean 'lpm-trie-lookup'?");
  expect_refused(run_bench({"ringbuffer-of-another-kind"}), 1, "not found\n");
  expect_refused(run_bench({"nothing-*"}), 1, "'nothing-*' not found");
  expect_refused(run_bench({}), 1, "benchmark name is not specified");
  expect_refused(run_bench({"-c1", "lpm-trie-noop"}), 1, "benchmark doesn't support consumers!");
}

TEST(options_list_and_help_need_no_name)
{
  Ended list = run_bench({"-l"}), verbose = run_bench({"-l", "-v"});
  expect_eq(list.lines().at(0), std::string("Available benchmarks:"));
  expect_has(list.out, "\n- htab-mem\n");
  expect_eq(list.lines().size(), verbose.lines().size());
  expect_has(verbose.out, "bpf_map_lookup_elem() of a prefix that is present");
  expect_eq(list.status + verbose.status, 0);
  for (const char *option : {"-?", "--help", "-V", "--version"}) {
    Ended ended = run_bench({option});
    expect(ended.status == 0 && ended.err.empty() && !ended.out.empty(), option);
  }
}

TEST(options_without_the_rights_end_with_4)
{
  Ended none = run_bench({"lpm-trie-noop"}, [] { keep_capabilities({}); });
  expect_refused(none, 4, "BPF cannot be used here: Operation not permitted (root or CAP_BPF");
  // Maps may be made, programs of this type may not be loaded.
  Ended partly = run_bench({"--serve", "lpm-trie-noop"}, [] { keep_capabilities({CAP_BPF}); });
  expect_refused(partly, 4, "CAP_NET_ADMIN");
  // To look at the list needs no rights.
  expect_eq(run_bench({"-l"}, [] { keep_capabilities({}); }).status, 0);
}
