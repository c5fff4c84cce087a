// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Carries a comparison out by the helper: load for its target, run for its s1.
#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "prog_tests/strncmp.h"
#include "tools/test_progs/test_progs.h"

namespace strncmp_test
{

static std::string quoted(const std::string &text)
{
  std::string out = "\"";
  for (unsigned char c : text)
    out += c >= ' ' && c <= '~' && c != '"' && c != '\\' ? std::string(1, c)
                                                         : fmt::format("\\x{:02x}", c);
  return out + "\"";
}

std::string show(const Case &c)
{
  return fmt::format("bpf_strncmp({} at {}, {}, {} at {})", quoted(c.s1), c.s1_offset, c.size,
                     quoted(c.target), c.target_offset);
}

int64_t run(Skel &skel, const bpf_program *prog)
{
  unsigned char packet[64] = {};
  LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet));
  skel->bss->result = INT64_MIN;
  bpf::check(bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), "run BPF program",
             bpf_program__name(prog));
  if (opts.retval != XDP_PASS)
    throw bpf::error("run to its end BPF program", bpf_program__name(prog), EPROTO);
  return skel->bss->result;
}

void Kernel::load(const Case &c)
{
  x_skel = std::make_unique<Skel>("strncmp");
  auto &skel = *x_skel;
  bpf_program *prog;
  bpf_object__for_each_program(prog, skel->obj)
      bpf_program__set_autoload(prog, prog == skel->progs.compare);
  // The rest of target is NUL.
  auto *target = const_cast<char *>(skel->rodata->target);
  memcpy(target + c.target_offset, c.target.data(), c.target.size());
  const_cast<__u32 &>(skel->rodata->target_offset) = c.target_offset;
  skel.load();
  x_target = c.target;
  x_target_offset = c.target_offset;
}

int64_t Kernel::compare(const Case &c)
{
  if (!x_skel || x_target != c.target || x_target_offset != c.target_offset)
    load(c);
  auto &skel = *x_skel;
  // Whatever is around s1 must not matter.
  memset(skel->bss->subject, 0xa5, sizeof(skel->bss->subject));
  memcpy(skel->bss->subject + c.s1_offset, c.s1.data(), c.s1.size());
  skel->bss->subject_offset = c.s1_offset;
  skel->bss->size = c.size;
  return run(skel, skel->progs.compare);
}

} // namespace strncmp_test
