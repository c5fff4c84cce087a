// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the bpf_strncmp tests share: one comparison as data, and who carries it out. The helper's
// target is constant data, so the kernel's comparison loads a program for each target.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "progs/strncmp.h"
#include "strncmp.skel.h"
#include "tools/lib/skeleton.h"

namespace strncmp_test
{

// The skeleton has the name of a function of the C library.
using Skel = bpf::Skeleton<struct strncmp>;

// bpf_strncmp(s1, size, target). Bytes of any value; s1 is given in size bytes, and target ends at
// its first NUL or at its end. Both lie at an offset of 0 to 15 from an aligned address.
struct Case {
  std::string s1;
  std::string target; // at most STRNCMP_MAX bytes
  uint32_t size;      // 1 to STRNCMP_MAX, at most s1.size()
  uint32_t s1_offset = 0;
  uint32_t target_offset = 0;
};

std::string show(const Case &c);

inline int sign(int64_t value) { return (value > 0) - (value < 0); }

// What the C library says: only the sign means something.
inline int expected(const Case &c)
{
  return sign(::strncmp(c.s1.c_str(), c.target.c_str(), c.size));
}

// Carries comparisons out. The result is the raw one of the helper.
class Comparer {
public:
  virtual ~Comparer() = default;
  virtual int64_t compare(const Case &c) = 0;
};

// The helper itself. Throws bpf::error when it cannot be run.
class Kernel : public Comparer {
public:
  int64_t compare(const Case &c) override;

private:
  void load(const Case &c);

  std::unique_ptr<Skel> x_skel;
  std::string x_target; // of the loaded program
  uint32_t x_target_offset = 0;
};

// Runs one XDP program of progs/strncmp.c: what it left in result.
int64_t run(Skel &skel, const bpf_program *prog);

} // namespace strncmp_test
