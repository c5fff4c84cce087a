// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/bench/runner.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "tools/lib/cpus.h"

namespace bench
{

using Clock = std::chrono::steady_clock;

static sigset_t ending_signals()
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

Signals::Signals()
{
  sigset_t set = ending_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  x_fd.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!x_fd)
    throw std::system_error(errno, std::generic_category(), "cannot make a signalfd");
}

Signals::~Signals()
{
  sigset_t set = ending_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

int Signals::pending()
{
  signalfd_siginfo info = {};
  if (read(x_fd.get(), &info, sizeof(info)) == sizeof(info))
    x_seen = static_cast<int>(info.ssi_signo);
  return x_seen;
}

Producers::Producers(Bench &bench, const Descriptor &descriptor, const std::vector<int> &cpus,
                     bool net)
    : x_bench(bench), x_descriptor(descriptor), x_net(net),
      x_failure_fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), x_totals(cpus.size())
{
  if (!x_failure_fd)
    throw std::system_error(errno, std::generic_category(), "cannot make an eventfd");
  for (unsigned i = 0; i < cpus.size(); i++)
    x_threads.emplace_back([this, i, cpu = cpus[i]] { work(i, cpu); });
}

Producers::~Producers()
{
  {
    std::lock_guard guard(x_lock);
    x_stop = true;
  }
  x_bench.stop();
  x_wake.notify_all();
  for (std::thread &thread : x_threads)
    thread.join();
}

// A producer's thread: pinned, then waiting for one epoch after the other.
void Producers::work(unsigned index, int cpu)
{
  try {
    pin_this_thread(cpu);
    for (uint64_t done = 0;;) {
      std::unique_lock lock(x_lock);
      x_wake.wait(lock, [&] { return x_stop || x_epoch != done; });
      if (x_stop)
        return;
      done = x_epoch;
      uint32_t ops = x_epoch_ops;
      lock.unlock();
      if (ops)
        add(index, x_bench.run(index, ops));
      else
        run_endless(index);
      lock.lock();
      if (--x_running == 0)
        x_done.notify_all();
    }
  } catch (...) {
    fail();
  }
}

void Producers::run_endless(unsigned index)
{
  uint32_t ops = x_descriptor.batched ? x_descriptor.ops_per_run : 1;
  while (!x_stop.load(std::memory_order_relaxed)) {
    add(index, x_bench.run(index, ops));
    if (!x_net)
      continue;
    if (auto base = x_bench.run_base(index, ops)) {
      Counts counts;
      counts.base_ops = base->ops();
      counts.base_ns = base->ns;
      add(index, counts);
    }
  }
}

void Producers::add(unsigned index, const Counts &counts)
{
  std::lock_guard guard(x_lock);
  x_totals[index] += counts;
}

void Producers::fail()
{
  {
    std::lock_guard guard(x_lock);
    if (!x_failure)
      x_failure = std::current_exception();
    x_stop = true;
    x_running = 0;
    uint64_t one = 1;
    if (write(x_failure_fd.get(), &one, sizeof(one)) < 0)
      abort(); // an eventfd that cannot be written is a broken kernel
  }
  x_bench.stop();
  x_wake.notify_all();
  x_done.notify_all();
}

void Producers::start_endless()
{
  std::lock_guard guard(x_lock);
  x_epoch_ops = 0;
  x_running = x_threads.size();
  x_epoch++;
  x_wake.notify_all();
}

Counts Producers::run_epoch(uint32_t nr_ops)
{
  auto before = totals();
  std::unique_lock lock(x_lock);
  // A producer that could not even start has ended for good.
  if (x_failure)
    std::rethrow_exception(x_failure);
  x_epoch_ops = nr_ops;
  x_running = x_threads.size();
  x_epoch++;
  x_wake.notify_all();
  x_done.wait(lock, [&] { return x_running == 0 || x_failure; });
  if (x_failure)
    std::rethrow_exception(x_failure);
  Counts done;
  for (size_t i = 0; i < before.size(); i++)
    done += x_totals[i] - before[i];
  return done;
}

std::vector<Counts> Producers::totals()
{
  std::lock_guard guard(x_lock);
  return x_totals;
}

void Producers::rethrow()
{
  std::lock_guard guard(x_lock);
  if (x_failure)
    std::rethrow_exception(x_failure);
}

std::vector<int> producer_cpus(unsigned producers, const std::vector<int> &explicit_list,
                               unsigned consumers)
{
  std::vector<int> from = explicit_list.empty() ? allowed_cpus() : explicit_list, cpus;
  if (!explicit_list.empty() && explicit_list.size() < producers)
    throw usage_error(
        fmt::format("Not enough CPUs specified, need CPU #{} or higher.", explicit_list.size()));
  for (unsigned i = explicit_list.empty() ? consumers : 0; cpus.size() < producers; i++)
    cpus.push_back(from[i % from.size()]);
  return cpus;
}

bool share_cpu(const std::vector<int> &cpus)
{
  auto sorted = cpus;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

Sample make_sample(const std::vector<Counts> &before, const std::vector<Counts> &after,
                   double interval_ns, bool shared_cpu, Readings readings)
{
  Sample sample;
  sample.interval_ns = interval_ns;
  sample.producers = static_cast<unsigned>(after.size());
  sample.readings = std::move(readings);
  for (size_t i = 0; i < after.size(); i++) {
    Counts done = after[i] - before[i];
    sample.counts += done;
    // A test run cannot be preempted: its own time leaves out that of the others on its CPU.
    double ns = shared_cpu ? interval_ns : static_cast<double>(done.ns);
    if (ns > 0) {
      sample.hit_rate += done.hits / ns;
      sample.drop_rate += done.drops / ns;
    }
  }
  return sample;
}

// Sleeps until the deadline. False when a signal or a failed producer ends the measuring first.
static bool sleep_until(Clock::time_point deadline, Producers &producers, Signals &signals)
{
  while (!signals.pending()) {
    auto left = deadline - Clock::now();
    if (left <= left.zero())
      return true;
    auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    timespec timeout = {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
    pollfd fds[] = {{signals.fd(), POLLIN, 0}, {producers.failure_fd(), POLLIN, 0}};
    if (ppoll(fds, 2, &timeout, nullptr) < 0 && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot poll");
    producers.rethrow();
  }
  return false;
}

Ending measure(Bench &bench, Producers &producers, Signals &signals, bool shared_cpu,
               std::chrono::nanoseconds interval,
               const std::function<bool(unsigned, const Sample &)> &tick)
{
  producers.start_endless();
  auto before = producers.totals();
  auto start = Clock::now(), last = start;
  for (unsigned i = 0;; i++) {
    // Deadlines are counted from the start, so that one late tick does not shift the others.
    if (!sleep_until(start + (i + 1) * interval, producers, signals))
      return Ending::Interrupted;
    auto after = producers.totals();
    auto now = Clock::now();
    double ns = std::chrono::duration<double, std::nano>(now - last).count();
    if (!tick(i, make_sample(before, after, ns, shared_cpu, bench.readings())))
      return Ending::Complete;
    before = std::move(after);
    last = now;
  }
}

} // namespace bench
