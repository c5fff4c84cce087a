// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/guest_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

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

bool any_files(const std::string &directory)
{
  std::error_code none;
  return fs::directory_iterator(directory, none) != fs::directory_iterator();
}

[[noreturn]] static void fail(const fs::path &path)
{
  throw std::system_error(errno, std::generic_category(), "cannot read " + path.string());
}

static void send_data(const fs::path &path, uint64_t size, const SendFrame &send)
{
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file)
    fail(path);
  std::vector<char> bytes(longest_payload);
  while (size > 0) {
    ssize_t got = read(file.get(), bytes.data(), std::min<uint64_t>(bytes.size(), size));
    if (got < 0)
      fail(path);
    if (got == 0)
      throw std::runtime_error(fmt::format("{} became shorter while it was read", path.string()));
    send(FrameKind::FileData, {bytes.data(), static_cast<size_t>(got)});
    size -= got;
  }
}

static void send_entry(const fs::path &path, const std::string &name, const SendFrame &send)
{
  struct stat info;
  if (lstat(path.c_str(), &info) < 0)
    fail(path);
  bool directory = S_ISDIR(info.st_mode);
  if (!directory && !S_ISREG(info.st_mode))
    return send(FrameKind::Remark, fmt::format("$OUT/{} is no regular file: left behind", name));
  nlohmann::json header = {{"path", name},
                           {"directory", directory},
                           {"mode", info.st_mode & 0777},
                           {"size", directory ? 0 : static_cast<uint64_t>(info.st_size)}};
  try {
    send(FrameKind::File, header.dump());
  } catch (const nlohmann::json::exception &) {
    throw std::runtime_error("a name under $OUT is no UTF-8");
  }
  if (!directory)
    send_data(path, info.st_size, send);
}

static void send_below(const fs::path &directory, const std::string &prefix, const SendFrame &send)
{
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(directory))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  for (const std::string &name : names) {
    send_entry(directory / name, prefix + name, send);
    if (fs::is_directory(fs::symlink_status(directory / name)))
      send_below(directory / name, prefix + name + "/", send);
  }
}

void send_files(const std::string &directory, const SendFrame &send)
{
  send_below(directory, "", send);
}

} // namespace vmtest::guest
