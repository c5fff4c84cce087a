// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/out_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/lib/text.h"
#include "tools/vmtest/outcome.h"

namespace vmtest
{

[[noreturn]] static void lose(const std::string &what)
{
  throw outcome_error(Outcome::OutputLost, what);
}

[[noreturn]] static void lose(const std::string &path, int error)
{
  lose(fmt::format("cannot write {}: {}", path, strerror(error)));
}

// Its parts. Throws for what is no path below a directory.
static std::vector<std::string> split(const std::string &path)
{
  std::vector<std::string> parts;
  for (size_t from = 0, end; from <= path.size(); from = end + 1) {
    end = std::min(path.find('/', from), path.size());
    parts.push_back(path.substr(from, end - from));
    const std::string &part = parts.back();
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string::npos)
      lose(fmt::format("the guest sent a file of the name '{}'", path));
  }
  return parts;
}

void OutFiles::take(const Frame &frame)
{
  try {
    if (frame.kind == FrameKind::File)
      begin(frame.payload);
    else if (frame.kind == FrameKind::FileHole)
      skip(frame.payload);
    else
      add(frame.payload);
  } catch (...) {
    drop();
    throw;
  }
}

// One step down, without following a symbolic link. Makes the directory where there is none.
static Fd step_down(int parent, const std::string &name, const std::string &path)
{
  if (mkdirat(parent, name.c_str(), 0777) < 0 && errno != EEXIST)
    lose(path, errno);
  Fd below(openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!below)
    lose(path, errno);
  return below;
}

static Fd open_top(const std::string &directory)
{
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  Fd top(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top)
    lose(directory, errno);
  return top;
}

void OutFiles::begin(const std::string &text)
{
  if (x_file) {
    drop();
    lose(fmt::format("the guest sent {} only in part", x_path));
  }
  auto header = nlohmann::json::parse(text, nullptr, false);
  if (header.is_discarded() || !header.is_object())
    lose("the guest sent a file without a name");
  std::string path = header.value("path", "");
  for (unsigned c : header.value("path_bytes", std::vector<unsigned>{}))
    path += static_cast<char>(c);
  std::vector<std::string> parts = split(path);
  x_path = x_directory + "/" + path;
  x_parent = open_top(x_directory);
  bool directory = header.value("directory", false);
  for (size_t i = 0; i + (directory ? 0 : 1) < parts.size(); i++)
    x_parent = step_down(x_parent.get(), parts[i], x_path);
  if (directory) {
    x_modes.emplace_back(path, header.value("mode", 0777u) & 0777);
    return;
  }
  x_name = parts.back();
  x_partial = fmt::format(".{}.{}.part", x_name.substr(0, 200), getpid());
  x_left = header.value("size", uint64_t{0});
  x_file.reset(openat(x_parent.get(), x_partial.c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                      header.value("mode", 0644u) & 0777));
  if (!x_file)
    lose(x_path, errno);
  if (x_left == 0)
    commit();
}

void OutFiles::add(std::string_view data)
{
  if (!x_file || data.size() > x_left)
    lose("the guest sent more of a file than it has");
  x_left -= data.size();
  x_bytes += data.size();
  while (!data.empty()) {
    ssize_t written = write(x_file.get(), data.data(), data.size());
    if (written < 0 && errno != EINTR)
      lose(x_path, errno);
    data.remove_prefix(written < 0 ? 0 : written);
  }
  if (x_left == 0)
    commit();
}

// At the end of a file, too.
void OutFiles::skip(const std::string &text)
{
  auto length = parse_whole(text);
  if (!x_file || !length || *length > x_left)
    lose("the guest sent more of a file than it has");
  off_t end = lseek(x_file.get(), static_cast<off_t>(*length), SEEK_CUR);
  if (end < 0 || ftruncate(x_file.get(), end) < 0)
    lose(x_path, errno);
  x_left -= *length;
  if (x_left == 0)
    commit();
}

// As far as our umask lets them, as it does with files. The innermost first.
void OutFiles::set_modes()
{
  mode_t mask = umask(0);
  umask(mask);
  for (auto each = x_modes.rbegin(); each != x_modes.rend(); ++each) {
    Fd below(open(x_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const std::string &part : split(each->first))
      below.reset(
          openat(below.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!below || fchmod(below.get(), each->second & ~mask) < 0)
      lose(x_directory + "/" + each->first, errno);
  }
  x_modes.clear();
}

// Some file systems tell only when it is closed that there was no room.
void OutFiles::commit()
{
  if (close(x_file.release()) < 0)
    lose(x_path, errno);
  if (renameat(x_parent.get(), x_partial.c_str(), x_parent.get(), x_name.c_str()) < 0) {
    int error = errno;
    unlinkat(x_parent.get(), x_partial.c_str(), 0);
    lose(x_path, error);
  }
  x_files++;
}

void OutFiles::drop()
{
  if (!x_file)
    return;
  x_file.reset();
  unlinkat(x_parent.get(), x_partial.c_str(), 0);
}

void OutFiles::finish()
{
  if (!x_file)
    return;
  drop();
  lose(fmt::format("{} came only in part", x_path));
}

} // namespace vmtest
