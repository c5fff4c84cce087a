// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Kernel modules and the order to insert them in, from what each says it depends on: no depmod.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vmtest
{

// One line: which module, and what is wrong with it.
struct module_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The value of name= in a module's .modinfo; nullopt when it has none. Throws module_error where
// the bytes are no 64-bit ELF.
std::optional<std::string> module_info(std::string_view module, std::string_view name);

// Modules by name, '-' and '_' being the same: "virtio_pci" for
// kernel/drivers/virtio/virtio_pci.ko.
std::string module_name(const std::filesystem::path &path);

// Names, every module after those that it depends on. read gives a module's bytes (uncompressed),
// or nullopt when it is not there: a wanted one is then passed over, and one that is depended on
// throws module_error, as a circle does.
std::vector<std::string>
insertion_order(const std::vector<std::string> &wanted,
                const std::function<std::optional<std::string>(const std::string &name)> &read);

} // namespace vmtest
