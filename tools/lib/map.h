// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A BPF map made and owned by user space, with the map commands of bpf(2) as members. Everything
// that a test may want to see refused returns 0 or more, or a negative errno, and never throws.
#pragma once

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <string>

#include "tools/lib/bpf_error.h"
#include "tools/lib/fd.h"

namespace bpf
{

// The attributes of BPF_MAP_CREATE. Zero means what it means to the kernel.
struct MapSpec {
  bpf_map_type type;
  __u32 key_size;    // bytes
  __u32 value_size;  // bytes
  __u32 max_entries; // elements
  __u32 flags = 0;   // BPF_F_*
  __u64 extra = 0;   // map_extra, e.g. the number of hash functions of a bloom filter
  __u32 numa_node = 0;
  __u32 inner_fd = 0; // template of a map in map
  __u32 btf_fd = 0;
  __u32 btf_key_type_id = 0;
  __u32 btf_value_type_id = 0;
  std::string name = "bpfgate_test"; // at most 15 bytes
};

// Makes the map: an fd of 0 or more that the caller owns, or a negative errno.
inline int create_map(const MapSpec &spec)
{
  LIBBPF_OPTS(bpf_map_create_opts, opts, .btf_fd = spec.btf_fd,
              .btf_key_type_id = spec.btf_key_type_id, .btf_value_type_id = spec.btf_value_type_id,
              .inner_map_fd = spec.inner_fd, .map_flags = spec.flags, .map_extra = spec.extra,
              .numa_node = spec.numa_node);
  return bpf_map_create(spec.type, spec.name.c_str(), spec.key_size, spec.value_size,
                        spec.max_entries, &opts);
}

// What BPF_MAP_CREATE answers to spec: 0 (the map is gone again) or a negative errno.
inline int try_create_map(const MapSpec &spec)
{
  Fd fd(create_map(spec));
  return fd ? 0 : fd.get();
}

class Map {
public:
  // Throws error where the kernel refuses spec.
  explicit Map(const MapSpec &spec)
      : x_fd(check(create_map(spec), "create BPF map", spec.name)), x_spec(spec)
  {
  }
  // Takes an fd over, e.g. of a map inside a map. spec: what it was made with.
  Map(Fd fd, const MapSpec &spec) : x_fd(std::move(fd)), x_spec(spec) {}

  int fd() const { return x_fd.get(); }
  const MapSpec &spec() const { return x_spec; }

  // key and value: spec().key_size and .value_size bytes; key is null for maps without keys.
  // flags: BPF_ANY, BPF_NOEXIST, BPF_EXIST, BPF_F_LOCK.
  int update(const void *key, const void *value, __u64 flags = BPF_ANY) const
  {
    return bpf_map_update_elem(fd(), key, value, flags);
  }
  int lookup(const void *key, void *value, __u64 flags = 0) const
  {
    return bpf_map_lookup_elem_flags(fd(), key, value, flags);
  }
  int lookup_and_erase(const void *key, void *value, __u64 flags = 0) const
  {
    return bpf_map_lookup_and_delete_elem_flags(fd(), key, value, flags);
  }
  int erase(const void *key) const { return bpf_map_delete_elem(fd(), key); }
  // previous: null for the first key. -ENOENT after the last.
  int next_key(const void *previous, void *next) const
  {
    return bpf_map_get_next_key(fd(), previous, next);
  }

  // count: in, how many elements the buffers hold; out, how many were done, also on failure.
  // elem_flags: as flags of the single commands; flags: none are defined.
  int update_batch(const void *keys, const void *values, __u32 &count, __u64 elem_flags = 0,
                   __u64 flags = 0) const
  {
    LIBBPF_OPTS(bpf_map_batch_opts, opts, .elem_flags = elem_flags, .flags = flags);
    return bpf_map_update_batch(fd(), keys, values, &count, &opts);
  }
  int erase_batch(const void *keys, __u32 &count, __u64 elem_flags = 0, __u64 flags = 0) const
  {
    LIBBPF_OPTS(bpf_map_batch_opts, opts, .elem_flags = elem_flags, .flags = flags);
    return bpf_map_delete_batch(fd(), keys, &count, &opts);
  }
  // in, out: the position, key_size bytes and at least four; in is null at the start.
  // -ENOENT when the end was reached: the count elements before it are valid.
  int lookup_batch(void *in, void *out, void *keys, void *values, __u32 &count,
                   __u64 elem_flags = 0, __u64 flags = 0) const
  {
    LIBBPF_OPTS(bpf_map_batch_opts, opts, .elem_flags = elem_flags, .flags = flags);
    return bpf_map_lookup_batch(fd(), in, out, keys, values, &count, &opts);
  }
  int lookup_and_erase_batch(void *in, void *out, void *keys, void *values, __u32 &count,
                             __u64 elem_flags = 0, __u64 flags = 0) const
  {
    LIBBPF_OPTS(bpf_map_batch_opts, opts, .elem_flags = elem_flags, .flags = flags);
    return bpf_map_lookup_and_delete_batch(fd(), in, out, keys, values, &count, &opts);
  }

  // From then on user space can no longer write. 0 or a negative errno.
  int freeze() const { return bpf_map_freeze(fd()); }
  int info(bpf_map_info &info) const
  {
    __u32 size = sizeof(info);
    info = {};
    return bpf_obj_get_info_by_fd(fd(), &info, &size);
  }
  // A second fd of the same map. open_flags: BPF_F_RDONLY, BPF_F_WRONLY or 0. Throws error.
  Map reopen(__u32 open_flags) const
  {
    bpf_map_info about;
    check(info(about), "read info of BPF map", x_spec.name);
    LIBBPF_OPTS(bpf_get_fd_by_id_opts, opts, .open_flags = open_flags);
    return {Fd(check(bpf_map_get_fd_by_id_opts(about.id, &opts), "open BPF map", x_spec.name)),
            x_spec};
  }

private:
  Fd x_fd;
  MapSpec x_spec;
};

} // namespace bpf
