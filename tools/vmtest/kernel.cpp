// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/kernel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "tools/vmtest/kernel_files.h"
#include "tools/vmtest/modules.h"

namespace fs = std::filesystem;

namespace vmtest
{

fs::path default_cache()
{
  const char *cache = getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/')
    return fs::path(cache) / "bpfgate";
  const char *home = getenv("HOME");
  if (!home || !home[0])
    throw kernel_error("no place for the cache: neither XDG_CACHE_HOME nor HOME is set");
  return fs::path(home) / ".cache/bpfgate";
}

Kernel find_kernel(const std::string &spec, const KernelOptions &given)
{
  KernelOptions options = given;
  if (options.cache.empty())
    options.cache = default_cache();
  return spec.starts_with("debian:") ? find_debian_kernel(spec, options)
                                     : find_local_kernel(spec, options);
}

bool has_config(const Kernel &kernel, const std::string &symbol)
{
  auto at = kernel.config.find("CONFIG_" + symbol);
  return at != kernel.config.end() && (at->second == "y" || at->second == "m");
}

Fd lock_file(const fs::path &path)
{
  fs::create_directories(path.parent_path());
  Fd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  int state = fd ? flock(fd.get(), LOCK_EX) : -1;
  if (state < 0)
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("cannot lock '{}'", path.string()));
  return fd;
}

const Purpose virtio_serial = {
    "virtio-serial",
    {{"CONFIG_VIRTIO_PCI", "virtio_pci"}, {"CONFIG_VIRTIO_CONSOLE", "virtio_console"}}};
const Purpose host_root = {"--root host",
                           {{"CONFIG_VIRTIO_PCI", "virtio_pci"},
                            {"CONFIG_VIRTIO_FS", "virtiofs"},
                            {"CONFIG_OVERLAY_FS", "overlay"}}};

Modules modules_for(const Purpose &purpose, const std::map<std::string, std::string> &config,
                    const std::function<std::optional<std::string>(const std::string &)> &read)
{
  Modules found;
  std::vector<std::string> wanted;
  for (const auto &[symbol, module] : purpose.parts) {
    auto at = config.find(symbol);
    if (at == config.end() && !config.empty())
      return {{}, fmt::format("no {}: the kernel lacks {}", purpose.name, symbol)};
    if (at == config.end() || at->second == "m")
      wanted.push_back(module);
    if (at != config.end() && at->second == "m" && !read(module))
      return {{}, fmt::format("no {}: {}.ko was not found ({}=m)", purpose.name, module, symbol)};
  }
  try {
    found.names = insertion_order(wanted, read);
  } catch (const module_error &failure) {
    found.remark = fmt::format("no {}: {}", purpose.name, failure.what());
  }
  return found;
}

} // namespace vmtest
