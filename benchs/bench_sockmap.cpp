// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// sockmap: TCP data that a program passes on or sends to another socket. One hit is one byte that
// the consumer received and found right. c1 is connected to p1, c2 to p2; the consumer reads c2.
//   rx-verdict-*: c1 sends; the program on p1 moves it out of p2, or into the queue of c2
//   tx-verdict-*: p1 sends and the program moves it out of p2; p2 sends and it goes to c2's queue
//   rx-pass, tx-pass: p2 sends, the program lets pass; *-normal: no program (rx: a thread copies)
// What makes a figure wrong: a producer and a consumer on one CPU.
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "tools/bench/pinned_thread.h"
#include "tools/bench/test_run_bench.h"
#include "tools/bench/upstream_reports.h"
#include "tools/bench/wall_clock.h"
#include "tools/lib/fd.h"
#include "tools/lib/os_error.h"
#include "tools/lib/probe.h"

// After the header that defines its structs.
#include "sockmap_bench.skel.h"

namespace
{

using namespace bench;
using Clock = std::chrono::steady_clock;
using Programs = decltype(sockmap_bench::progs);

constexpr size_t file_bytes = 128 * 1024, period = 10; // of the data: 0, 1, ... 9

// Ends of the two connections.
enum Socket { c1, p1, c2, p2, nr_sockets };

struct Mode {
  const char *option;
  Socket sender;
  bpf_program *Programs::*prog; // null: none
  bpf_attach_type attach;
  int first, second; // sockets in the map, -1 for none
  uint64_t flags;
};

constexpr auto rx = BPF_SK_SKB_STREAM_VERDICT, tx = BPF_SK_MSG_VERDICT;
constexpr std::array modes{
    // The default first; where several are given, the first of this list counts that is not it.
    Mode{"rx-verdict-egress", c1, &Programs::skb_redirect, rx, p1, p2, 0},
    Mode{"rx-verdict-ingress", c1, &Programs::skb_redirect, rx, p1, c2, BPF_F_INGRESS},
    Mode{"rx-pass", p2, &Programs::skb_pass, rx, c2, -1, 0},
    Mode{"rx-normal", c1, nullptr, rx, -1, -1, 0},
    Mode{"tx-verdict-egress", p1, &Programs::msg_redirect, tx, p1, p2, 0},
    Mode{"tx-verdict-ingress", p2, &Programs::msg_redirect, tx, p2, c2, BPF_F_INGRESS},
    Mode{"tx-pass", p2, &Programs::msg_pass, tx, p2, c2, 0},
    Mode{"tx-normal", p2, nullptr, tx, -1, -1, 0},
};

const Mode &mode_of(const Params &params)
{
  for (const Mode &mode : modes)
    if (params.flag(mode.option) && &mode != &modes.front())
      return mode;
  return modes.front();
}

class Connections {
public:
  Connections()
  {
    Fd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto *any = reinterpret_cast<sockaddr *>(&address);
    check_os(listener && bind(listener.get(), any, size) == 0 && listen(listener.get(), 2) == 0 &&
                 getsockname(listener.get(), any, &size) == 0,
             "cannot listen on 127.0.0.1");
    for (int pair : {c1, c2}) {
      x_sockets[pair].reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      check_os(x_sockets[pair] && connect(x_sockets[pair].get(), any, size) == 0,
               "cannot connect to 127.0.0.1");
      x_sockets[pair + 1].reset(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
      check_os(bool(x_sockets[pair + 1]), "cannot accept a connection");
    }
  }
  int operator[](int which) const { return x_sockets[which].get(); }
  // What waits in a thread wakes up.
  void shut()
  {
    for (const Fd &socket : x_sockets)
      shutdown(socket.get(), SHUT_RDWR);
  }

private:
  std::array<Fd, nr_sockets> x_sockets;
};

class Sockmap : public Bench {
public:
  explicit Sockmap(const Params &params)
      : x_mode(mode_of(params)), x_delay(params.number("delay-consumer")),
        x_duration(params.number("producer-duration")), x_skel("sockmap_bench")
  {
    probe::require(probe::map_sockmap);
    make_file();
    attach(static_cast<uint32_t>(params.number("rx-strp")));
    int sender = x_sockets[x_mode.sender];
    check_os(fcntl(sender, F_SETFL, fcntl(sender, F_GETFL) | O_NONBLOCK) == 0,
             "cannot make a socket non-blocking");
    // The second consumer reads, so that with two CPUs the producer has the other one.
    start(params.consumer_cpus.at(1), [this](const std::stop_token &stop) { receive(stop); });
    if (x_mode.option == std::string("rx-normal"))
      start(params.consumer_cpus.at(0), [this](const std::stop_token &stop) { copy(stop); });
  }
  ~Sockmap() override
  {
    for (auto &thread : x_threads)
      thread->stop();
    x_sockets.shut();
  }

  Counts run(unsigned, uint32_t nr_ops) override
  {
    uint64_t start = now_ns();
    if (x_duration.count() && Clock::now() - x_started > x_duration) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      return {};
    }
    send(nr_ops);
    uint64_t whole = x_sent / x_message * x_message; // the rest waits in the parser
    wait_for(whole);
    Counts counts;
    counts.hits = whole - x_counted;
    x_counted = whole;
    counts.ns = now_ns() - start;
    counts.ns += wait_injected(counts.ns, x_inject_q20);
    return counts;
  }

  Readings readings() override
  {
    return x_growth.since_last(
        {{"sent", x_sent},
         {"sends", x_sends},
         {"received", x_received},
         {"receives", x_receives},
         {"processed", __atomic_load_n(&x_skel->bss->processed, __ATOMIC_RELAXED)}});
  }

  std::string bytecode() const override
  {
    return x_mode.prog ? program_tag(x_skel->progs.*x_mode.prog) : "";
  }
  void set_inject_q20(uint64_t q20) override { x_inject_q20 = q20; }
  InjectionCost measure_injection() override { return {0, 1}; }

private:
  void make_file()
  {
    x_file.reset(memfd_create("bpfgate", MFD_CLOEXEC));
    std::vector<uint8_t> data(file_bytes);
    for (size_t i = 0; i < data.size(); i++)
      data[i] = i % period;
    check_os(x_file && write(x_file.get(), data.data(), data.size()) == ssize_t(data.size()),
             "cannot make a file to send");
  }

  void attach(uint32_t message_bytes)
  {
    if (!x_mode.prog)
      return x_skel.load_only({});
    bpf_program *prog = x_skel->progs.*x_mode.prog;
    bpf_program *parser = message_bytes && x_mode.attach == rx ? x_skel->progs.parse : nullptr;
    x_skel->rodata->redirect_flags = x_mode.flags;
    x_skel->rodata->message_bytes = message_bytes;
    x_message = parser ? message_bytes : 1;
    x_skel.load_only({prog, parser});
    int map = bpf_map__fd(x_skel->maps.sockets);
    if (parser) {
      int error = bpf_prog_attach(bpf_program__fd(parser), map, BPF_SK_SKB_STREAM_PARSER, 0);
      if (error == -EOPNOTSUPP)
        throw bpf::missing("this kernel has no stream parser (CONFIG_BPF_STREAM_PARSER)");
      bpf::check(error, "attach BPF program", "parse");
    }
    bpf::check(bpf_prog_attach(bpf_program__fd(prog), map, x_mode.attach, 0), "attach BPF program",
               bpf_program__name(prog));
    put(0, x_mode.first);
    put(1, x_mode.second);
  }

  void put(int index, int which)
  {
    if (which < 0)
      return;
    int fd = x_sockets[which];
    bpf::check(bpf_map_update_elem(bpf_map__fd(x_skel->maps.sockets), &index, &fd, BPF_NOEXIST),
               "put into map", "sockets");
  }

  void start(int cpu, std::function<void(const std::stop_token &)> work)
  {
    x_threads.push_back(std::make_unique<PinnedThread>(cpu, std::move(work)));
  }

  void send(uint64_t bytes)
  {
    while (bytes) {
      x_sends++;
      off_t offset = x_offset;
      ssize_t sent = sendfile(x_sockets[x_mode.sender], x_file.get(), &offset,
                              std::min<uint64_t>(bytes, file_bytes - x_offset));
      if (sent > 0) {
        x_sent += static_cast<uint64_t>(sent);
        bytes -= static_cast<uint64_t>(sent);
        x_offset = (x_offset + sent) % file_bytes;
        continue;
      }
      check_os(errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS, "cannot send");
      rethrow();
      std::this_thread::yield();
    }
  }

  void receive(const std::stop_token &stop)
  {
    std::this_thread::sleep_for(x_delay);
    std::vector<uint8_t> buffer(file_bytes);
    for (size_t position = 0;;) {
      x_receives++;
      ssize_t length = read(x_sockets[c2], buffer.data(), buffer.size());
      if (stop.stop_requested())
        return;
      if (length < 0 && (errno == EAGAIN || errno == EINTR))
        continue;
      check_os(length > 0, "cannot receive");
      for (ssize_t i = 0; i < length; i++, position = (position + 1) % file_bytes)
        if (buffer[i] != position % period)
          throw std::runtime_error("the consumer received other bytes than were sent");
      x_received += static_cast<uint64_t>(length);
    }
  }

  void copy(const std::stop_token &stop)
  {
    std::vector<uint8_t> buffer(file_bytes);
    while (true) {
      ssize_t length = read(x_sockets[p1], buffer.data(), buffer.size());
      if (stop.stop_requested())
        return;
      check_os(length > 0, "cannot receive");
      for (ssize_t done = 0; done < length;) {
        ssize_t sent = ::send(x_sockets[p2], buffer.data() + done, length - done, MSG_NOSIGNAL);
        if (stop.stop_requested())
          return;
        check_os(sent > 0, "cannot send");
        done += sent;
      }
    }
  }

  void wait_for(uint64_t bytes)
  {
    auto deadline = Clock::now() + std::chrono::seconds(30) + x_delay;
    while (x_received < bytes) {
      rethrow();
      if (Clock::now() > deadline)
        throw std::runtime_error(
            fmt::format("the consumer received {} of {} bytes", x_received.load(), bytes));
      std::this_thread::yield(); // it may be on this CPU
    }
  }

  void rethrow() const
  {
    for (const auto &thread : x_threads)
      thread->check();
  }

  const Mode &x_mode;
  std::chrono::seconds x_delay, x_duration;
  Clock::time_point x_started = Clock::now();
  Connections x_sockets;
  bpf::Skeleton<sockmap_bench> x_skel;
  Fd x_file;
  off_t x_offset = 0;                    // of what is sent next
  uint64_t x_message = 1, x_counted = 0; // bytes of a message; bytes that are hits already
  std::atomic<uint64_t> x_sent{0}, x_sends{0}, x_received{0}, x_receives{0};
  Growth x_growth;
  uint64_t x_inject_q20 = 0;
  std::vector<std::unique_ptr<PinnedThread>> x_threads; // last, so that they end first
};

std::vector<Option> options()
{
  std::vector<Option> all;
  for (const Mode &mode : modes)
    all.push_back(flag(mode.option, "where the program is, and what it does"));
  all.push_back(number("rx-strp", 0, INT32_MAX, 0, "bytes of a message, for a parser before it"));
  all.push_back(number("delay-consumer", 0, 3600, 0, "seconds before the consumer reads"));
  all.push_back(number("producer-duration", 0, INT32_MAX, 0, "seconds until the producer stops"));
  return all;
}

const Register sockmap{{
    .name = "sockmap",
    .op = "one byte through TCP sockets and a program between them",
    .report = sockmap_report(),
    .options = options(),
    .ops_per_run = 1 << 20,
    .consumers = [](const Params &) { return 2; },
    .validate = [](const Params &params) { require_one_producer(params, "sockmap"); },
    .load = [](const Params &params) { return std::make_unique<Sockmap>(params); },
}};

} // namespace
