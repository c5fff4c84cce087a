// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A small BTF object with a key type that is a struct, one that is not, and a value type, of the
// sizes of one map.
#pragma once

#include <bpf/btf.h>

#include "tools/lib/bpf_error.h"
#include "tools/lib/fd.h"

namespace map_test
{

class MapBtf {
public:
  // Sizes in bytes. Throws bpf::error where the kernel refuses it.
  MapBtf(uint32_t key_size, uint32_t value_size) : x_btf(btf__new_empty())
  {
    int byte = add(btf__add_int(x_btf, "byte", 1, 0));
    int index = add(btf__add_int(x_btf, "index", 4, 0));
    x_array_key = add(btf__add_array(x_btf, index, byte, key_size));
    x_value = add(btf__add_array(x_btf, index, byte, value_size));
    x_struct_key = add(btf__add_struct(x_btf, "key", key_size));
    add(btf__add_field(x_btf, "data", x_array_key, 0, 0));
    bpf::LogCapture log;
    if (int err = btf__load_into_kernel(x_btf))
      throw bpf::error("load BTF", "map_btf", err, log.text());
  }
  ~MapBtf() { btf__free(x_btf); }
  MapBtf(const MapBtf &) = delete;
  MapBtf &operator=(const MapBtf &) = delete;

  uint32_t fd() const { return static_cast<uint32_t>(btf__fd(x_btf)); }
  uint32_t struct_key_id() const { return x_struct_key; }
  uint32_t array_key_id() const { return x_array_key; }
  uint32_t value_id() const { return x_value; }

private:
  static int add(int id) { return bpf::check(id, "add type to", "map_btf"); }

  btf *x_btf;
  uint32_t x_array_key, x_struct_key, x_value;
};

} // namespace map_test
