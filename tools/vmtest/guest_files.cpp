// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/guest_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "tools/lib/fd.h"

namespace fs = std::filesystem;

namespace vmtest::guest
{

[[noreturn]] static void fail(const std::string &name)
{
  throw std::system_error(errno, std::generic_category(), "cannot read $OUT/" + name);
}

// A name need not be UTF-8, which JSON must be.
static void send_header(const std::string &name, nlohmann::json header, const SendFrame &send)
{
  header["path"] = name;
  try {
    send(FrameKind::File, header.dump());
  } catch (const nlohmann::json::exception &) {
    header.erase("path");
    header["path_bytes"] = std::vector<unsigned>();
    for (unsigned char c : name)
      header["path_bytes"].push_back(unsigned{c});
    send(FrameKind::File, header.dump());
  }
}

static void send_bytes(int file, uint64_t size, const std::string &name, const SendFrame &send)
{
  std::vector<char> bytes(std::min<uint64_t>(longest_payload, size));
  while (size > 0) {
    ssize_t got = read(file, bytes.data(), std::min<uint64_t>(bytes.size(), size));
    if (got < 0)
      fail(name);
    if (got == 0)
      throw std::runtime_error(fmt::format("$OUT/{} became shorter while it was read", name));
    send(FrameKind::FileData, {bytes.data(), static_cast<size_t>(got)});
    size -= got;
  }
}

// Where data begins at or after an offset: size where none does. A file system that knows no holes
// has data everywhere.
static uint64_t next_data(int file, uint64_t from, uint64_t size)
{
  off_t at = lseek(file, static_cast<off_t>(from), SEEK_DATA);
  if (at < 0)
    return errno == ENXIO ? size : from;
  return std::min<uint64_t>(at, size);
}

static uint64_t next_hole(int file, uint64_t from, uint64_t size)
{
  off_t at = lseek(file, static_cast<off_t>(from), SEEK_HOLE);
  return at < 0 ? size : std::min<uint64_t>(at, size);
}

static void send_data(int file, uint64_t size, const std::string &name, const SendFrame &send)
{
  for (uint64_t at = 0; at < size;) {
    uint64_t data = next_data(file, at, size),
             hole = data < size ? next_hole(file, data, size) : size;
    if (data > at)
      send(FrameKind::FileHole, std::to_string(data - at));
    if (lseek(file, static_cast<off_t>(data), SEEK_SET) < 0)
      fail(name);
    send_bytes(file, hole - data, name, send);
    at = hole;
  }
}

static void send_entry(const fs::path &path, const std::string &name, const SendFrame &send)
{
  struct stat info;
  if (lstat(path.c_str(), &info) < 0)
    fail(name);
  if (S_ISDIR(info.st_mode))
    return send_header(name, {{"directory", true}, {"mode", info.st_mode & 0777}, {"size", 0}},
                       send);
  if (!S_ISREG(info.st_mode))
    return send(FrameKind::Remark, fmt::format("$OUT/{} is no regular file: left behind", name));
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)); // before anything is promised
  if (!file)
    fail(name);
  uint64_t size = info.st_size;
  send_header(name, {{"directory", false}, {"mode", info.st_mode & 0777}, {"size", size}}, send);
  send_data(file.get(), size, name, send);
}

void send_text(const std::string &name, std::string_view content, const SendFrame &send)
{
  send_header(name, {{"directory", false}, {"mode", 0644}, {"size", content.size()}}, send);
  for (; !content.empty(); content.remove_prefix(std::min(content.size(), longest_payload)))
    send(FrameKind::FileData, content.substr(0, longest_payload));
}

// One file's trouble is not the others'. A line that does not take a frame is everybody's.
template <typename Work> static bool survives(const Work &work, const SendFrame &send)
{
  try {
    work();
    return true;
  } catch (const std::exception &failure) {
    send(FrameKind::Remark, fmt::format("{}: left behind", failure.what()));
    return false;
  }
}

static void send_below(const fs::path &directory, const std::string &prefix, const SendFrame &send)
{
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(directory))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  for (const std::string &name : names) {
    if (!survives([&] { send_entry(directory / name, prefix + name, send); }, send))
      continue;
    if (fs::is_directory(fs::symlink_status(directory / name)))
      survives([&] { send_below(directory / name, prefix + name + "/", send); }, send);
  }
}

void send_files(const std::string &directory, const SendFrame &send)
{
  send_below(directory, "", send);
}

} // namespace vmtest::guest
