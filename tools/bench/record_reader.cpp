// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/record_reader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "progs/ringbuf_bench.h"
#include "tools/lib/bpf_error.h"
#include "tools/lib/fd.h"
#include "tools/lib/os_error.h"
#include "tools/lib/perf_ring.h"

namespace bench
{

namespace
{

// What libbpf's poll functions return.
void check_poll(int result, const char *operation)
{
  if (result < 0 && result != -EINTR)
    throw std::system_error(-result, std::generic_category(), operation);
}

// The one thread that writes these reads no other's.
void count(Received &received, const void *record)
{
  uint64_t value;
  memcpy(&value, record, sizeof(value));
  auto add = [](std::atomic<uint64_t> &to) {
    to.store(to.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  };
  if (value != RINGBUF_RECORD)
    add(received.wrong);
  add(received.records);
}

class RingByLibbpf : public RecordReader {
public:
  RingByLibbpf(int map_fd, Received &received)
      : x_ring(ring_buffer__new(map_fd, on_record, &received, nullptr), ring_buffer__free)
  {
    if (!x_ring)
      throw bpf::error("make reader of", "ring buffer", errno);
  }
  void wait(int timeout_ms) override
  {
    int taken = ring_buffer__poll(x_ring.get(), timeout_ms);
    check_poll(taken, "poll the ring buffer");
    if (taken == 0)
      check_poll(ring_buffer__consume(x_ring.get()), "read the ring buffer");
  }

private:
  static int on_record(void *context, void *data, size_t)
  {
    count(*static_cast<Received *>(context), data);
    return 0;
  }

  std::unique_ptr<ring_buffer, void (*)(ring_buffer *)> x_ring;
};

// Documentation/bpf/ringbuf.rst: a page of the consumer's position, one of the producer's, then the
// data, mapped twice in a row.
class RingByHand : public RecordReader {
public:
  RingByHand(int map_fd, size_t bytes, Received &received)
      : x_received(received), x_mask(bytes - 1), x_page(static_cast<size_t>(sysconf(_SC_PAGESIZE))),
        x_consumer(map_fd, 0, x_page, PROT_READ | PROT_WRITE),
        x_producer(map_fd, x_page, x_page + 2 * bytes, PROT_READ),
        x_epoll(epoll_create1(EPOLL_CLOEXEC))
  {
    check_os(x_consumer && x_producer, "cannot map a buffer");
    epoll_event event = {.events = EPOLLIN, .data = {}};
    check_os(x_epoll && epoll_ctl(x_epoll.get(), EPOLL_CTL_ADD, map_fd, &event) == 0,
             "cannot wait for a ring buffer");
  }
  void wait(int timeout_ms) override
  {
    epoll_event event;
    check_os(epoll_wait(x_epoll.get(), &event, 1, timeout_ms) >= 0 || errno == EINTR,
             "cannot wait for a ring buffer");
    while (take())
      ;
  }

private:
  // False where nothing was there.
  bool take()
  {
    uint64_t first = x_consumer.load_acquire(0), position = first;
    uint64_t end = x_producer.load_acquire(0);
    while (position < end) {
      const uint8_t *header = x_producer.at(x_page + (position & x_mask));
      uint32_t length =
          __atomic_load_n(reinterpret_cast<const uint32_t *>(header), __ATOMIC_ACQUIRE);
      if (length & BPF_RINGBUF_BUSY_BIT)
        break;
      if (!(length & BPF_RINGBUF_DISCARD_BIT))
        count(x_received, header + BPF_RINGBUF_HDR_SZ);
      length &= ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
      position += (length + BPF_RINGBUF_HDR_SZ + 7) / 8 * 8;
      x_consumer.store_release(0, position);
    }
    return position != first;
  }

  Received &x_received;
  uint64_t x_mask;
  size_t x_page;
  SharedMemory x_consumer, x_producer;
  Fd x_epoll;
};

perf_event_attr perf_attributes(uint32_t wakeup_records)
{
  perf_event_attr attributes = {};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_BPF_OUTPUT;
  attributes.sample_type = PERF_SAMPLE_RAW;
  attributes.sample_period = 1;
  attributes.wakeup_events = wakeup_records;
  return attributes;
}

// A sample is its header, the length of the raw data, and these.
constexpr size_t raw_data_at = sizeof(perf_event_header) + sizeof(uint32_t);

class PerfByLibbpf : public RecordReader {
public:
  PerfByLibbpf(int map_fd, size_t pages, uint32_t wakeup_records, Received &received)
      : x_buffer(nullptr, perf_buffer__free)
  {
    perf_event_attr attributes = perf_attributes(wakeup_records);
    x_buffer.reset(perf_buffer__new_raw(map_fd, pages, &attributes, on_event, &received, nullptr));
    if (!x_buffer)
      throw bpf::error("make reader of", "perf buffer", errno);
  }
  void wait(int timeout_ms) override
  {
    int buffers = perf_buffer__poll(x_buffer.get(), timeout_ms);
    check_poll(buffers, "poll the perf buffers");
    if (buffers == 0)
      check_poll(perf_buffer__consume(x_buffer.get()), "read the perf buffers");
  }

private:
  static bpf_perf_event_ret on_event(void *context, int, perf_event_header *header)
  {
    if (header->type == PERF_RECORD_SAMPLE)
      count(*static_cast<Received *>(context), reinterpret_cast<uint8_t *>(header) + raw_data_at);
    return LIBBPF_PERF_EVENT_CONT;
  }

  std::unique_ptr<perf_buffer, void (*)(perf_buffer *)> x_buffer;
};

// All that is in the buffer of one CPU.
void take_samples(PerfRing &ring, Received &received)
{
  ring.take_all([&](const perf_event_header &header, auto copy) {
    uint8_t record[raw_data_at + sizeof(uint64_t)];
    if (header.type != PERF_RECORD_SAMPLE || header.size < sizeof(record))
      return;
    copy(record, sizeof(record));
    count(received, record + raw_data_at);
  });
}

class PerfByHand : public RecordReader {
public:
  PerfByHand(int map_fd, size_t pages, uint32_t wakeup_records, Received &received)
      : x_received(received), x_epoll(epoll_create1(EPOLL_CLOEXEC))
  {
    check_os(bool(x_epoll), "cannot wait for perf buffers");
    int cpus = bpf::check(libbpf_num_possible_cpus(), "count", "CPUs");
    for (int cpu = 0; cpu < cpus; cpu++) {
      auto ring = std::make_unique<PerfRing>(perf_attributes(wakeup_records), cpu, pages);
      if (!*ring || ioctl(ring->fd(), PERF_EVENT_IOC_ENABLE, 0) < 0)
        continue; // a CPU that is offline; a record there would be an error of the program
      x_buffers.push_back(std::move(ring));
      int fd = x_buffers.back()->fd();
      bpf::check(bpf_map_update_elem(map_fd, &cpu, &fd, BPF_ANY), "fill map", "perfbuf");
      epoll_event event = {.events = EPOLLIN, .data = {.ptr = x_buffers.back().get()}};
      check_os(epoll_ctl(x_epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0,
               "cannot wait for perf buffers");
    }
  }
  void wait(int timeout_ms) override
  {
    epoll_event events[16];
    int ready = epoll_wait(x_epoll.get(), events, 16, timeout_ms);
    check_os(ready >= 0 || errno == EINTR, "cannot wait for perf buffers");
    for (int i = 0; i < ready; i++)
      take_samples(*static_cast<PerfRing *>(events[i].data.ptr), x_received);
    if (ready <= 0)
      for (auto &buffer : x_buffers)
        take_samples(*buffer, x_received);
  }

private:
  Received &x_received;
  std::vector<std::unique_ptr<PerfRing>> x_buffers;
  Fd x_epoll;
};

} // namespace

std::unique_ptr<RecordReader> ring_by_libbpf(int map_fd, Received &received)
{
  return std::make_unique<RingByLibbpf>(map_fd, received);
}

std::unique_ptr<RecordReader> ring_by_hand(int map_fd, size_t bytes, Received &received)
{
  return std::make_unique<RingByHand>(map_fd, bytes, received);
}

std::unique_ptr<RecordReader> perf_by_libbpf(int map_fd, size_t pages, uint32_t wakeup_records,
                                             Received &received)
{
  return std::make_unique<PerfByLibbpf>(map_fd, pages, wakeup_records, received);
}

std::unique_ptr<RecordReader> perf_by_hand(int map_fd, size_t pages, uint32_t wakeup_records,
                                           Received &received)
{
  return std::make_unique<PerfByHand>(map_fd, pages, wakeup_records, received);
}

} // namespace bench
