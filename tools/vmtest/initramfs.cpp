// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/initramfs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

#include "tools/lib/elf_file.h"
#include "tools/lib/hash.h"
#include "tools/lib/strip.h"
#include "tools/vmtest/libraries.h"
#include "tools/vmtest/mapped_file.h"

namespace fs = std::filesystem;

namespace vmtest
{

// The length field has eight hexadecimal digits.
static constexpr uint64_t largest_file = 0xffffffff;

// Only whether a file can be executed is kept: other bits vary with the umask of who made it.
static unsigned plain_mode(const fs::path &host)
{
  auto any_x = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  return (fs::status(host).permissions() & any_x) != fs::perms::none ? 0755 : 0644;
}

static std::string file_content(const fs::path &host)
{
  MappedFile file(host);
  if (file.bytes().size() > largest_file)
    throw initramfs_error(fmt::format("'{}' has 4 GiB or more, too much for an initramfs: "
                                      "bring it into the guest in parts",
                                      host.string()));
  return std::string(file.bytes());
}

// Without the leading "/", "." and "..".
static std::string guest_path(const fs::path &guest)
{
  std::string path = ("/" / guest).lexically_normal().relative_path();
  while (path.ends_with('/'))
    path.pop_back();
  if (path.empty() || path.find('\0') != std::string::npos)
    throw initramfs_error(fmt::format("'{}' is no path for a file in the guest", guest.string()));
  return path;
}

Initramfs::Initramfs()
{
  add_directory("dev");
  add("dev/console", {.mode = S_IFCHR | 0600, .rdev_major = 5, .rdev_minor = 1, .content = {}});
}

void Initramfs::add(const fs::path &guest, Entry entry)
{
  std::string path = guest_path(guest);
  for (fs::path parent = fs::path(path).parent_path(); !parent.empty();
       parent = parent.parent_path()) {
    const Entry &there =
        x_entries.try_emplace(parent, Entry{.mode = S_IFDIR | 0755, .content = {}}).first->second;
    if (!S_ISDIR(there.mode))
      throw initramfs_error(
          fmt::format("'/{}' lies under '/{}', which is no directory", path, parent.string()));
  }
  auto [at, fresh] = x_entries.try_emplace(path, entry);
  if (fresh || at->second == entry)
    return;
  // A directory that was on the way to something gets its permissions when it is named itself.
  if (S_ISDIR(entry.mode) && S_ISDIR(at->second.mode))
    at->second = std::move(entry);
  else
    throw initramfs_error(fmt::format("'/{}' was added twice with different content", path));
}

void Initramfs::add_file(const fs::path &host, const fs::path &guest)
{
  try {
    add(guest, {.mode = S_IFREG | plain_mode(host), .content = file_content(host)});
  } catch (const std::system_error &failure) {
    throw initramfs_error(failure.what());
  }
}

void Initramfs::add_text(const fs::path &guest, std::string_view content, unsigned mode)
{
  add(guest, {.mode = S_IFREG | (mode & 07777), .content = std::string(content)});
}

void Initramfs::add_directory(const fs::path &guest, unsigned mode)
{
  add(guest, {.mode = S_IFDIR | (mode & 07777), .content = {}});
}

void Initramfs::add_symlink(const fs::path &guest, const std::string &target)
{
  add(guest, {.mode = S_IFLNK | 0777, .content = target});
}

std::vector<fs::path> search_path()
{
  std::vector<fs::path> out;
  const char *path = getenv("PATH");
  std::istringstream directories(path ? path : "/usr/bin:/bin");
  for (std::string each; std::getline(directories, each, ':');)
    out.emplace_back(each.empty() ? "." : each);
  out.insert(out.end(), {"/sbin", "/usr/sbin"});
  return out;
}

static std::optional<fs::path> in_path(const std::string &name)
{
  for (const fs::path &directory : search_path())
    if (fs::path file = directory / name; access(file.c_str(), X_OK) == 0)
      return fs::absolute(file);
  if (name.find('/') != std::string::npos && access(name.c_str(), X_OK) == 0)
    return fs::absolute(name);
  return std::nullopt;
}

// The program that env would run: behind its options (-S splits what follows) and NAME=VALUE.
static std::string program_of_env(std::istream &words)
{
  for (std::string word; words >> word;) {
    if (word.starts_with("-S") && word.size() > 2)
      word.erase(0, 2);
    else if (word.starts_with("--split-string="))
      word.erase(0, strlen("--split-string="));
    if (word == "-u" || word == "-C" || word == "--unset" || word == "--chdir") {
      words >> word; // its value
      continue;
    }
    std::erase_if(word, [](char c) { return c == '"' || c == '\''; });
    if (!word.empty() && word[0] != '-' && word.find('=') == std::string::npos)
      return word;
  }
  return "";
}

// What a script's first line names: its interpreter, and what env would look for.
static std::vector<fs::path> interpreters(const fs::path &host, std::string_view script)
{
  std::string first(script.substr(2, script.substr(0, 256).find('\n') - 2));
  if (first.ends_with('\r'))
    throw initramfs_error(fmt::format("'{}': its first line ends with CR LF, so the kernel would "
                                      "look for an interpreter with CR in its name: save it with "
                                      "LF",
                                      host.string()));
  std::istringstream line(first);
  std::string interpreter;
  line >> interpreter;
  std::vector<fs::path> files = {interpreter};
  if (fs::path(interpreter).filename() == "env")
    if (std::string program = program_of_env(line); !program.empty())
      if (std::optional<fs::path> found = in_path(program))
        files.push_back(*found);
  return files;
}

// Without what only a debugger reads. more_mode: bits that it gets, whatever the file has.
Initramfs::Entry Initramfs::program(const fs::path &host, unsigned more_mode)
{
  return {.mode = S_IFREG | plain_mode(host) | more_mode,
          .content = without_debug(file_content(host))};
}

void Initramfs::add_executable(const fs::path &host, const fs::path &guest)
{
  std::string path = guest_path(guest);
  try {
    add(guest, program(host, 0111));
    std::string_view content = x_entries.at(path).content;
    if (ElfFile::is_elf(content))
      for (const GuestFile &file : find_libraries({host, "/" + path}))
        add(file.guest, program(file.host, 0));
    else if (content.starts_with("#!"))
      for (const fs::path &interpreter : interpreters(host, content))
        if (!x_entries.count(guest_path(interpreter)))
          add_executable(interpreter, interpreter);
  } catch (const library_error &failure) {
    throw initramfs_error(failure.what());
  } catch (const std::system_error &failure) {
    throw initramfs_error(failure.what());
  }
}

static bool is_special(const fs::file_status &status)
{
  return !fs::is_regular_file(status) && !fs::is_directory(status) && !fs::is_symlink(status);
}

// Why a file or directory under a shared one cannot be brought; nothing where it can.
static std::string why_not(const fs::directory_entry &entry)
{
  const std::string path = entry.path();
  if (is_special(entry.symlink_status()))
    return fmt::format("'{}' is no file, directory or symbolic link", path);
  if (!entry.is_symlink() && access(path.c_str(), entry.is_directory() ? R_OK | X_OK : R_OK) < 0)
    return fmt::format("'{}': {}", path, strerror(errno));
  return "";
}

std::vector<std::string> Initramfs::add_directory_tree(const fs::path &host, const fs::path &guest)
{
  std::vector<std::string> left_out;
  try {
    if (guest.lexically_normal().relative_path() != "")
      add_directory(guest);
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(host, fs::directory_options::skip_permission_denied)) {
      fs::path to = guest / entry.path().lexically_relative(host);
      if (std::string why = why_not(entry); !why.empty())
        left_out.push_back(why);
      else if (entry.is_symlink())
        add_symlink(to, fs::read_symlink(entry.path()));
      else if (entry.is_directory())
        add_directory(to);
      else
        add_file(entry.path(), to);
    }
  } catch (const std::system_error &failure) {
    throw initramfs_error(failure.what());
  }
  return left_out;
}

// newc, from the kernel's Documentation/driver-api/early-userspace/buffer-format.rst: thirteen
// fields of eight digits, the name with a NUL, the content, each padded to four bytes. By hand:
// libarchive's writer takes as many lines, 12 KB more of this program in every guest, and writes
// other bytes (lower-case digits), which moves the exact counts of stored baselines.
static void append_entry(std::string &archive, std::string_view name, uint32_t inode, uint32_t mode,
                         uint32_t rdev_major, uint32_t rdev_minor, std::string_view content)
{
  uint32_t links = S_ISDIR(mode) ? 2 : 1;
  archive += "070701";
  for (uint64_t field :
       {uint64_t{inode}, uint64_t{mode}, uint64_t{0}, uint64_t{0}, uint64_t{links}, uint64_t{0},
        uint64_t{content.size()}, uint64_t{0}, uint64_t{0}, uint64_t{rdev_major},
        uint64_t{rdev_minor}, uint64_t{name.size() + 1}, uint64_t{0}})
    archive += fmt::format("{:08X}", field);
  archive += name;
  archive.append(1 + (4 - (archive.size() + 1) % 4) % 4, '\0');
  archive += content;
  archive.append((4 - archive.size() % 4) % 4, '\0');
}

std::string Initramfs::bytes() const
{
  size_t size = 1024;
  for (const auto &[path, entry] : x_entries)
    size += 128 + path.size() + entry.content.size();
  std::string archive;
  archive.reserve(size);
  uint32_t inode = 1;
  for (const auto &[path, entry] : x_entries)
    append_entry(archive, path, inode++, entry.mode, entry.rdev_major, entry.rdev_minor,
                 entry.content);
  append_entry(archive, "TRAILER!!!", 0, 0, 0, 0, "");
  archive.append((512 - archive.size() % 512) % 512, '\0');
  return archive;
}

std::string Initramfs::sha256() const { return sha256_hex(bytes()); }

} // namespace vmtest
