// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "tools/lib/fd.h"

template <class T> static std::optional<T> parse_all(std::string_view text)
{
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_whole(std::string_view text) { return parse_all<uint64_t>(text); }

std::pair<std::string, std::string> range_ends(const std::string &text)
{
  size_t dash = text.find('-', 1); // in front it is a sign, and no number has one here
  if (dash == std::string::npos)
    return {"1", text};
  return {text.substr(0, dash), text.substr(dash + 1)};
}

std::optional<double> parse_number(std::string_view text)
{
  auto value = parse_all<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// One row of the table at a time.
size_t edit_distance(std::string_view a, std::string_view b)
{
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string> &among)
{
  std::optional<std::string> best;
  size_t best_edits = SIZE_MAX;
  for (const std::string &candidate : among) {
    size_t distance = edit_distance(name, candidate);
    if (distance < best_edits && distance <= std::max<size_t>(2, candidate.size() / 3)) {
      best = candidate;
      best_edits = distance;
    }
  }
  return best;
}

uint64_t fnv1a(std::string_view text)
{
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

std::optional<std::string> read_if_there(int fd)
{
  std::string text;
  char part[4096];
  for (;;) {
    ssize_t got = read(fd, part, sizeof(part));
    if (got == 0)
      return text;
    if (got > 0)
      text.append(part, got);
    else if (errno != EINTR)
      return std::nullopt;
  }
}

std::optional<std::string> read_if_there(const std::string &path)
{
  Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file ? read_if_there(file.get()) : std::nullopt;
}

std::vector<std::string> names_if_there(const std::string &directory)
{
  std::vector<std::string> names;
  std::error_code gone;
  for (std::filesystem::directory_iterator at(directory, gone), end; !gone && at != end;
       at.increment(gone))
    names.push_back(at->path().filename());
  return names;
}

std::optional<std::string> read_small_file(const std::string &path)
{
  std::optional<std::string> text = read_if_there(path);
  if (text)
    text->erase(text->find_last_not_of(" \t\r\n") + 1);
  return text;
}
