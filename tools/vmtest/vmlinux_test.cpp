// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/vmlinux.h"

#include <random>

#include "tools/lib/atomic_file.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/test_images.h"

using namespace unit_test;
using namespace vmtest;

// Whatever the bytes are: a value or an image_error, nothing else, and no crash.
static bool survives(const std::string &image)
{
  bool good = true;
  for (auto read : {+[](const std::string &bytes) { bzimage_release(bytes); },
                    +[](const std::string &bytes) { read_vmlinux(extract_vmlinux(bytes)); },
                    +[](const std::string &bytes) { read_vmlinux(bytes); }}) {
    try {
      read(image);
    } catch (const image_error &) {
      good = false;
    }
  }
  return good;
}

TEST(vmlinux_comes_out_of_every_compression)
{
  std::string elf = make_vmlinux();
  for (const char *how : {"gzip", "bzip2", "xz", "lzma", "lz4", "zstd"}) {
    std::string image = make_bzimage(how, elf);
    expect(image_kind(image) == ImageKind::BzImage, how);
    expect_eq(bzimage_release(image), "6.1.0-test");
    expect(extract_vmlinux(image) == elf, how);
  }
}

TEST(vmlinux_facts)
{
  VmlinuxFacts facts =
      read_vmlinux(make_vmlinux({.release = "7.2.0+x", .config = "CONFIG_BPF=y\n"}));
  expect_eq(facts.release, "7.2.0+x");
  expect_eq(facts.build_id, "0123ab");
  expect(facts.has_pvh);
  expect_eq(facts.config, "CONFIG_BPF=y\n");
  expect(!read_vmlinux(make_vmlinux({.pvh = false})).has_pvh);
}

// This program: its notes have two alignments.
TEST(vmlinux_notes_of_a_program)
{
  expect_eq(read_vmlinux(read_file("/proc/self/exe")).release, "");
}

TEST(vmlinux_tells_what_is_no_kernel)
{
  expect(image_kind("") == ImageKind::Other);
  expect(image_kind(std::string(4096, 'x')) == ImageKind::Other);
  expect(image_kind("\177ELF") == ImageKind::Elf);
  expect_throws([] { extract_vmlinux("text"); }, "is no bzImage");
  expect_throws([] { read_vmlinux("text"); }, "no ELF");
  expect_throws([] { read_vmlinux("\177ELF"); }, "header outside");
  expect_throws([] { extract_vmlinux(make_bzimage("xz", std::string(3000, 'x'))); },
                "holds no ELF");
}

TEST(vmlinux_refuses_what_it_does_not_know)
{
  std::string image = make_bzimage("xz", make_vmlinux());
  std::string old = image, lzo = image, other = image;
  old[0x206] = 7;
  old[0x207] = 2;
  expect_throws([&] { extract_vmlinux(old); }, "older than boot protocol");
  size_t payload = 5 * 512 + 100;
  lzo.replace(payload, 4, "\x89LZO");
  expect_throws([&] { extract_vmlinux(lzo); }, "LZO");
  other.replace(payload, 6, "abcdef");
  expect_throws([&] { extract_vmlinux(other); }, "damaged payload");
}

TEST(vmlinux_size_must_be_right)
{
  std::string elf = make_vmlinux();
  for (int change : {-1, 1, 1 << 30}) {
    std::string image = make_bzimage("zstd", elf);
    uint32_t size = elf.size() + change;
    image.replace(image.size() - 64 - 4, 4, reinterpret_cast<char *>(&size), 4);
    expect_throws([&] { extract_vmlinux(image); }, "damaged payload");
  }
}

TEST(vmlinux_cut_short_anywhere)
{
  for (const char *how : {"gzip", "xz", "lz4", "zstd"}) {
    std::string image = make_bzimage(how, make_vmlinux({.config = "CONFIG_BPF=y\n"}));
    // The last 64 bytes belong to nothing.
    for (size_t size = 0; size < image.size() - 64; size += size < 600 ? 1 : 7)
      expect(!survives(image.substr(0, size)), fmt::format("{} cut to {} passed", how, size));
  }
  std::string elf = make_vmlinux({.config = "CONFIG_BPF=y\n"});
  for (size_t size = 0; size < elf.size(); size++)
    expect(!survives(elf.substr(0, size)));
}

TEST(vmlinux_garbled_anywhere)
{
  std::mt19937 random(1);
  std::string image = make_bzimage("zstd", make_vmlinux({.config = "CONFIG_BPF=y\n"}));
  std::string elf = make_vmlinux({.config = "CONFIG_BPF=y\n"});
  for (const std::string &good : {image, elf})
    for (size_t at = 0; at < good.size(); at++)
      for (char value : {'\0', '\xff', '\x7f', static_cast<char>(random())}) {
        std::string bad = good;
        bad[at] = value;
        survives(bad);
      }
}

TEST(vmlinux_config)
{
  auto config = parse_config("# CONFIG_OFF is not set\nCONFIG_A=y\r\nCONFIG_B=m\n"
                             "CONFIG_S=\"a=b\"\nCONFIG_N=5\n\nJUNK=y\nCONFIG_LAST=y");
  expect_eq(config.size(), 5u);
  expect_eq(config["CONFIG_A"], "y");
  expect_eq(config["CONFIG_S"], "a=b");
  expect_eq(config["CONFIG_N"], "5");
  expect_eq(config["CONFIG_LAST"], "y");
}
