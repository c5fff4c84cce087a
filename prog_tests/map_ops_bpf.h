// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// MapOps by BPF helpers: every operation is one BPF_PROG_TEST_RUN of progs/map_ops.c.
#pragma once

// A skeleton names the structs of its globals without defining them.
#include "progs/map_request.h"

#include <map_ops.skel.h>

#include "prog_tests/map_ops.h"
#include "tools/lib/skeleton.h"

namespace map_test
{

// Runs an XDP program once on a packet that begins with the size bytes at data. Returns the
// program's own return value, or a negative errno where it could not be run.
inline int run_xdp(int prog_fd, const void *data = nullptr, size_t size = 0)
{
  uint8_t packet[128] = {};
  if (size)
    memcpy(packet, data, size);
  LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet),
              .repeat = 1);
  int err = bpf_prog_test_run_opts(prog_fd, &opts);
  return err ? err : static_cast<int>(opts.retval);
}

// Gives a map of a skeleton the attributes of spec; before load.
inline void shape_map(bpf_map *map, const bpf::MapSpec &spec)
{
  bpf::check(bpf_map__set_type(map, spec.type), "set type of", spec.name);
  bpf::check(bpf_map__set_key_size(map, spec.key_size), "set key size of", spec.name);
  bpf::check(bpf_map__set_max_entries(map, spec.max_entries), "set max_entries of", spec.name);
  bpf::check(bpf_map__set_map_flags(map, spec.flags), "set flags of", spec.name);
}

class BpfOps : public MapOps {
public:
  explicit BpfOps(const bpf::MapSpec &spec) : x_spec(spec), x_skel("map_ops")
  {
    shape_map(x_skel->maps.map, spec);
    x_skel.load();
  }
  const bpf::MapSpec &spec() const override { return x_spec; }
  int update(const Bytes &key, uint64_t value, uint64_t flags) override
  {
    request().value = value;
    request().flags = flags;
    return run(MAP_UPDATE, key);
  }
  int lookup(const Bytes &key, uint64_t &value) override
  {
    int ret = run(MAP_LOOKUP, key);
    if (!ret)
      value = request().value;
    return ret;
  }
  int erase(const Bytes &key) override { return run(MAP_ERASE, key); }
  // There is no helper for it.
  int next_key(const Bytes *previous, Bytes &next) override
  {
    Bytes found(x_spec.key_size);
    int err = bpf_map_get_next_key(map_fd(), previous ? previous->data() : nullptr, found.data());
    if (!err)
      next = found;
    return err;
  }

  int run(map_request_op op, const Bytes &key)
  {
    request().op = op;
    request().ret = -EBADMSG;
    std::copy(key.begin(), key.end(), request().key);
    int verdict = run_xdp(bpf_program__fd(x_skel->progs.map_op));
    return verdict < 0 ? verdict : request().ret;
  }
  map_request &request() { return x_skel->bss->request; }
  int map_fd() const { return bpf_map__fd(x_skel->maps.map); }

private:
  bpf::MapSpec x_spec;
  bpf::Skeleton<::map_ops> x_skel;
};

inline std::unique_ptr<MapOps> by_helper(const bpf::MapSpec &spec)
{
  return std::make_unique<BpfOps>(spec);
}

} // namespace map_test
