// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Fetches Debian's three kernels by the machine's apt, unless the cache has them, and looks at what
// came. Skips only where the machine's apt cannot have them at all.
#include <fmt/format.h>

#include "tools/lib/unit_test.h"
#include "tools/vmtest/kernel_files.h"
#include "tools/vmtest/mapped_file.h"
#include "tools/vmtest/vmlinux.h"

using namespace unit_test;
using namespace vmtest;

static Kernel get(const std::string &spec)
{
  try {
    return find_kernel(spec);
  } catch (const kernel_missing &reason) {
    throw Skip(reason.what());
  }
}

static void check(const std::string &version, size_t modules)
{
  Kernel kernel = get("debian:" + version);
  expect_eq(kernel.name, "debian:" + version);
  expect(kernel.release.starts_with(version + "."), kernel.release);
  expect_has(kernel.release, "cloud");
  MappedFile image(kernel.image);
  expect(image_kind(image.bytes()) == ImageKind::Elf, "no ELF");
  VmlinuxFacts facts = read_vmlinux(image.bytes());
  expect(facts.has_pvh, "no PVH entry");
  expect_eq(facts.release, kernel.release);
  expect_eq(facts.build_id, kernel.build_id);
  expect_eq(kernel.build_id.size(), 40u);
  for (const char *symbol : {"BPF", "BPF_SYSCALL", "BPF_JIT", "DEBUG_INFO_BTF", "DEVTMPFS"})
    expect_eq(kernel.config[fmt::format("CONFIG_{}", symbol)], "y");
  expect_eq(kernel.virtio_modules.size(), modules);
  for (const auto &module : kernel.virtio_modules)
    expect(MappedFile(module).bytes().starts_with("\177ELF"), module);
  expect_eq(kernel.remark, "");
  // The second time it comes out of the cache, and is the same.
  Kernel again = find_kernel("debian:" + version);
  expect_eq(again.release, kernel.release);
  expect_eq(again.image.string(), kernel.image.string());
  expect_eq(again.config.size(), kernel.config.size());
}

TEST(debian_6_1_cloud) { check("6.1", 6); }
TEST(debian_6_12_cloud) { check("6.12", 0); }
TEST(debian_7_2_cloud) { check("7.2", 0); }
