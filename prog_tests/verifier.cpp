// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Loads every program of the *_failure objects alone, and holds what the verifier says against the
// expectation written at the program (progs/expect.bpf.h). One subtest a program.
#include <bpf/bpf.h>

#include <cstring>
#include <memory>

#include "bloom_filter_failure.skel.h"
#include "map_failure.skel.h"
#include "prog_tests/verifier_annotations.h"
#include "prog_tests/with_capabilities.h"
#include "strncmp_failure.skel.h"
#include "tools/lib/map.h"
#include "tools/lib/probe.h"
#include "tools/test_progs/test_progs.h"

namespace
{

using Object = std::unique_ptr<bpf_object, decltype(&bpf_object__close)>;

struct Elf {
  const void *bytes;
  size_t size = 0;
};

// T: a skeleton, of which only the embedded object is used.
template <class T> Elf elf_of()
{
  Elf elf;
  elf.bytes = T::elf_bytes(&elf.size);
  return elf;
}

Object open(const Elf &elf)
{
  Object object(bpf_object__open_mem(elf.bytes, elf.size, nullptr), bpf_object__close);
  if (!object)
    throw bpf::error("open BPF object", "", errno);
  return object;
}

// Puts a frozen map that holds "bpfgate" in the place of the object's map.
void freeze(bpf_object *object, const std::string &name)
{
  bpf_map *map = bpf_object__find_map_by_name(object, name.c_str());
  if (!map)
    throw bpf::error("find map", name, ENOENT);
  bpf::Map frozen({bpf_map__type(map), bpf_map__key_size(map), bpf_map__value_size(map),
                   bpf_map__max_entries(map), bpf_map__map_flags(map)});
  std::string key(bpf_map__key_size(map), '\0'), value = "bpfgate";
  value.resize(bpf_map__value_size(map));
  bpf::check(frozen.update(key.data(), value.data()), "fill map", name);
  bpf::check(frozen.freeze(), "freeze map", name);
  bpf::check(bpf_map__reuse_fd(map, frozen.fd()), "reuse map", name);
}

// Loads the program of this name and no other of the object.
verifier::Outcome load(const Elf &elf, const std::string &name, const std::string &frozen_map)
{
  bpf::LogCapture quiet;
  Object object = open(elf);
  if (!frozen_map.empty())
    freeze(object.get(), frozen_map);
  std::vector<char> log(1 << 18);
  bpf_program *prog;
  bpf_object__for_each_program(prog, object.get())
  {
    bool chosen = name == bpf_program__name(prog);
    bpf::check(bpf_program__set_autoload(prog, chosen), "choose program", name);
    if (chosen) {
      bpf::check(bpf_program__set_log_buf(prog, log.data(), log.size()), "set log of", name);
      bpf::check(bpf_program__set_log_level(prog, 1), "set log of", name);
    }
  }
  int err = -bpf_object__load(object.get());
  return {err, log.data()[0] ? log.data() : quiet.text()};
}

verifier::Outcome load_as_annotated(const Elf &elf, const std::string &name,
                                    const verifier::Annotations &annotations)
{
  auto load_it = [&] { return load(elf, name, annotations.frozen_map); };
  verifier::Outcome outcome = load_it();
  if (!annotations.without_perfmon)
    return outcome;
  // After the load above, in which libbpf found out with all capabilities what the kernel can do:
  // it remembers that for the whole process.
  return test::with_capabilities({CAP_BPF, CAP_NET_ADMIN}, load_it);
}

void check_program(const Elf &elf, const std::string &name,
                   const verifier::Annotations &annotations)
{
  REQUIRE(!annotations.expectations.empty());
  auto expectations = verifier::holding(annotations.expectations, verifier::running_kernel());
  if (expectations.empty())
    test::skip("what this kernel says is not known: between the versions of two expectations");
  verifier::Outcome outcome = load_as_annotated(elf, name, annotations);
  if (auto wrong = judge(expectations, outcome))
    test::fail("check_program", __LINE__, name, *wrong);
}

template <class T> void check_object()
{
  Elf elf = elf_of<T>();
  Object object = open(elf);
  unsigned programs = 0;
  bpf_program *prog;
  bpf_object__for_each_program(prog, object.get())
  {
    auto annotations = verifier::annotations_of(object.get(), prog);
    std::string name = bpf_program__name(prog);
    SUBTEST_NAMED(name) { check_program(elf, name, annotations); };
    programs++;
  }
  CHECK(programs > 0);
}

} // namespace

TEST(verifier_bloom_filter) { check_object<bloom_filter_failure>(); }

TEST(verifier_map) { check_object<map_failure>(); }

TEST(verifier_strncmp) { check_object<strncmp_failure>(); }
