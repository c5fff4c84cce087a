// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Benchmarks for the tests, with the harness of bench and real BPF programs. Most go wrong, each in
// its own way, set up so that an op's result is not what it must be; two differ by a known number
// of instructions, in known functions.
#include <atomic>

#include "benchs/lpm_trie_keys.h"
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"

// After the header that defines its structs.
#include "lpm_trie_bench.skel.h"
#include "moved.skel.h"
#include "strncmp_bench.skel.h"
#include "strncmp_failure.skel.h"

namespace
{

using namespace bench;

// Lookups in a trie that has the first nr_filled of its 1,000 keys.
class PartlyFilled : public TestRunBench {
public:
  explicit PartlyFilled(uint64_t nr_filled) : x_skel("lpm_trie_bench")
  {
    x_skel->rodata->nr_entries = 1000;
    x_skel.load();
    lpm::fill(bpf_map__fd(x_skel->maps.trie), nr_filled, 32);
    use(x_skel->progs.lookup, nullptr, x_skel->bss->bench_slots, 1, 1000);
    slot(0).cursor = 0;
  }

private:
  bpf::Skeleton<lpm_trie_bench> x_skel;
};

// Wants to be refilled before each op, which nothing does.
class NeverRefilled : public TestRunBench {
public:
  NeverRefilled() : x_skel("lpm_trie_bench")
  {
    x_skel->rodata->nr_entries = 0;
    x_skel.load();
    use(x_skel->progs.erase, nullptr, x_skel->bss->bench_slots, 1, 1);
  }

private:
  void refill() override {}

  bpf::Skeleton<lpm_trie_bench> x_skel;
};

// The text is the greater one: strncmp() gives the other sign.
class Reversed : public TestRunBench {
public:
  explicit Reversed(bpf_program *decltype(strncmp_bench::progs)::*prog) : x_skel("strncmp_bench")
  {
    const_cast<char *>(x_skel->rodata->target)[0] = 'a';
    x_skel->bss->text[0] = 'b';
    x_skel.load();
    use(x_skel->progs.*prog, x_skel->progs.noop, x_skel->bss->bench_slots, 1, 1);
  }

private:
  bpf::Skeleton<strncmp_bench> x_skel;
};

class Moved : public TestRunBench {
public:
  explicit Moved(bool is_moved) : x_skel("moved")
  {
    x_skel->rodata->moved = is_moved;
    x_skel.load();
    use(x_skel->progs.moves, nullptr, x_skel->bss->bench_slots, 1, 1);
  }

private:
  bpf::Skeleton<moved> x_skel;
};

class Noop : public TestRunBench {
public:
  Noop() : x_skel("lpm_trie_bench")
  {
    x_skel.load();
    use(x_skel->progs.noop, nullptr, x_skel->bss->bench_slots, 256, 1);
  }

private:
  bpf::Skeleton<lpm_trie_bench> x_skel;
};

// Throws in the thread of a producer, in its tenth run.
template <class Error> class Throwing : public Noop {
public:
  Counts run(unsigned producer, uint32_t nr_ops) override
  {
    if (producer == 0 && ++x_runs == 10)
      throw Error("thrown in a producer's thread");
    return Noop::run(producer, nr_ops);
  }

private:
  std::atomic<int> x_runs{0};
};

// Reads what it cannot read.
class Unreadable : public Noop {
public:
  Readings readings() override { throw std::runtime_error("the memory cannot be read"); }
};

template <class T, class... Arguments> Descriptor make(const char *name, Arguments... arguments)
{
  return {.name = name,
          .op = "one op that goes wrong",
          .report = ops_report(),
          .load = [=](const Params &) { return std::make_unique<T>(arguments...); }};
}

Descriptor failing_load(const char *name, void (*fail)())
{
  Descriptor descriptor = make<Noop>(name);
  descriptor.load = [fail](const Params &) {
    fail();
    return std::make_unique<Noop>();
  };
  return descriptor;
}

Descriptor long_cycle()
{
  Descriptor descriptor = make<Noop>("faulty-long-cycle");
  descriptor.cycle = [](const Params &) { return 9000000; };
  return descriptor;
}

const Register faulty{
    make<PartlyFilled>("faulty-lookup", 0),
    make<PartlyFilled>("faulty-later", 900),
    make<Reversed>("faulty-sign-helper", &decltype(strncmp_bench::progs)::helper),
    make<Reversed>("faulty-sign-no-helper", &decltype(strncmp_bench::progs)::no_helper),
    make<NeverRefilled>("faulty-refill"),
    make<Throwing<std::runtime_error>>("faulty-producer"),
    make<Throwing<bpf::missing>>("faulty-producer-missing"),
    make<Unreadable>("faulty-reading"),
    failing_load("faulty-missing", [] { throw bpf::missing("this machine has no such thing"); }),
    failing_load("faulty-load", [] { throw bpf::error("load BPF object", "x", EPERM); }),
    failing_load("faulty-refused",
                 [] { bpf::Skeleton<strncmp_failure>("strncmp_failure").load(); }),
    long_cycle(),
    make<Noop>("sound"),
    make<Moved>("moved-before", false),
    make<Moved>("moved-after", true),
};

} // namespace
