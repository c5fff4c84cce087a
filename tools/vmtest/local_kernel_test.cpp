// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/kernel.h"

#include <cstdlib>

#include "tools/lib/atomic_file.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/test_images.h"

using namespace unit_test;
using namespace vmtest;
namespace fs = std::filesystem;

static constexpr const char *modular =
    "CONFIG_BPF=y\nCONFIG_VIRTIO_PCI=m\nCONFIG_VIRTIO_CONSOLE=m\n";

static void put(const fs::path &path, const std::string &content)
{
  fs::create_directories(path.parent_path());
  write_file(path, content);
}

static void put_modules(const fs::path &base)
{
  put(base / "drivers/virtio/virtio.ko", make_module({{"depends", ""}}));
  put(base / "drivers/virtio/virtio_pci.ko.xz",
      compress("xz", make_module({{"depends", "virtio"}})));
  put(base / "drivers/char/virtio_console.ko.zst",
      compress("zstd", make_module({{"depends", "virtio"}})));
}

static Kernel find(const TemporaryDirectory &here, const std::string &name)
{
  return find_kernel(here / name, {.cache = here / "cache"});
}

static size_t count_files(const fs::path &directory)
{
  return fs::exists(directory)
             ? std::distance(fs::directory_iterator(directory), fs::directory_iterator())
             : 0;
}

TEST(kernel_unpacked_package)
{
  TemporaryDirectory here;
  std::string elf = make_vmlinux();
  put(here / "p/boot/vmlinuz-6.1.0-test", make_bzimage("xz", elf));
  put(here / "p/boot/config-6.1.0-test", modular);
  put_modules(here / "p/lib/modules/6.1.0-test/kernel");
  for (int i = 0; i < 2; i++) {
    Kernel kernel = find(here, "p");
    expect_eq(kernel.release, "6.1.0-test");
    expect_eq(kernel.build_id, "0123ab");
    expect(read_file(kernel.image) == elf);
    expect(has_config(kernel, "BPF") && has_config(kernel, "VIRTIO_PCI"));
    expect(!has_config(kernel, "KASAN"));
    expect_eq(kernel.remark, "");
    expect_eq(kernel.virtio_modules.size(), 3u);
    expect_eq(kernel.virtio_modules[0].filename().string(), "virtio.ko");
    for (const fs::path &module : kernel.virtio_modules)
      expect(read_file(module).starts_with("\177ELF"), module);
  }
  expect_eq(count_files(here / "cache/vmlinux"), 2u); // with the lock
}

TEST(kernel_newer_package)
{
  TemporaryDirectory here;
  put(here / "p/usr/lib/modules/7.2/vmlinuz", make_bzimage("zstd", make_vmlinux(), "7.2"));
  put(here / "p/usr/lib/modules/7.2/config", modular);
  put_modules(here / "p/usr/lib/modules/7.2/kernel");
  Kernel kernel = find(here, "p");
  expect_eq(kernel.release, "7.2");
  expect_eq(kernel.virtio_modules.size(), 3u);
  expect(has_config(kernel, "BPF"));
}

TEST(kernel_build_tree)
{
  TemporaryDirectory here;
  put(here / "t/.config", modular);
  put(here / "t/arch/x86/boot/bzImage", make_bzimage("gzip", make_vmlinux()));
  put_modules(here / "t");
  for (const char *spec : {"t", "t/arch/x86/boot/bzImage"}) {
    Kernel kernel = find(here, spec);
    expect(has_config(kernel, "BPF"), spec);
    expect_eq(kernel.virtio_modules.size(), 3u);
  }
  put(here / "t/vmlinux", make_vmlinux({.release = "6.99"}));
  Kernel kernel = find(here, "t");
  expect_eq(kernel.release, "6.99");
  expect_eq(kernel.image.string(), here / "t/vmlinux");
}

TEST(kernel_of_which_nothing_else_is_known)
{
  TemporaryDirectory here;
  put(here / "image", make_bzimage("lz4", make_vmlinux({.config = "CONFIG_BPF=y\n"})));
  Kernel kernel = find(here, "image");
  expect(has_config(kernel, "BPF"));
  expect(kernel.virtio_modules.empty());
  expect_has(kernel.remark, "no virtio-serial: the kernel lacks CONFIG_VIRTIO_PCI");
  put(here / "bare", make_bzimage("lz4", make_vmlinux()));
  kernel = find(here, "bare");
  expect(kernel.config.empty());
}

TEST(kernel_modules_missing)
{
  TemporaryDirectory here;
  put(here / "image", make_bzimage("lz4", make_vmlinux({.config = modular})));
  expect_has(find(here, "image").remark, "virtio_pci.ko was not found");
  put(here / "virtio_pci.ko", make_module({{"depends", "gone"}}));
  put(here / "virtio_console.ko", make_module({{"depends", ""}}));
  Kernel kernel = find(here, "image");
  expect_has(kernel.remark, "module virtio_pci needs gone");
  expect(kernel.virtio_modules.empty());
}

TEST(kernel_without_pvh_boots_compressed)
{
  TemporaryDirectory here;
  put(here / "image", make_bzimage("xz", make_vmlinux({.pvh = false})));
  Kernel kernel = find(here, "image");
  expect_eq(kernel.image.string(), here / "image");
  expect_has(kernel.remark, "CONFIG_PVH");
  put(here / "vmlinux", make_vmlinux({.pvh = false}));
  expect_throws([&] { find(here, "vmlinux"); }, "give its bzImage");
}

TEST(kernel_without_room_for_a_cache_boots_compressed)
{
  TemporaryDirectory here;
  put(here / "image", make_bzimage("xz", make_vmlinux()));
  put(here / "cache", "a file where a directory should be");
  Kernel kernel = find(here, "image");
  expect_eq(kernel.image.string(), here / "image");
  expect_has(kernel.remark, "boots compressed");
}

TEST(kernel_errors)
{
  TemporaryDirectory here;
  expect_throws([&] { find(here, "none"); }, "no kernel '");
  put(here / "empty", "");
  expect_throws([&] { find(here, "empty"); }, "neither a bzImage nor a vmlinux");
  put(here / "cut", make_bzimage("xz", make_vmlinux()).substr(0, 2700));
  expect_throws([&] { find(here, "cut"); }, "is cut short");
  expect_eq(count_files(here / "cache/vmlinux"), 1u); // the lock
  fs::create_directories(here / "d/boot");
  expect_throws([&] { find(here, "d"); }, "holds no boot/vmlinuz");
  put(here / "d/boot/vmlinuz-1", make_bzimage("xz", make_vmlinux()));
  put(here / "d/boot/vmlinuz-2", make_bzimage("xz", make_vmlinux()));
  expect_throws([&] { find(here, "d"); }, "holds 2 kernels");
  expect_throws([&] { find_kernel("debian:5.10", {.cache = here / "cache"}); },
                "unknown kernel 'debian:5.10': there are debian:6.1, debian:6.12");
}

// A bisection makes many kernels.
TEST(kernel_cache_stays_small)
{
  TemporaryDirectory here;
  for (int i = 0; i < 20; i++) {
    put(here / "image", make_bzimage("xz", make_vmlinux({.release = fmt::format("6.{}", i)})));
    find(here, "image");
  }
  expect_eq(count_files(here / "cache/vmlinux"), 9u); // with the lock
}

TEST(kernel_machine_without_apt)
{
  TemporaryDirectory here;
  std::string path = getenv("PATH");
  setenv("PATH", here.path().c_str(), 1);
  std::string said;
  try {
    find_kernel("debian:6.1", {.cache = here / "cache"});
  } catch (const kernel_error &failure) {
    said = failure.what();
  }
  setenv("PATH", path.c_str(), 1);
  expect_has(said, "cannot get debian:6.1: ");
  expect_has(said, "give --kernel PATH");
  expect(!fs::exists(here / "cache/kernels/debian-6.1"));
  expect(!fs::exists(here / "cache/kernels/debian-6.1.tmp"));
}

TEST(kernel_cache_needs_a_home)
{
  std::string home = getenv("HOME") ? getenv("HOME") : "/";
  const char *cache = getenv("XDG_CACHE_HOME");
  std::string old = cache ? cache : "";
  setenv("XDG_CACHE_HOME", "/somewhere", 1);
  expect_eq(default_cache().string(), "/somewhere/bpfgate");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/me", 1);
  expect_eq(default_cache().string(), "/home/me/.cache/bpfgate");
  unsetenv("HOME");
  expect_throws([] { default_cache(); }, "neither XDG_CACHE_HOME nor HOME");
  setenv("HOME", home.c_str(), 1);
  if (cache)
    setenv("XDG_CACHE_HOME", old.c_str(), 1);
}
