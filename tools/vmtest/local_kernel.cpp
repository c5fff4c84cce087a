// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A kernel from files of a developer's own: what is beside the image counts. A vmlinux that was
// taken out of a bzImage, and modules that were compressed, are kept in the cache by content.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>

#include "tools/lib/atomic_file.h"
#include "tools/lib/hash.h"
#include "tools/vmtest/kernel_files.h"
#include "tools/vmtest/mapped_file.h"
#include "tools/vmtest/modules.h"
#include "tools/vmtest/unpack.h"
#include "tools/vmtest/vmlinux.h"

namespace fs = std::filesystem;

namespace vmtest
{

static constexpr size_t kept_files = 8; // of each kind in the cache

static std::vector<fs::path> entries_of(const fs::path &directory)
{
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Removes what was not used for longest, and what killed processes left.
static void prune(const fs::path &directory, size_t kept)
{
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code ignored;
  for (const fs::path &path : entries_of(directory))
    if (path.filename().string().find(".tmp.") != std::string::npos)
      fs::remove(path, ignored);
    else if (path.filename() != "lock")
      files.emplace_back(fs::last_write_time(path, ignored), path);
  std::sort(files.rbegin(), files.rend());
  for (size_t i = kept; i < files.size(); i++)
    fs::remove(files[i].second, ignored);
}

// The file of that name in the cache; made by make() when it is not there. Throws what make()
// throws, and std::system_error.
static fs::path keep(const fs::path &directory, const std::string &name, size_t kept,
                     const std::function<std::string()> &make)
{
  fs::path path = directory / name;
  // Its time says when it was used last.
  if (utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0)
    return path;
  Fd held = lock_file(directory / "lock");
  if (!fs::exists(path)) {
    prune(directory, kept - 1);
    write_file(path, make());
  }
  return path;
}

namespace
{

// A kernel being put together from its image and the directories around it.
class LocalKernel {
public:
  LocalKernel(const std::string &spec, fs::path image, fs::path cache)
      : x_image(std::move(image)), x_cache(std::move(cache))
  {
    x_kernel.name = spec;
    x_kernel.image = x_image;
  }

  Kernel read()
  {
    MappedFile file(x_image);
    std::string config;
    switch (image_kind(file.bytes())) {
    case ImageKind::Elf:
      config = read_elf(file.bytes());
      break;
    case ImageKind::BzImage:
      config = read_bzimage(file.bytes());
      break;
    case ImageKind::Other:
      throw kernel_error("is neither a bzImage nor a vmlinux");
    }
    find_config(config);
    find_modules();
    return x_kernel;
  }

private:
  std::string read_elf(std::string_view elf)
  {
    VmlinuxFacts facts = read_vmlinux(elf);
    if (!facts.has_pvh)
      throw kernel_error("has no entry for QEMU (CONFIG_PVH): give its bzImage");
    if (facts.release.empty())
      throw kernel_error("has no \"Linux version\" in it");
    x_kernel.release = facts.release;
    x_kernel.build_id = facts.build_id;
    return facts.config;
  }

  // What the cache cannot take, for want of room or rights, costs time and no more.
  std::string read_bzimage(std::string_view image)
  {
    x_kernel.release = bzimage_release(image);
    try {
      fs::path path = keep(x_cache / "vmlinux", sha256_hex(image), kept_files,
                           [&] { return extract_vmlinux(image); });
      VmlinuxFacts facts = read_vmlinux(MappedFile(path).bytes());
      x_kernel.build_id = facts.build_id;
      if (facts.has_pvh)
        x_kernel.image = path;
      else
        add_remark("boots compressed: its vmlinux has no entry for QEMU (CONFIG_PVH)");
      return facts.config;
    } catch (const unsupported_image &failure) {
      add_remark(fmt::format("boots compressed: it {}", failure.what()));
    } catch (const std::system_error &failure) {
      add_remark(fmt::format("boots compressed: {}", failure.what()));
    }
    return "";
  }

  // Beside the image, at the top of a build tree, or else in the image.
  void find_config(const std::string &embedded)
  {
    fs::path here = x_image.parent_path(), tree = here / "../../..";
    std::vector<fs::path> places = {here / ("config-" + x_kernel.release), here / ".config",
                                    here / "config"};
    if (in_build_tree())
      places.insert(places.begin(), tree / ".config");
    for (const fs::path &place : places)
      if (fs::is_regular_file(place)) {
        x_kernel.config_text = read_file(place);
        x_kernel.config = parse_config(x_kernel.config_text);
        return;
      }
    x_kernel.config_text = embedded;
    x_kernel.config = parse_config(embedded);
  }

  // .../arch/x86/boot/bzImage
  bool in_build_tree() const
  {
    fs::path boot = x_image.parent_path();
    return boot.filename() == "boot" && boot.parent_path().parent_path().filename() == "arch";
  }

  std::vector<fs::path> module_directories() const
  {
    fs::path here = x_image.parent_path();
    std::vector<fs::path> bases = {here};
    if (in_build_tree())
      bases.push_back(here / "../../..");
    // boot/vmlinuz-R of a package or a machine; lib/modules/R/vmlinuz is beside them anyway.
    for (const char *lib : {"lib/modules", "usr/lib/modules"})
      for (const fs::path &root : {here / "..", here})
        bases.push_back(root / lib / x_kernel.release / "kernel");
    bases.push_back(here / "kernel");
    std::vector<fs::path> directories = {here};
    for (const fs::path &base : bases)
      for (const char *part : {"drivers/virtio", "drivers/char", "fs/fuse", "fs/overlayfs"})
        directories.push_back((base / part).lexically_normal());
    return directories;
  }

  void find_modules()
  {
    std::map<std::string, fs::path> files;
    for (const fs::path &directory : module_directories())
      for (const fs::path &path : entries_of(directory))
        if (path.filename().string().find(".ko") != std::string::npos)
          files.emplace(module_name(path), path);
    add_remark(find_modules(virtio_serial, files, x_kernel.virtio_modules));
    x_kernel.no_host_root = find_modules(host_root, files, x_kernel.root_modules);
  }

  // Returns why there are none.
  std::string find_modules(const Purpose &purpose, const std::map<std::string, fs::path> &files,
                           std::vector<fs::path> &out) const
  {
    std::map<std::string, fs::path> uncompressed;
    Modules modules = modules_for(purpose, x_kernel.config,
                                  [&](const std::string &name) -> std::optional<std::string> {
                                    auto at = files.find(name);
                                    if (at == files.end())
                                      return std::nullopt;
                                    uncompressed[name] = plain_module(at->second);
                                    return read_file(uncompressed[name]);
                                  });
    for (const std::string &name : modules.names)
      out.push_back(uncompressed[name]);
    return modules.remark;
  }

  // The module itself, or an uncompressed copy in the cache.
  fs::path plain_module(const fs::path &path) const
  {
    if (path.extension() == ".ko")
      return path;
    MappedFile file(path);
    // A kernel has about nine of them.
    return keep(x_cache / "modules",
                fmt::format("{}-{}.ko", sha256_hex(file.bytes()).substr(0, 16), module_name(path)),
                kept_files * 12, [&] { return decompress(file.bytes(), largest_module); });
  }

  void add_remark(const std::string &remark)
  {
    if (!x_kernel.remark.empty() && !remark.empty())
      x_kernel.remark += "; ";
    x_kernel.remark += remark;
  }

  fs::path x_image, x_cache;
  Kernel x_kernel;
};

} // namespace

// The one image in a directory: a build tree's, or an unpacked package's.
static fs::path image_in(const fs::path &directory)
{
  // In a build tree the vmlinux is what the bzImage is made of, and never older.
  if (fs::is_regular_file(directory / ".config"))
    for (const char *name : {"vmlinux", "arch/x86/boot/bzImage"})
      if (fs::path path = directory / name; fs::is_regular_file(path))
        return path;
  std::vector<fs::path> places = {directory / "boot", directory};
  for (const char *lib : {"lib/modules", "usr/lib/modules"})
    for (const fs::path &release : entries_of(directory / lib))
      places.push_back(release);
  std::vector<fs::path> images;
  for (const fs::path &place : places)
    for (const fs::path &path : entries_of(place)) {
      std::string name = path.filename();
      if (fs::is_regular_file(path) && (name.starts_with("vmlinuz") || name == "bzImage"))
        images.push_back(path);
    }
  if (images.empty())
    throw kernel_error("holds no boot/vmlinuz-*, and is no kernel build tree with an image");
  if (images.size() > 1)
    throw kernel_error(fmt::format("holds {} kernels: give the path of one, such as {}",
                                   images.size(), images[0].string()));
  return images[0];
}

Kernel find_local_kernel(const std::string &spec, const KernelOptions &options)
{
  if (!fs::exists(spec))
    throw kernel_error(fmt::format("no kernel '{}': give a bzImage, a vmlinux, the directory of an "
                                   "unpacked package or a build tree, or debian:6.1",
                                   spec));
  try {
    fs::path image = fs::is_directory(spec) ? image_in(spec) : fs::path(spec);
    return LocalKernel(spec, fs::absolute(image).lexically_normal(), options.cache).read();
  } catch (const std::system_error &failure) {
    throw kernel_error(failure.what());
  } catch (const std::runtime_error &failure) {
    throw kernel_error(fmt::format("kernel '{}' {}", spec, failure.what()));
  }
}

} // namespace vmtest
