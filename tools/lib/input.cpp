// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/lib/fd.h"

static constexpr size_t piece_size = 64 << 10;

struct Input::File {
  Fd own; // not of the standard input
  int fd = STDIN_FILENO;
};

[[noreturn]] static void fail(const std::string &name, int error)
{
  throw input_error(fmt::format("cannot read '{}': {}", name, strerror(error)));
}

Input::Input(const std::string &path)
    : x_name(path == "-" ? "standard input" : path), x_file(std::make_unique<File>())
{
  if (path != "-") {
    x_file->own = Fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    x_file->fd = x_file->own.get();
    if (x_file->fd < 0)
      fail(path, errno);
  }
  struct stat status {};
  if (fstat(x_file->fd, &status) == 0 && S_ISREG(status.st_mode))
    x_size = status.st_size;
  x_piece.resize(piece_size);
}

Input::Input(std::string text, std::string name)
    : x_name(std::move(name)), x_piece(std::move(text)), x_size(x_piece.size())
{
  x_filled = true;
}

Input::~Input() = default;

void Input::fill()
{
  x_filled = true;
  x_piece.resize(piece_size);
  size_t got = 0;
  // A pipe gives what it has: whole pieces, so that the head tells as much of it as of a file.
  while (got < piece_size) {
    ssize_t count = read(x_file->fd, x_piece.data() + got, piece_size - got);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      fail(x_name, errno);
    if (count == 0)
      break;
    got += count;
  }
  x_piece.resize(got);
}

std::string_view Input::head()
{
  if (!x_filled)
    fill();
  return std::string_view(x_piece).substr(0, piece_size);
}

std::string_view Input::take()
{
  if (x_filled) {
    x_filled = false;
    return x_piece;
  }
  if (!x_file)
    return {};
  fill();
  x_filled = false;
  return x_piece;
}

static std::string_view without_return(std::string_view line)
{
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

// Keeps the part of a line that a piece ends with, and takes the next piece.
bool Lines::append_piece()
{
  size_t room = max_line - std::min(max_line, x_line.size());
  x_line.append(x_rest.substr(0, room));
  x_rest = x_input.take();
  return !x_rest.empty();
}

bool Lines::next(std::string_view &line)
{
  x_line.clear();
  bool any = !x_rest.empty();
  for (;;) {
    size_t end = x_rest.find('\n');
    if (end != x_rest.npos) {
      std::string_view part = x_rest.substr(0, end);
      if (x_line.empty()) {
        line = part.substr(0, max_line);
      } else {
        x_line.append(part.substr(0, max_line - std::min(max_line, x_line.size())));
        line = x_line;
      }
      x_rest.remove_prefix(end + 1);
      break;
    }
    if (!append_piece()) {
      if (!any && x_line.empty())
        return false;
      line = x_line;
      break;
    }
    any = true;
  }
  x_number++;
  line = without_return(line);
  return true;
}

std::string printable(std::string_view text, size_t most)
{
  std::string shown;
  for (unsigned char c : text.substr(0, most))
    shown += c >= ' ' && c < 127 ? static_cast<char>(c) : '?';
  return shown + (text.size() > most ? "..." : "");
}
