// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A BPF skeleton that opens, loads and goes away by itself.
#pragma once

#include <bpf/libbpf.h>

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "tools/lib/bpf_error.h"

namespace bpf
{

struct LinkEnd {
  void operator()(bpf_link *link) const { bpf_link__destroy(link); }
};
// Attached as long as it lives.
using Link = std::unique_ptr<bpf_link, LinkEnd>;

// T is a struct that "bpftool gen skeleton" made. Opened on construction, so that options can be
// set on ->maps, ->progs and ->rodata before load(). Everything is released on destruction.
template <class T> class Skeleton {
public:
  explicit Skeleton(const char *name) : x_name(name)
  {
    LogCapture log;
    x_skel = T::open();
    if (!x_skel)
      throw error("open BPF object", x_name, errno, log.text());
  }
  ~Skeleton() { T::destroy(x_skel); }
  Skeleton(const Skeleton &) = delete;
  Skeleton &operator=(const Skeleton &) = delete;

  // Loads maps and programs. Throws error with the verifier's last words.
  void load()
  {
    LogCapture log;
    if (int err = T::load(x_skel))
      throw error("load BPF object", x_name, err, log.text());
  }
  // The same with these programs only, since the verifier takes a millisecond for each. nullptr
  // stands for none.
  void load_only(std::initializer_list<const bpf_program *> wanted)
  {
    bpf_program *each;
    bpf_object__for_each_program(each, x_skel->obj)
        bpf_program__set_autoload(each, std::count(wanted.begin(), wanted.end(), each) > 0);
    load();
  }
  void attach()
  {
    LogCapture log;
    if (int err = T::attach(x_skel))
      throw error("attach BPF object", x_name, err, log.text());
  }
  // What attach() attached; it may be attached again.
  void detach() { T::detach(x_skel); }

  T *operator->() { return x_skel; }
  const T *operator->() const { return x_skel; }
  T *get() { return x_skel; }

private:
  const char *x_name;
  T *x_skel;
};

} // namespace bpf
