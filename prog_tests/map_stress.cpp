// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The threads of map_stress.h, and the comparison of their counts with the map.
#include "prog_tests/map_stress.h"

#include <atomic>
#include <exception>
#include <thread>

namespace map_test
{

void run_threads(const std::vector<std::function<void()>> &bodies)
{
  std::vector<std::exception_ptr> thrown(bodies.size());
  std::atomic<bool> go{false};
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < bodies.size(); i++)
      threads.emplace_back([&, i] {
        go.wait(false);
        try {
          bodies[i]();
        } catch (...) {
          thrown[i] = std::current_exception();
        }
      });
    go = true;
    go.notify_all();
  }
  for (const std::exception_ptr &exception : thrown)
    if (exception)
      std::rethrow_exception(exception);
}

template <class T> static void add(T &counter, T amount = 1)
{
  std::atomic_ref<T>(counter).fetch_add(amount);
}

static stress_key key_of(uint32_t number) { return {32, number}; }

Stress::Stress(bpf::MapSpec spec) : x_skel("map_stress")
{
  spec.key_size = sizeof(stress_key);
  shape_map(x_skel->maps.map, spec);
  x_skel.load();
}

void Stress::note(int err)
{
  if (err == -E2BIG || err == -ENOSPC) {
    add(shared().full);
  } else if (err == -EBUSY || err == -EDEADLK || err == -ETIMEDOUT) {
    add(shared().busy);
  } else if (err != -EEXIST && err != -ENOENT) {
    add(shared().unexpected);
    shared().last_error = err;
  }
}

int Stress::insert(uint32_t number, uint64_t flags)
{
  stress_key key = key_of(number);
  uint64_t value = static_cast<uint64_t>(number) << 32;
  int err = bpf_map_update_elem(fd(), &key, &value, flags);
  if (err)
    note(err);
  else
    add(shared().inserted[number]);
  return err;
}

int Stress::erase(uint32_t number)
{
  stress_key key = key_of(number);
  int err = bpf_map_delete_elem(fd(), &key);
  if (err)
    note(err);
  else
    add(shared().erased[number]);
  return err;
}

uint64_t Stress::value(uint32_t number)
{
  stress_key key = key_of(number);
  uint64_t value = absent;
  int err = bpf_map_lookup_elem(fd(), &key, &value);
  if (err)
    note(err);
  return value;
}

uint32_t Stress::size()
{
  stress_key key;
  uint32_t entries = 0;
  int err = bpf_map_get_next_key(fd(), nullptr, &key);
  while (!err && entries <= 2 * STRESS_MAX_KEYS) {
    entries++;
    err = bpf_map_get_next_key(fd(), &key, &key);
  }
  return entries;
}

int Stress::run(bpf_program *program, const stress_args &args)
{
  int verdict = run_xdp(bpf_program__fd(program), &args, sizeof(args));
  if (verdict)
    throw bpf::error("run program", bpf_program__name(program), verdict);
  return verdict;
}

std::function<void()> Stress::mixed_by_syscall(uint32_t nr_ops, uint32_t nr_keys, uint32_t seed)
{
  return [=, this] {
    model::Random random(seed);
    for (uint32_t i = 0; i < nr_ops; i++) {
      uint32_t number = static_cast<uint32_t>(random.below(nr_keys));
      uint64_t dice = random.below(10);
      if (dice < 4)
        insert(number);
      else if (dice < 8)
        erase(number);
      else if (uint64_t found = value(number); found != absent && found >> 32 != number)
        add(shared().foreign);
    }
  };
}

std::function<void()> Stress::mixed_by_bpf(uint32_t nr_ops, uint32_t nr_keys, uint32_t seed)
{
  return [=, this] {
    constexpr uint32_t at_once = 500; // so that the threads interleave, also on one CPU
    for (uint32_t done = 0; done < nr_ops; done += at_once)
      run(x_skel->progs.mixed, {at_once, 0, nr_keys, seed + done + 1});
  };
}

std::function<void()> Stress::insert_by_syscall(uint32_t first, uint32_t nr)
{
  return [=, this] {
    for (uint32_t i = 0; i < nr; i++)
      insert(first + i);
  };
}

std::function<void()> Stress::insert_by_bpf(uint32_t first, uint32_t nr)
{
  return [=, this] {
    constexpr uint32_t at_once = 10000; // a program holds its CPU until it is done
    for (uint32_t done = 0; done < nr; done += at_once)
      run(x_skel->progs.insert_all, {std::min(at_once, nr - done), first + done, nr, 1});
  };
}

std::function<void()> Stress::erase_by_bpf(uint32_t first, uint32_t nr)
{
  return [=, this] { run(x_skel->progs.erase_all, {nr, first, nr, 1}); };
}

std::function<void()> Stress::overwrite_by_bpf(uint32_t nr_ops, uint32_t nr_keys)
{
  return [=, this] { run(x_skel->progs.overwrite_all, {nr_ops, 0, nr_keys, 1}); };
}

std::function<void()> Stress::add_by_bpf(uint32_t nr_ops, uint32_t nr_keys)
{
  return [=, this] { run(x_skel->progs.add_all, {nr_ops, 0, nr_keys, 1}); };
}

std::function<void()> Stress::iterate(uint32_t nr_steps)
{
  return [=, this] {
    stress_key key;
    int err = -ENOENT;
    for (uint32_t i = 0; i < nr_steps; i++) {
      err = bpf_map_get_next_key(fd(), err ? nullptr : &key, &key);
      if (err && err != -ENOENT)
        note(err);
    }
  };
}

std::function<void()> Stress::read_batches(uint32_t nr_batches, uint32_t step)
{
  return [=, this] {
    std::vector<stress_key> keys(step);
    std::vector<uint64_t> values(step);
    stress_key position;
    void *in = nullptr;
    for (uint32_t i = 0; i < nr_batches; i++) {
      uint32_t count = step;
      int err =
          bpf_map_lookup_batch(fd(), in, &position, keys.data(), values.data(), &count, nullptr);
      // -EINTR: the trie's batch gives up where the next key vanished three times.
      if (err && err != -ENOENT && err != -ENOSPC && err != -EINTR)
        note(err);
      for (uint32_t at = 0; !err && at < count; at++)
        if (values[at] >> 32 != keys[at].number)
          add(x_foreign_in_batch);
      in = err ? nullptr : &position;
    }
  };
}

uint32_t Stress::check_counts(uint32_t nr_keys)
{
  uint32_t expected = 0, wrong = 0;
  for (uint32_t number = 0; number < nr_keys; number++) {
    uint32_t held = counts().inserted[number] - counts().erased[number];
    expected += held;
    wrong += held != (value(number) != absent);
  }
  CHECK_EQ(wrong, 0u);
  CHECK_EQ(size(), expected);
  CHECK_EQ(counts().unexpected, 0u);
  CHECK_EQ(counts().last_error, 0);
  CHECK_EQ(x_foreign_in_batch, 0u);
  test::log(fmt::format("{} entries, {} full, {} busy, {} foreign", expected, counts().full,
                        counts().busy, counts().foreign));
  return expected;
}

} // namespace map_test
