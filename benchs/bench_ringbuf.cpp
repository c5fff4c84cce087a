// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// rb-*, pb-*: records from a BPF program to user space, by the ring buffer and by perf buffers,
// read by libbpf or by hand. One hit is one record that the consumer has received; a drop is one
// that the full buffer refused. Time is that of the clock on the wall, until the last record of a
// run is there. What makes a figure wrong: a producer and a consumer on one CPU, which then wait
// for each other; comparing hits without --rb-b2b, where producers do not wait and most records may
// be dropped.
#include <fmt/format.h>

#include <thread>

#include "progs/ringbuf_bench.h"
#include "tools/bench/pinned_thread.h"
#include "tools/bench/record_reader.h"
#include "tools/bench/reports.h"
#include "tools/bench/test_run_bench.h"
#include "tools/bench/wall_clock.h"
#include "tools/lib/probe.h"

// After the headers that define their structs.
#include "perfbuf_bench.skel.h"
#include "ringbuf_bench.skel.h"

namespace
{

using namespace bench;

class Buffer : public TestRunBench {
public:
  explicit Buffer(const Params &params)
      : x_batch(static_cast<uint32_t>(params.number("rb-batch-cnt"))),
        x_back_to_back(params.flag("rb-b2b")), x_one_producer(params.producers == 1)
  {
  }

  Counts run(unsigned producer, uint32_t nr_ops) override
  {
    uint64_t start = now_ns();
    Counts total;
    while (total.ops() < nr_ops) {
      uint32_t batch = static_cast<uint32_t>(std::min<uint64_t>(nr_ops - total.ops(), x_batch));
      bool last = x_back_to_back || total.ops() + batch == nr_ops;
      tell_last(producer, last ? batch - 1 : UINT32_MAX);
      Counts counts = TestRunBench::run(producer, batch);
      x_submitted += counts.hits;
      total += counts;
      if (last && x_consumer)
        wait_for(x_submitted);
    }
    if (x_consumer)
      total.ns = now_ns() - start;
    total.ns += wait_injected(total.ns, x_inject_q20);
    return total;
  }

  // Of the time on the wall, most of which is not inside the kernel.
  void set_inject_q20(uint64_t q20) override { x_inject_q20 = q20; }
  InjectionCost measure_injection() override { return {0, 1}; }

protected:
  void consume(std::unique_ptr<RecordReader> reader, const Params &params)
  {
    constexpr int timeout_ms = 1; // records that nobody was woken for wait no longer than this
    x_reader = std::move(reader);
    x_consumer = std::make_unique<PinnedThread>(params.consumer_cpus.at(0),
                                                [this](const std::stop_token &stop) {
                                                  while (!stop.stop_requested())
                                                    x_reader->wait(timeout_ms);
                                                });
  }
  // The consumer ends before what it reads from.
  void end()
  {
    x_consumer.reset();
    x_reader.reset();
  }
  // Which op of the next run wakes the consumer in any case.
  virtual void tell_last(unsigned, uint32_t) {}

  Received x_received;

private:
  void wait_for(uint64_t records)
  {
    constexpr uint64_t patience_ns = 30'000'000'000;
    uint64_t deadline = now_ns() + patience_ns;
    while (x_received.records.load(std::memory_order_acquire) < records) {
      x_consumer->check();
      if (now_ns() > deadline)
        break;
      std::this_thread::yield(); // it may be on this CPU
    }
    uint64_t received = x_received.records;
    if (received < records || (x_one_producer && received > records))
      throw std::runtime_error(
          fmt::format("the consumer received {} of {} records", received, records));
    if (x_received.wrong)
      throw std::runtime_error(
          fmt::format("{} of {} records are damaged", x_received.wrong.load(), received));
  }

  uint32_t x_batch;
  bool x_back_to_back, x_one_producer;
  std::atomic<uint64_t> x_submitted{0};
  uint64_t x_inject_q20 = 0;
  std::unique_ptr<RecordReader> x_reader;
  std::unique_ptr<PinnedThread> x_consumer;
};

enum class By { Libbpf, Hand };

class RingBuffer : public Buffer {
public:
  RingBuffer(const Params &params, By by) : Buffer(params), x_skel("ringbuf_bench")
  {
    probe::require(probe::map_ringbuf);
    bpf_program *op = params.flag("rb-use-output") ? x_skel->progs.output : x_skel->progs.reserve;
    if (params.flag("rb-sampled"))
      x_skel->rodata->wakeup_bytes = params.number("rb-sample-rate") * RINGBUF_RECORD_BYTES;
    if (params.flag("rb-overwrite")) {
      probe::require(probe::ringbuf_overwrite);
      bpf::check(bpf_map__set_map_flags(x_skel->maps.ringbuf, probe::flag_ringbuf_overwrite),
                 "set flags of map", "ringbuf");
    }
    x_skel.load_only({op, x_skel->progs.noop});
    use(op, x_skel->progs.noop, x_skel->bss->bench_slots, params.producers, 1);
    int fd = bpf_map__fd(x_skel->maps.ringbuf);
    if (params.consumers)
      consume(by == By::Libbpf ? ring_by_libbpf(fd, x_received)
                               : ring_by_hand(fd, RINGBUF_BYTES, x_received),
              params);
  }
  ~RingBuffer() override { end(); }

private:
  void tell_last(unsigned producer, uint32_t op) override
  {
    __atomic_store_n(&x_skel->bss->last_op[producer], op, __ATOMIC_RELAXED);
  }

  bpf::Skeleton<ringbuf_bench> x_skel;
};

class PerfBuffer : public Buffer {
public:
  PerfBuffer(const Params &params, By by) : Buffer(params), x_skel("perfbuf_bench")
  {
    probe::require(probe::map_perf_event_array);
    x_skel.load();
    use(x_skel->progs.output, x_skel->progs.noop, x_skel->bss->bench_slots, params.producers, 1);
    int fd = bpf_map__fd(x_skel->maps.perfbuf);
    uint32_t rate = static_cast<uint32_t>(params.number("rb-sample-rate"));
    uint32_t wakeup = params.flag("rb-sampled") ? std::max(1U, rate) : 1;
    consume(by == By::Libbpf ? perf_by_libbpf(fd, PERFBUF_PAGES, wakeup, x_received)
                             : perf_by_hand(fd, PERFBUF_PAGES, wakeup, x_received),
            params);
  }
  ~PerfBuffer() override { end(); }

private:
  bpf::Skeleton<perfbuf_bench> x_skel;
};

std::vector<Option> options()
{
  return {flag("rb-b2b", "a batch only after the consumer has the last one"),
          flag("rb-use-output", "bpf_ringbuf_output() instead of reserve and submit"),
          number("rb-batch-cnt", 1, INT32_MAX, 500, "records of one run of the program"),
          flag("rb-sampled", "wake the consumer every rb-sample-rate records only"),
          number("rb-sample-rate", 0, INT32_MAX, 500, "records for one wake-up"),
          flag("rb-overwrite", "a full buffer loses its oldest records"),
          flag("rb-bench-producer", "no consumer")};
}

void validate_buffer(const Params &params)
{
  if (params.flag("rb-b2b") && params.producers > 1)
    throw usage_error("--rb-b2b makes sense for a single producer only");
  if (params.flag("rb-overwrite") && !params.flag("rb-bench-producer"))
    throw usage_error("--rb-overwrite needs --rb-bench-producer");
}

void refuse_producer_only(const Params &params)
{
  validate_buffer(params);
  if (params.flag("rb-bench-producer"))
    throw usage_error("--rb-bench-producer is for rb-libbpf only");
}

void validate_perf(const Params &params)
{
  refuse_producer_only(params);
  if (params.number("rb-sample-rate") > params.number("rb-batch-cnt"))
    throw usage_error("--rb-sample-rate: more than --rb-batch-cnt");
}

template <class Type>
Descriptor buffer(const char *name, const char *op, By by, uint32_t ops_per_run,
                  void (*validate)(const Params &))
{
  return {
      .name = name,
      .op = op,
      .report = hits_drops_report(),
      .options = options(),
      .ops_per_run = ops_per_run,
      .consumers = [](const Params &params) { return params.flag("rb-bench-producer") ? 0 : 1; },
      .validate = validate,
      .load = [=](const Params &params) { return std::make_unique<Type>(params, by); }};
}

// More than a ring holds, so that a producer may get ahead; a perf buffer wakes somebody each time.
constexpr uint32_t ring_ops = 100000, perf_ops = 1000;

const Register buffers{
    buffer<RingBuffer>("rb-libbpf", "one record through a ring buffer, read by libbpf", By::Libbpf,
                       ring_ops, validate_buffer),
    buffer<RingBuffer>("rb-custom", "one record through a ring buffer, read by hand", By::Hand,
                       ring_ops, refuse_producer_only),
    buffer<PerfBuffer>("pb-libbpf", "one record through a perf buffer, read by libbpf", By::Libbpf,
                       perf_ops, validate_perf),
    buffer<PerfBuffer>("pb-custom", "one record through a perf buffer, read by hand", By::Hand,
                       perf_ops, validate_perf),
};

} // namespace
