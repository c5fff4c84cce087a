// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/record_reader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "progs/ringbuf_bench.h"
#include "tools/lib/bpf_error.h"
#include "tools/lib/fd.h"

namespace bench
{

namespace
{

void check_os(bool fine, const char *operation)
{
  if (!fine)
    throw std::system_error(errno, std::generic_category(), operation);
}

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

// Shared memory of a descriptor.
class Mapping {
public:
  Mapping(int fd, size_t offset, size_t bytes, int protection)
      : x_bytes(bytes),
        x_start(mmap(nullptr, bytes, protection, MAP_SHARED, fd, static_cast<off_t>(offset)))
  {
    check_os(x_start != MAP_FAILED, "cannot map a buffer");
  }
  Mapping(Mapping &&other) noexcept : x_bytes(other.x_bytes), x_start(other.x_start)
  {
    other.x_start = MAP_FAILED;
  }
  ~Mapping()
  {
    if (x_start != MAP_FAILED)
      munmap(x_start, x_bytes);
  }
  Mapping &operator=(Mapping &&) = delete;
  uint8_t *at(size_t offset) const { return static_cast<uint8_t *>(x_start) + offset; }

private:
  size_t x_bytes;
  void *x_start;
};

uint64_t load_acquire(const uint8_t *at)
{
  return __atomic_load_n(reinterpret_cast<const uint64_t *>(at), __ATOMIC_ACQUIRE);
}

void store_release(uint8_t *at, uint64_t value)
{
  __atomic_store_n(reinterpret_cast<uint64_t *>(at), value, __ATOMIC_RELEASE);
}

size_t page_size() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

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
      : x_received(received), x_mask(bytes - 1), x_page(page_size()),
        x_consumer(map_fd, 0, x_page, PROT_READ | PROT_WRITE),
        x_producer(map_fd, x_page, x_page + 2 * bytes, PROT_READ),
        x_epoll(epoll_create1(EPOLL_CLOEXEC))
  {
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
    uint64_t first = load_acquire(x_consumer.at(0)), position = first;
    uint64_t end = load_acquire(x_producer.at(0));
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
      store_release(x_consumer.at(0), position);
    }
    return position != first;
  }

  Received &x_received;
  uint64_t x_mask;
  size_t x_page;
  Mapping x_consumer, x_producer;
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
void count_sample(Received &received, const perf_event_header *header)
{
  if (header->type == PERF_RECORD_SAMPLE)
    count(received, reinterpret_cast<const uint8_t *>(header + 1) + sizeof(uint32_t));
}

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
    count_sample(*static_cast<Received *>(context), header);
    return LIBBPF_PERF_EVENT_CONT;
  }

  std::unique_ptr<perf_buffer, void (*)(perf_buffer *)> x_buffer;
};

// The buffer of one CPU (perf_event_open(2), "MMAP layout").
class PerfOfCpu {
public:
  PerfOfCpu(int cpu, size_t pages, perf_event_attr attributes, Received &received)
      : x_received(received), x_mask(pages * page_size() - 1),
        x_event(static_cast<int>(
            syscall(SYS_perf_event_open, &attributes, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC))),
        x_memory(x_event.get(), 0, (pages + 1) * page_size(), PROT_READ | PROT_WRITE)
  {
    check_os(ioctl(x_event.get(), PERF_EVENT_IOC_ENABLE, 0) == 0, "cannot enable a perf buffer");
  }
  int fd() const { return x_event.get(); }
  void take()
  {
    uint64_t tail = load_acquire(x_memory.at(offsetof(perf_event_mmap_page, data_tail)));
    uint64_t head = load_acquire(x_memory.at(offsetof(perf_event_mmap_page, data_head)));
    while (tail != head) {
      perf_event_header header;
      copy(tail, &header, sizeof(header));
      uint8_t record[sizeof(header) + sizeof(uint32_t) + sizeof(uint64_t)];
      copy(tail, record, std::min<size_t>(header.size, sizeof(record)));
      if (header.size >= sizeof(record))
        count_sample(x_received, reinterpret_cast<perf_event_header *>(record));
      tail += header.size;
    }
    store_release(x_memory.at(offsetof(perf_event_mmap_page, data_tail)), tail);
  }

private:
  // A record may go on at the beginning of the buffer, at a multiple of 8 bytes.
  void copy(uint64_t position, void *to, size_t bytes) const
  {
    size_t start = position & x_mask, first = std::min(bytes, x_mask + 1 - start);
    memcpy(to, x_memory.at(page_size() + start), first);
    memcpy(static_cast<uint8_t *>(to) + first, x_memory.at(page_size()), bytes - first);
  }

  Received &x_received;
  size_t x_mask;
  Fd x_event;
  Mapping x_memory;
};

class PerfByHand : public RecordReader {
public:
  PerfByHand(int map_fd, size_t pages, uint32_t wakeup_records, Received &received)
      : x_epoll(epoll_create1(EPOLL_CLOEXEC))
  {
    check_os(bool(x_epoll), "cannot wait for perf buffers");
    int cpus = bpf::check(libbpf_num_possible_cpus(), "count", "CPUs");
    for (int cpu = 0; cpu < cpus; cpu++) {
      try {
        x_buffers.push_back(
            std::make_unique<PerfOfCpu>(cpu, pages, perf_attributes(wakeup_records), received));
      } catch (const std::system_error &error) {
        continue; // a CPU that is offline; a record there would be an error of the program
      }
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
      static_cast<PerfOfCpu *>(events[i].data.ptr)->take();
    if (ready <= 0)
      for (auto &buffer : x_buffers)
        buffer->take();
  }

private:
  std::vector<std::unique_ptr<PerfOfCpu>> x_buffers;
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
