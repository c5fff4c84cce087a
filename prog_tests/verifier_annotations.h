// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What progs/expect.bpf.h writes at a program: read back from the object's BTF, and held against
// what the verifier said.
#pragma once

#include <bpf/libbpf.h>

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace verifier
{

struct KernelVersion {
  unsigned major = 0, minor = 0;
  auto operator<=>(const KernelVersion &) const = default;
};

// "6.18.44-generic" -> 6.18; what does not begin with a number is 0.0.
KernelVersion parse_version(std::string_view text);
KernelVersion running_kernel();

// One way in which a load may end on kernels from .. before.
struct Expectation {
  bool accepted;
  KernelVersion from, before;
  int err = 0;      // positive errno of the refusal
  std::string text; // part of the refusal's log
};

struct Annotations {
  std::vector<Expectation> expectations;
  bool without_perfmon = false;
  std::string frozen_map; // empty: none
};

// tags: the texts of btf_decl_tag, with or without ours among them. Throws std::invalid_argument
// on one of ours that is not of the form.
Annotations parse(const std::vector<std::string> &tags);
// Of a program of an opened object.
Annotations annotations_of(const bpf_object *object, const bpf_program *prog);

struct Outcome {
  int err; // 0 or a positive errno
  std::string log;
};

// Those of the expectations that hold for the kernel.
std::vector<Expectation> holding(const std::vector<Expectation> &all, KernelVersion kernel);
// What is wrong with the outcome when one of the expectations must come true; nothing if none is.
std::optional<std::string> judge(const std::vector<Expectation> &expectations,
                                 const Outcome &outcome);

} // namespace verifier
