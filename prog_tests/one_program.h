// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Loads one program of an object whose programs are all optional ("?" in their section name), or
// tells with which words the verifier refuses it.
#pragma once

#include <string>

#include "tools/lib/skeleton.h"
#include "tools/test_progs/test_progs.h"

namespace map_test
{

// Throws bpf::error where it does not load.
template <class T> void load_only(bpf::Skeleton<T> &skel, bpf_program *program)
{
  bpf::check(bpf_program__set_autoload(program, true), "select program",
             bpf_program__name(program));
  skel.load();
}

// The end of the verifier's log, or "" where the program loads.
template <class T> std::string refusal(bpf::Skeleton<T> &skel, bpf_program *program)
{
  try {
    load_only(skel, program);
  } catch (const bpf::error &error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string &text, const std::string &part)
{
  return text.find(part) != std::string::npos;
}

// Fails the subtest where text does not contain part, and shows text.
inline void check_contains(const std::string &text, const std::string &part)
{
  if (contains(text, part))
    test::pass(__func__, part);
  else
    test::fail(__func__, __LINE__, part, "not in: " + text);
}

} // namespace map_test
