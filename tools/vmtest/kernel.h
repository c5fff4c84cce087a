// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The kernel to boot: a file or directory of a developer's own, or one of Debian's packages,
// fetched by the machine's own apt and cached. Nothing is installed and no source of the machine is
// changed.
#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace vmtest
{

struct Kernel {
  std::string name;    // as given: "debian:6.1" or the path
  std::string release; // what uname -r will say, from the image's own header
  // What -kernel boots: the uncompressed ELF, from the cache; the bzImage itself where that cannot
  // be taken out or has no entry for QEMU, and then remark says why.
  std::filesystem::path image;
  std::string build_id; // hexadecimal GNU build-id of the ELF; empty when it has none
  // CONFIG_X -> y, m or the value, strings without their quotes. Empty when there is none to read.
  std::map<std::string, std::string> config;
  std::string config_text; // what it was read from
  // What a guest needs for virtio-serial on PCI, uncompressed, in order of insertion. Empty when it
  // is built in or not to be had; in the latter case remark says so.
  std::vector<std::filesystem::path> virtio_modules;
  // The same for --root host, and why the kernel cannot have it.
  std::vector<std::filesystem::path> root_modules;
  std::string no_host_root;
  std::string remark; // one line for the user, empty when there is nothing to say
};

struct KernelOptions {
  std::filesystem::path cache; // empty: default_cache()
  bool refresh = false;        // debian:...: ask the mirror, although the cache has one
  bool host_root = false;      // ... also where an older vmtest kept no modules for --root host
};

// One line: what is wrong, where, and what to do.
struct kernel_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// $XDG_CACHE_HOME/bpfgate, or ~/.cache/bpfgate. Throws kernel_error where neither is set.
std::filesystem::path default_cache();

// spec: a bzImage or vmlinux; a directory of an unpacked kernel package or a kernel build tree; or
// debian:6.1, debian:6.12, debian:7.2, debian:latest. Throws kernel_error. The files that it names
// stay until a newer package replaces them (refresh), a running guest keeps what it has open.
Kernel find_kernel(const std::string &spec, const KernelOptions &options = {});

// Whether CONFIG_symbol is y or m; false where the configuration has it not or is not known.
bool has_config(const Kernel &kernel, const std::string &symbol);

} // namespace vmtest
