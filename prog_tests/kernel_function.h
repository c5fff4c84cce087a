// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Probes by the kernel's own BTF: whether it has a function or a map type, by name.
#pragma once

#include <bpf/btf.h>

#include <memory>
#include <string>

#include "tools/test_progs/test_progs.h"

namespace map_test
{

struct FreeBtf {
  void operator()(btf *object) const { btf__free(object); }
};
using Btf = std::unique_ptr<btf, FreeBtf>;

inline Btf kernel_btf()
{
  Btf kernel(btf__load_vmlinux_btf());
  if (!kernel)
    test::skip("the kernel has no BTF");
  return kernel;
}

inline bool has_kernel_function(const std::string &name)
{
  return btf__find_by_name_kind(kernel_btf().get(), name.c_str(), BTF_KIND_FUNC) >= 0;
}

// Skips where the kernel has no function of this name that BPF programs could call or trace.
inline void require_kernel_function(const std::string &name)
{
  if (!has_kernel_function(name))
    test::skip("this kernel has no " + name);
}

// The number of a map type that these headers may not know yet; skips where there is none.
inline bpf_map_type require_map_type(const std::string &name)
{
  Btf kernel = kernel_btf();
  int id = btf__find_by_name_kind(kernel.get(), "bpf_map_type", BTF_KIND_ENUM);
  const btf_type *type = id < 0 ? nullptr : btf__type_by_id(kernel.get(), static_cast<__u32>(id));
  for (int i = 0; type && i < btf_vlen(type); i++)
    if (name == btf__name_by_offset(kernel.get(), btf_enum(type)[i].name_off))
      return static_cast<bpf_map_type>(btf_enum(type)[i].val);
  test::skip("this kernel has no " + name);
}

} // namespace map_test
