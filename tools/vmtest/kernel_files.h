// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What find_kernel() is made of: Debian's packages on one side, files of a developer's own on the
// other, and the modules for virtio-serial for both.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/lib/fd.h"
#include "tools/vmtest/kernel.h"

namespace vmtest
{

constexpr size_t largest_module = 64u << 20; // bytes, uncompressed

// The machine cannot have the kernel: no apt, no Debian mirror, or no such suite or kernel in it.
struct kernel_missing : kernel_error {
  using kernel_error::kernel_error;
};

// debian:VERSION. Throws kernel_error.
Kernel find_debian_kernel(const std::string &spec, const KernelOptions &options);
// A path. Throws kernel_error.
Kernel find_local_kernel(const std::string &spec, const KernelOptions &options);

// Makes the directories on the way, and waits until no other process holds the lock. Throws
// std::system_error.
Fd lock_file(const std::filesystem::path &path);

// What may have to be inserted into a guest's kernel.
struct Purpose {
  const char *name;
  // A symbol of the configuration, and the module where it is m.
  std::vector<std::pair<const char *, const char *>> parts;
};
extern const Purpose virtio_serial; // on PCI: the way back of files
extern const Purpose host_root;     // the host's files, under a layer that can be written

struct Modules {
  std::vector<std::string> names; // in order of insertion
  std::string remark;             // "no PURPOSE: why", or empty
};

// What it needs by config (empty: not known). read as for insertion_order().
Modules modules_for(const Purpose &purpose, const std::map<std::string, std::string> &config,
                    const std::function<std::optional<std::string>(const std::string &)> &read);

} // namespace vmtest
