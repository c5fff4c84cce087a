// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// debian:VERSION. Each kernel is a directory of the cache with a kernel.json, which is moved there
// when it is whole; a lock a kernel makes a second process wait for the first one's.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tools/lib/atomic_file.h"
#include "tools/lib/progress.h"
#include "tools/vmtest/apt.h"
#include "tools/vmtest/command.h"
#include "tools/vmtest/kernel_files.h"
#include "tools/vmtest/mapped_file.h"
#include "tools/vmtest/modules.h"
#include "tools/vmtest/unpack.h"
#include "tools/vmtest/vmlinux.h"

namespace fs = std::filesystem;
using nlohmann::json;

namespace vmtest
{

static constexpr int metadata_version = 1;

// Where a kernel may be had, best first.
static const std::map<std::string, std::vector<std::string>> suites = {
    {"6.1", {"bookworm"}},
    {"6.12", {"bookworm-backports", "trixie"}},
    {"7.2", {"forky", "sid"}},
    {"latest", {"sid"}},
};

static const char *flavour()
{
#ifdef __aarch64__
  return "-cloud-arm64";
#else
  return "-cloud-amd64";
#endif
}

static Kernel read_cached(const fs::path &directory, const std::string &spec, bool host_root)
{
  json metadata = json::parse(read_file(directory / "kernel.json"));
  if (metadata.at("version") != metadata_version)
    throw kernel_error("is of another version");
  Kernel kernel = {.name = spec,
                   .release = metadata.at("release"),
                   .image = directory / metadata.at("image").get<std::string>(),
                   .build_id = metadata.at("build_id"),
                   .config_text = read_file(directory / "config"),
                   .remark = metadata.at("remark")};
  kernel.config = parse_config(kernel.config_text);
  for (const std::string name : metadata.at("modules"))
    kernel.virtio_modules.push_back(directory / "modules" / name);
  if (metadata.contains("root_modules")) {
    for (const std::string name : metadata.at("root_modules"))
      kernel.root_modules.push_back(directory / "modules" / name);
    kernel.no_host_root = metadata.at("no_host_root");
  } else if (host_root) {
    throw kernel_error("was kept by an older vmtest");
  }
  if (fs::file_size(kernel.image) != metadata.at("image_size"))
    throw kernel_error("is damaged");
  return kernel;
}

// Nothing where the cache has it not, not whole, or in another form.
static std::optional<Kernel> cached(const fs::path &directory, const std::string &spec,
                                    bool host_root)
{
  try {
    return read_cached(directory, spec, host_root);
  } catch (const std::exception &) {
    return std::nullopt;
  }
}

// Releases are compared as Debian compares versions: 6.12.9 < 6.12.10, 6.12.90+deb12 <
// 6.12.90+deb12.1. dpkg is there where apt is.
static bool older(const std::string &a, const std::string &b)
{
  return a.empty() || run_command({"dpkg", "--compare-versions", a, "lt", b}).status == 0;
}

// The newest release "6.1.0-50-cloud-amd64" of a version among package names; empty without any.
static std::string newest_release(const std::vector<std::string> &names, const std::string &version)
{
  constexpr std::string_view image = "linux-image-";
  std::string newest;
  for (const std::string &name : names) {
    if (!name.starts_with(image) || !name.ends_with(flavour()))
      continue;
    std::string release = name.substr(image.size());
    bool fits = version == "latest" ? release[0] >= '0' && release[0] <= '9'
                                    : release.starts_with(version + ".");
    if (fits && release.find("~rc") == std::string::npos && older(newest, release))
      newest = release;
  }
  return newest;
}

// From 7.2 on image, configuration and modules are in packages of their own.
static std::vector<std::string> packages_of(const std::string &release,
                                            const std::vector<std::string> &names)
{
  std::vector<std::string> packages;
  for (const char *part : {"linux-image-", "linux-binary-", "linux-base-", "linux-modules-"})
    if (std::find(names.begin(), names.end(), part + release) != names.end())
      packages.push_back(part + release);
  return packages;
}

static std::vector<fs::path> fetch_packages(const std::string &version, const fs::path &directory,
                                            Progress &progress)
{
  Apt apt(directory);
  std::string why;
  for (const std::string &suite : suites.at(version)) {
    progress.show(0, 3, "list of " + suite);
    try {
      apt.use_suite(suite);
    } catch (const apt_missing &failure) {
      why = failure.what();
      continue;
    }
    std::vector<std::string> names = apt.package_names("linux-");
    std::string release = newest_release(names, version);
    if (!release.empty()) {
      progress.show(1, 3, release);
      return apt.download(packages_of(release, names));
    }
    why = fmt::format("{} has no {}{}", suite, version, flavour());
  }
  throw apt_missing(why);
}

namespace
{

// What of a kernel's packages is needed, in memory.
struct Unpacked {
  std::string image, config;
  std::map<std::string, std::string> modules; // by name, uncompressed

  // boot/ up to 6.12, usr/lib/modules/RELEASE/ from 7.2 on.
  static bool is_image(const std::string &path)
  {
    return path.starts_with("boot/vmlinuz-") || fs::path(path).filename() == "vmlinuz";
  }
  static bool is_config(const std::string &path)
  {
    return path.starts_with("boot/config-") || path.ends_with(flavour() + std::string("/config"));
  }
  static bool wanted(const std::string &path)
  {
    return is_image(path) || is_config(path) ||
           path.find("/drivers/virtio/") != std::string::npos ||
           path.find("/drivers/char/virtio") != std::string::npos ||
           path.find("/fs/fuse/") != std::string::npos ||
           path.find("/fs/overlayfs/") != std::string::npos;
  }

  void take(const std::string &path, std::string content)
  {
    if (is_image(path))
      image = std::move(content);
    else if (is_config(path))
      config = std::move(content);
    else if (path.find(".ko") != std::string::npos)
      modules[module_name(path)] =
          path.ends_with(".ko") ? std::move(content) : decompress(content, largest_module);
  }
};

} // namespace

static Unpacked unpack(const std::vector<fs::path> &packages)
{
  Unpacked files;
  for (const fs::path &package : packages)
    read_package(package, Unpacked::wanted, [&](const std::string &path, std::string content) {
      files.take(path, std::move(content));
    });
  if (files.image.empty() || files.config.empty())
    throw kernel_error("its packages hold no vmlinuz and config where they are looked for");
  return files;
}

static json write_modules(const Purpose &purpose, const Unpacked &files, const fs::path &directory,
                          std::string &remark)
{
  Modules modules =
      modules_for(purpose, parse_config(files.config),
                  [&](const std::string &name) -> std::optional<std::string> {
                    auto at = files.modules.find(name);
                    return at == files.modules.end() ? std::nullopt : std::optional(at->second);
                  });
  remark = modules.remark;
  json names = json::array();
  fs::create_directories(directory / "modules");
  for (const std::string &name : modules.names) {
    write_file(directory / "modules" / (name + ".ko"), files.modules.at(name));
    names.push_back(name + ".ko");
  }
  return names;
}

// Writes the kernel's directory; kernel.json last.
static void write_kernel(const Unpacked &files, const std::vector<fs::path> &packages,
                         const fs::path &directory)
{
  fs::create_directories(directory);
  std::string elf = extract_vmlinux(files.image), remark, no_host_root;
  VmlinuxFacts facts = read_vmlinux(elf);
  json modules = write_modules(virtio_serial, files, directory, remark);
  json root_modules = write_modules(host_root, files, directory, no_host_root);
  if (!facts.has_pvh)
    remark = "its vmlinux has no entry for QEMU (CONFIG_PVH): boots compressed";
  const std::string &image = facts.has_pvh ? elf : files.image;
  const char *name = facts.has_pvh ? "vmlinux" : "bzImage";
  write_file(directory / name, image);
  write_file(directory / "config", files.config);
  json metadata = {{"version", metadata_version},  {"release", bzimage_release(files.image)},
                   {"build_id", facts.build_id},   {"image", name},
                   {"image_size", image.size()},   {"modules", modules},
                   {"packages", json::array()},    {"remark", remark},
                   {"root_modules", root_modules}, {"no_host_root", no_host_root}};
  for (const fs::path &package : packages)
    metadata["packages"].push_back(package.filename());
  write_file(directory / "kernel.json", metadata.dump(2) + "\n");
}

namespace
{

// Gone at the end, whatever that is. The lock makes it ours, also one that a killed process left.
struct Scratch {
  fs::path path;
  explicit Scratch(fs::path at) : path(std::move(at))
  {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Scratch()
  {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
};

} // namespace

static void fetch(const std::string &version, const fs::path &target)
{
  Scratch scratch(target.string() + ".tmp");
  Progress progress("fetching debian:" + version);
  std::vector<fs::path> packages = fetch_packages(version, scratch.path / "apt", progress);
  progress.show(2, 3, "unpacking");
  write_kernel(unpack(packages), packages, scratch.path / "kernel");
  if (fs::exists(target))
    fs::rename(target, scratch.path / "old");
  fs::rename(scratch.path / "kernel", target);
}

static std::string known_versions()
{
  std::string list;
  for (const auto &[version, unused] : suites)
    list += (list.empty() ? "debian:" : ", debian:") + version;
  return list;
}

Kernel find_debian_kernel(const std::string &spec, const KernelOptions &options)
{
  std::string version = spec.substr(spec.find(':') + 1);
  if (!suites.count(version))
    throw kernel_error(fmt::format("unknown kernel '{}': there are {}", spec, known_versions()));
  fs::path target = options.cache / "kernels" / ("debian-" + version);
  if (!options.refresh)
    if (std::optional<Kernel> kernel = cached(target, spec, options.host_root))
      return *kernel;
  try {
    Fd held = lock_file(target.string() + ".lock");
    if (std::optional<Kernel> kernel =
            options.refresh ? std::nullopt : cached(target, spec, options.host_root))
      return *kernel;
    fetch(version, target);
    return read_cached(target, spec, options.host_root);
  } catch (const apt_missing &failure) {
    throw kernel_missing(
        fmt::format("cannot get {}: {}; give --kernel PATH", spec, failure.what()));
  } catch (const std::exception &failure) {
    throw kernel_error(fmt::format("cannot get {}: {}", spec, failure.what()));
  }
}

} // namespace vmtest
