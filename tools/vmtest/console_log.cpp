// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/console_log.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/vmtest/pattern.h"

namespace vmtest
{

static constexpr size_t kept_lines = 200;
static constexpr size_t kept_trouble_lines = 100;
static constexpr size_t kept_findings = 50;
static constexpr size_t longest_line = 4096;

const char *name(Trouble trouble)
{
  static constexpr std::array names = {"panic",
                                       "oops",
                                       "BUG",
                                       "KASAN",
                                       "lockdep",
                                       "lockup",
                                       "RCU stall",
                                       "hung task",
                                       "leak",
                                       "asked for by --splat",
                                       "WARNING",
                                       "out of memory",
                                       "cgroup out of memory"};
  return names[static_cast<size_t>(trouble)];
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Length of "[   12.345678] " at the begin of text, 0 if it is none.
static size_t stamp_length(std::string_view text)
{
  size_t at = 0;
  auto skip = [&](auto wanted) {
    size_t from = at;
    while (at < text.size() && wanted(text[at]))
      at++;
    return at - from;
  };
  if (!text.starts_with('['))
    return 0;
  at = 1;
  skip([](char c) { return c == ' '; });
  if (!skip(is_digit) || !text.substr(at).starts_with('.'))
    return 0;
  at++;
  if (skip(is_digit) != 6 || !text.substr(at).starts_with(']'))
    return 0;
  at++;
  return text.substr(at).starts_with(' ') ? at + 1 : at;
}

// "[    T1] " or "[  C0] ", of CONFIG_PRINTK_CALLER.
static size_t caller_length(std::string_view text)
{
  if (!text.starts_with('['))
    return 0;
  size_t at = text.find_first_not_of(' ', 1);
  if (at == text.npos || (text[at] != 'T' && text[at] != 'C'))
    return 0;
  size_t end = text.find_first_not_of("0123456789", at + 1);
  if (end == text.npos || end == at + 1 || text[end] != ']')
    return 0;
  return std::min(text.find_first_not_of(' ', end + 1), text.size());
}

// The kernel's message in a line, which may begin with what a program wrote without a newline.
static std::optional<std::string_view> message(std::string_view line)
{
  for (size_t at = line.find('['); at != line.npos; at = line.find('[', at + 1)) {
    std::string_view rest = line.substr(at);
    if (size_t length = stamp_length(rest)) {
      rest.remove_prefix(length);
      rest.remove_prefix(caller_length(rest));
      return rest;
    }
  }
  return std::nullopt;
}

static bool has(std::string_view text, std::string_view part)
{
  return text.find(part) != text.npos;
}

// How die() ends its first line: ": 0002 [#1] PREEMPT SMP".
static bool has_die_counter(std::string_view text)
{
  size_t at = text.find(" [#");
  return at != text.npos && at + 3 < text.size() && is_digit(text[at + 3]);
}

// lockdep's reports are warnings by name; what each of them begins with.
static bool is_lockdep(std::string_view text)
{
  static constexpr std::array<std::string_view, 10> reports = {
      "WARNING: possible circular locking",   "WARNING: possible recursive locking",
      "WARNING: possible irq lock inversion", "WARNING: inconsistent lock state",
      "WARNING: bad unlock balance",          "WARNING: suspicious RCU usage",
      "WARNING: lock held when returning",    "WARNING: held lock freed",
      "WARNING: Nested lock was not taken",   "WARNING: HARDIRQ-safe -> HARDIRQ-unsafe"};
  return std::any_of(reports.begin(), reports.end(),
                     [&](std::string_view report) { return text.starts_with(report); }) ||
         (text.starts_with("WARNING: ") &&
          (has(text, "lock order detected") || has(text, "-unsafe lock"))) ||
         has(text, "BUG: Invalid wait context") || has(text, "BUG: MAX_LOCK") ||
         has(text, "BUG: MAX_STACK_TRACE_ENTRIES") || text.starts_with("BUG: key ") ||
         text.starts_with("BUG: looking up invalid subclass") ||
         text.starts_with("INFO: trying to register non-static key") ||
         text.starts_with("turning off the locking correctness validator") ||
         text.starts_with("DEBUG_LOCKS_WARN_ON(");
}

static std::optional<Trouble> classify_bug(std::string_view text)
{
  for (std::string_view checker : {"BUG: KASAN", "BUG: KFENCE", "BUG: KCSAN", "BUG: KMSAN"})
    if (text.starts_with(checker))
      return Trouble::Kasan;
  for (std::string_view fault : {"BUG: unable to handle", "BUG: kernel NULL pointer"})
    if (text.starts_with(fault))
      return Trouble::Oops;
  if (has(text, "BUG: soft lockup") || has(text, "BUG: workqueue lockup"))
    return Trouble::Lockup;
  if (text.starts_with("BUG: ") || text.starts_with("kernel BUG at ") ||
      text.starts_with("UBSAN: "))
    return Trouble::Bug;
  return std::nullopt;
}

static std::optional<Trouble> classify_memory(std::string_view text)
{
  if (has(text, "Memory cgroup out of memory"))
    return Trouble::CgroupOutOfMemory;
  if (text.starts_with("Out of memory") || text.starts_with("Initramfs unpacking failed: write") ||
      has(text, "not syncing: Out of memory") ||
      has(text, "not syncing: System is deadlocked on memory"))
    return Trouble::OutOfMemory;
  return std::nullopt;
}

static std::optional<Trouble> classify_stall(std::string_view text)
{
  if (has(text, "hard LOCKUP"))
    return Trouble::Lockup;
  if ((has(text, "INFO: rcu") && has(text, "stall")) ||
      (text.starts_with("rcu: ") && has(text, " kthread starved for ")))
    return Trouble::RcuStall;
  if (text.starts_with("INFO: task ") && has(text, " blocked ") && has(text, " for more than "))
    return Trouble::HungTask;
  return std::nullopt;
}

static bool is_leak(std::string_view text)
{
  return text.starts_with("unregister_netdevice: waiting for ") ||
         (text.starts_with("kmemleak: ") && has(text, "suspected memory leak"));
}

static std::optional<Trouble> classify(std::string_view text)
{
  if (auto memory = classify_memory(text))
    return memory;
  if (text.starts_with("Kernel panic - not syncing"))
    return Trouble::Panic;
  if (is_lockdep(text))
    return Trouble::Lockdep;
  if (auto bug = classify_bug(text))
    return bug;
  if (has_die_counter(text) || text.starts_with("Oops") || text.starts_with("traps: PANIC") ||
      text.starts_with("PANIC: "))
    return Trouble::Oops;
  if (auto stall = classify_stall(text))
    return stall;
  if (is_leak(text))
    return Trouble::Leak;
  if (text.starts_with("WARNING: "))
    return Trouble::Warning;
  return std::nullopt;
}

std::optional<Finding> scan_line(std::string_view line, const std::vector<std::string> &splats)
{
  auto text = message(line);
  if (!text)
    return std::nullopt;
  auto trouble = classify(*text);
  if ((!trouble || *trouble == Trouble::Warning) && !splats.empty() &&
      matches_any(splats, std::string(*text)))
    trouble = Trouble::Asked;
  if (!trouble)
    return std::nullopt;
  return Finding{*trouble, std::string(*text)};
}

// A terminal must not be driven by what a guest says.
static std::string printable(std::string_view line)
{
  std::string text;
  for (char c : line.substr(0, longest_line))
    if (c == '\t')
      text += ' ';
    else if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)
      text += c;
  return text;
}

void ConsoleLog::add_line(std::string_view raw)
{
  std::string line = printable(raw);
  auto found = scan_line(line, x_splats);
  if (!found && x_bare_panic.empty() && line.starts_with("Kernel panic - not syncing"))
    x_bare_panic = line;
  if (found && x_findings.empty() && !x_marked)
    x_first.assign(x_lines.end() - std::min<size_t>(2, x_lines.size()), x_lines.end());
  if (found && (x_findings.size() < kept_findings || !find(found->trouble)))
    x_findings.push_back(*found);
  if ((x_marked || !x_findings.empty()) && x_first.size() < kept_trouble_lines)
    x_first.push_back(line);
  x_new.push_back(line);
  x_lines.push_back(std::move(line));
  if (x_lines.size() > kept_lines)
    x_lines.pop_front();
}

void ConsoleLog::push(std::string_view bytes)
{
  x_partial.append(bytes);
  size_t from = 0;
  for (size_t end; (end = x_partial.find('\n', from)) != std::string::npos; from = end + 1)
    add_line(std::string_view(x_partial).substr(from, end - from));
  x_partial.erase(0, from);
  if (x_partial.size() > longest_line)
    finish();
}

void ConsoleLog::finish()
{
  if (x_partial.empty())
    return;
  add_line(x_partial);
  x_partial.clear();
}

const Finding *ConsoleLog::find(Trouble trouble) const
{
  auto found = std::find_if(x_findings.begin(), x_findings.end(),
                            [&](const Finding &each) { return each.trouble == trouble; });
  return found == x_findings.end() ? nullptr : &*found;
}

void ConsoleLog::mark()
{
  x_first.clear();
  x_marked = true;
}

std::vector<std::string> ConsoleLog::excerpt(size_t lines) const
{
  if (!x_first.empty())
    return {x_first.begin(), x_first.begin() + std::min(lines, x_first.size())};
  return {x_lines.end() - std::min(lines, x_lines.size()), x_lines.end()};
}

std::vector<std::string> ConsoleLog::take_new() { return std::exchange(x_new, {}); }

} // namespace vmtest
