// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/payload.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "tools/lib/hash.h"
#include "tools/vmtest/initramfs.h"
#include "tools/vmtest/outcome.h"

namespace fs = std::filesystem;

namespace vmtest
{

static fs::path own_path() { return fs::read_symlink("/proc/self/exe"); }

static bool executable(const fs::path &path)
{
  std::error_code none;
  return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path, none);
}

// BUILD/tools/vmtest/vmtest: what else was built, by its name.
static std::vector<fs::path> places()
{
  fs::path own = own_path().parent_path(), build = own.parent_path().parent_path();
  std::vector<fs::path> out = {build / "prog_tests", build / "benchs", build / "tools/gate", own};
  for (fs::path &each : search_path())
    out.push_back(std::move(each));
  return out;
}

std::string find_program(const std::string &name)
{
  if (name.find('/') != std::string::npos) {
    if (executable(name))
      return name;
    std::error_code none;
    throw outcome_error(
        Outcome::CommandNotFound,
        fmt::format("{}: {}", name, fs::exists(name, none) ? "cannot be executed" : "not found"));
  }
  for (const fs::path &place : places())
    if (executable(place / name))
      return place / name;
  throw outcome_error(Outcome::CommandNotFound,
                      fmt::format("{}: not in the build tree nor on PATH", name));
}

static std::string guest_path(const std::string &name)
{
  return "/bin/" + fs::path(name).filename().string();
}

static void add_program(Initramfs &files, const std::string &name)
{
  files.add_executable(find_program(name), guest_path(name));
}

// What cannot be brought is told, and costs nothing else: a socket of an agent lies in many homes.
static void add_share(Initramfs &files, const std::string &directory,
                      std::vector<std::string> &remarks)
{
  std::error_code error;
  fs::path full = fs::canonical(directory, error);
  if (error || !fs::is_directory(full))
    throw usage_error(fmt::format("--share {}: no directory", directory));
  for (const std::string &what : files.add_directory_tree(full, "/share" / full.filename()))
    remarks.push_back(fmt::format("--share {}: {}: left out", directory, what));
}

// So that programs that ask who they are get an answer.
static void add_accounts(Initramfs &files)
{
  files.add_text("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"
                                "nobody:x:65534:65534:nobody:/:/bin/false\n");
  files.add_text("/etc/group", "root:x:0:\nnogroup:x:65534:\n");
  files.add_text("/etc/hosts", "127.0.0.1 localhost\n");
}

// A shell is no use alone. What this machine lacks, the guest does.
static std::vector<std::string> add_shell(Initramfs &files)
{
  constexpr std::array tools = {"bpftool", "cat",   "cp",    "dd",    "df",     "dmesg", "echo",
                                "find",    "free",  "grep",  "head",  "id",     "kill",  "less",
                                "ls",      "lsmod", "mkdir", "mount", "mv",     "ps",    "rm",
                                "sed",     "sleep", "sh",    "sort",  "strace", "tail",  "top",
                                "umount",  "uname", "vi",    "wc"};
  for (const char *tool : tools)
    try {
      add_program(files, tool);
    } catch (const outcome_error &) {
      continue;
    }
  try {
    add_program(files, "bash");
    return {"bash"};
  } catch (const outcome_error &) {
    return {"sh"};
  }
}

static std::vector<std::string> add_modules(Initramfs &files, const std::vector<fs::path> &modules)
{
  std::vector<std::string> paths;
  for (const fs::path &module : modules) {
    paths.push_back("/lib/modules/" + module.filename().string());
    files.add_file(module, paths.back());
  }
  return paths;
}

// Into the initramfs, with all that it needs to run there.
static void add_command(Initramfs &files, const Options &options, Payload &payload)
{
  add_accounts(files);
  payload.command = options.command;
  if (payload.command.empty())
    payload.command = add_shell(files);
  payload.argv0 = payload.command[0];
  if (payload.argv0.find('/') != std::string::npos)
    payload.argv0 = guest_path(payload.argv0);
  add_program(files, payload.command[0]);
  payload.command[0] = guest_path(payload.command[0]);
  for (const std::string &name : options.with)
    add_program(files, name);
}

// It lies where it lies here.
static void name_command(const Options &options, Payload &payload)
{
  payload.command = options.command;
  if (payload.command.empty())
    payload.command = {"sh"};
  payload.argv0 = payload.command[0];
  payload.command[0] = fs::absolute(find_program(payload.command[0]));
}

static Payload collect(const Options &options, const Kernel &kernel)
{
  Initramfs files;
  Payload payload;
  files.add_executable(own_path(), "/init");
  if (options.host_root) {
    name_command(options, payload);
    payload.root_modules = add_modules(files, kernel.root_modules);
  } else {
    add_command(files, options, payload);
  }
  for (const std::string &directory : options.share)
    add_share(files, directory, payload.remarks);
  // Where it counts instructions, a quarter of a megabyte more would move them.
  if (!options.icount && !kernel.config_text.empty())
    files.add_text("/boot/config-" + kernel.release, kernel.config_text);
  if (!options.out.empty())
    payload.modules = add_modules(files, kernel.virtio_modules);
  payload.bytes = files.bytes();
  payload.sha256 = sha256_hex(payload.bytes);
  return payload;
}

Payload make_payload(const Options &options, const Kernel &kernel)
{
  try {
    return collect(options, kernel);
  } catch (const initramfs_error &failure) {
    throw outcome_error(Outcome::InputUnreadable, failure.what());
  }
}

} // namespace vmtest
