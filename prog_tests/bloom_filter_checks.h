// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Named claims about a bloom filter, made through an interface: the same ones hold by system call
// and by BPF helper, and must catch filters that are wrong on purpose.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "prog_tests/bloom_filter.h"

namespace bloom
{

class Ops {
public:
  virtual ~Ops() = default;
  virtual const bpf::MapSpec &spec() const = 0;
  // 0 or a negative errno. value: spec().value_size bytes.
  virtual int push(const Value &value, __u64 flags) = 0;
  // The value may not change, but the interface could do it.
  virtual int peek(Value &value) = 0;
};

using Maker = std::function<std::unique_ptr<Ops>(const bpf::MapSpec &)>;

std::unique_ptr<Ops> by_syscall(const bpf::MapSpec &spec);
// By the helpers. Value sizes up to BLOOM_RAW_MAX bytes.
std::unique_ptr<Ops> by_program(const bpf::MapSpec &spec);

// run gives back what is wrong, or nothing at all.
struct Check {
  const char *name;
  bpf::MapSpec spec;
  std::string (*run)(Ops &filter);
};

const std::vector<Check> &checks();

} // namespace bloom
