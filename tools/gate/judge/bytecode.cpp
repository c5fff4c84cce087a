// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/judge/bytecode.h"

#include <fmt/format.h>

namespace gate
{

static std::string compiler(const Value &environment)
{
  const Value *toolchain = environment.find("toolchain");
  return toolchain ? toolchain->text_of("bpf_clang") : "";
}

static std::string named_compiler(const std::string &text, const char *intro)
{
  return text.empty() ? "an unknown compiler" : intro + text;
}

BytecodeCheck check_bytecode(const Compiled &base, const Compiled &comp)
{
  const result::Benchmark &one = base.benchmark, &other = comp.benchmark;
  if (one.bytecode == other.bytecode && one.base_bytecode == other.base_bytecode)
    return {};
  std::string from = compiler(base.environment), to = compiler(comp.environment);
  if (from == to && !from.empty())
    return {.note = fmt::format("the BPF program is another one ({} against {})", one.bytecode,
                                other.bytecode)};
  return {.refusal = fmt::format("compiled to other BPF instructions by {} than by {}: build bench "
                                 "with the same one (meson -Dbpf-clang=...), or record anew",
                                 named_compiler(to, "clang "), named_compiler(from, "clang "))};
}

} // namespace gate
