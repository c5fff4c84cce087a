// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A uprobe.multi link, which libbpf knows since 1.3 and older headers do not: the part of union
// bpf_attr that BPF_LINK_CREATE reads (include/uapi/linux/bpf.h, since 6.6).
#pragma once

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

struct UprobeMulti {
  static constexpr uint32_t attach_uprobe_multi = 48, returning = 1; // of attach_type, of flags

  uint32_t prog_fd = 0, target_fd = 0, attach_type = attach_uprobe_multi, link_flags = 0;
  uint64_t path = 0, offsets = 0, ref_ctr_offsets = 0, cookies = 0; // addresses
  uint32_t cnt = 0, flags = 0, pid = 0, padding = 0;

  // The link's descriptor; -1 with errno.
  int create() const
  {
    return static_cast<int>(syscall(SYS_bpf, BPF_LINK_CREATE, this, sizeof(*this)));
  }
};
