// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the kernel says on its console: the last lines for the user, and the lines that mean
// trouble. Only lines with the kernel's time-stamp count, as a program may write to the console,
// too.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vmtest
{

enum class Trouble {
  Panic,
  Oops,
  Bug,   // BUG:, kernel BUG at, UBSAN
  Kasan, // and KFENCE, KCSAN, KMSAN
  Lockdep,
  Lockup, // soft or hard
  RcuStall,
  HungTask,
  Leak,  // kmemleak, a network device that cannot go
  Asked, // what --splat looks for
  Warning,
  OutOfMemory,       // of the whole machine
  CgroupOutOfMemory, // of a memory cgroup: a test may want it, so it is told and no more
};

const char *name(Trouble trouble);

struct Finding {
  Trouble trouble;
  std::string line; // without its time-stamp
};

// What one line of the console (without its end) means; nothing for most. splats: expressions of
// the user's for what is trouble, too.
std::optional<Finding> scan_line(std::string_view line,
                                 const std::vector<std::string> &splats = {});

class ConsoleLog {
public:
  explicit ConsoleLog(std::vector<std::string> splats = {}) : x_splats(std::move(splats)) {}
  void push(std::string_view bytes);
  // The end of the console: a last line without an end counts, too.
  void finish();

  const std::vector<Finding> &findings() const { return x_findings; }
  // The first line that looks like a panic's and has no time-stamp (printk.time=0, or a program);
  // empty: none.
  const std::string &bare_panic() const { return x_bare_panic; }
  // The first of its kind.
  const Finding *find(Trouble trouble) const;
  // At most so many lines, printable: those from mark() on, or from two lines before the first
  // trouble on, or the latest.
  std::vector<std::string> excerpt(size_t lines) const;
  // What comes now is what the user will want to see.
  void mark();
  // Whole lines that have come since the last call of this, for showing live.
  std::vector<std::string> take_new();
  bool silent() const { return x_lines.empty() && x_partial.empty(); }

private:
  void add_line(std::string_view line);

  std::vector<std::string> x_splats;
  std::string x_partial, x_bare_panic;
  std::deque<std::string> x_lines;  // the latest
  std::vector<std::string> x_first; // see excerpt()
  bool x_marked = false;
  std::vector<std::string> x_new;
  std::vector<Finding> x_findings;
};

} // namespace vmtest
