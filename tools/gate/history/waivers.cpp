// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/history/waivers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "tools/gate/judge/row_name.h"
#include "tools/gate/system/interrupt.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/environment.h"
#include "tools/lib/fd.h"
#include "tools/lib/json.h"
#include "tools/lib/text.h"

namespace fs = std::filesystem;

namespace gate
{

using result::json;

static constexpr const char *schema = "bpfgate-waivers";
static constexpr int version = 1;

bool is_day(const std::string &text)
{
  auto digits = [&](size_t from, size_t count) { return parse_whole(text.substr(from, count)); };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-')
    return false;
  auto year = digits(0, 4), month = digits(5, 2), day = digits(8, 2);
  if (!year || !month || !day)
    return false;
  return std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

static std::string text_of(const json &value, const char *member, const std::string &where)
{
  auto found = value.find(member);
  if (found == value.end() || !found->is_string() || found->get<std::string>().empty())
    throw result::error(fmt::format("{}/{} is missing or no text", where, member));
  return *found;
}

static Waiver waiver_from(const json &value, const std::string &where)
{
  if (!value.is_object())
    throw result::error(where + " is no object");
  Waiver waiver = {.row = text_of(value, "row", where),
                   .owner = text_of(value, "owner", where),
                   .reason = text_of(value, "reason", where),
                   .until = text_of(value, "until", where)};
  if (!is_day(waiver.until))
    throw result::error(fmt::format("{}/until is no day like 2026-12-31", where));
  auto bound = value.find("bound_pct");
  if (bound == value.end() || !bound->is_number() || !(bound->get<double>() >= 0))
    throw result::error(where + "/bound_pct is missing or no percentage");
  waiver.bound_pct = *bound;
  return waiver;
}

std::vector<Waiver> read_waivers(const std::string &path)
{
  std::vector<Waiver> waivers;
  if (!fs::exists(path))
    return waivers;
  json value = result::parse_json(read_file(path), path);
  if (!value.is_object() || value.value("schema", json()) != schema)
    throw result::error(fmt::format("{}: no waivers: \"schema\" is not \"{}\"", path, schema));
  if (value.value("version", json()) != version)
    throw result::error(fmt::format("{}: /version is not {}", path, version));
  const json list = value.value("waivers", json::array());
  for (size_t i = 0; i < list.size(); i++)
    waivers.push_back(waiver_from(list[i], fmt::format("{}: /waivers/{}", path, i)));
  return waivers;
}

Value to_value(const Waiver &waiver)
{
  return {{"row", waiver.row},
          {"owner", waiver.owner},
          {"reason", waiver.reason},
          {"until", waiver.until},
          {"bound_pct", waiver.bound_pct}};
}

void write_waivers(const std::string &path, const std::vector<Waiver> &waivers)
{
  json list = json::array();
  for (const Waiver &waiver : waivers)
    list.push_back(to_value(waiver));
  json value = {{"schema", schema}, {"version", version}, {"waivers", list}};
  write_file(path, result::json_text(value, 2) + "\n");
}

// Held while the file is read, changed and replaced. On the directory, since the file is replaced.
static Fd lock_beside(const std::string &path)
{
  std::string directory = fs::path(path).parent_path();
  if (directory.empty())
    directory = ".";
  Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (fd && flock(fd.get(), LOCK_EX | LOCK_NB) < 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      throw std::system_error(errno, std::generic_category(), "cannot lock '" + directory + "'");
    check_interrupts();
    usleep(20000);
  }
  if (!fd)
    throw std::system_error(errno, std::generic_category(), "cannot open '" + directory + "'");
  return fd;
}

void add_waiver(const std::string &path, const Waiver &waiver)
{
  Fd held = lock_beside(path);
  std::vector<Waiver> waivers = read_waivers(path);
  std::erase_if(waivers, [&](const Waiver &each) { return each.row == waiver.row; });
  waivers.push_back(waiver);
  write_waivers(path, waivers);
}

std::vector<Waiver> drop_ended(const std::string &path, const std::string &today)
{
  std::vector<Waiver> ended;
  if (!fs::exists(path))
    return ended;
  Fd held = lock_beside(path);
  std::vector<Waiver> kept;
  for (Waiver &waiver : read_waivers(path))
    (waiver.until < today ? ended : kept).push_back(std::move(waiver));
  if (!ended.empty())
    write_waivers(path, kept);
  return ended;
}

// The change that a waiver's bound is on the scale of the row. Ratios: points. From a base of 0 no
// percentage allows anything.
static double bound_of(const Waiver &waiver, const Row &row)
{
  if (row.relative)
    return waiver.bound_pct / 100;
  return row.kind == result::Class::Ratio ? waiver.bound_pct : 0;
}

// As a tolerance is judged: where there is an interval, all of it must be beyond the bound.
static bool is_beyond(const Row &row, double bound)
{
  if (row.verdict == Verdict::Missing || !row.change)
    return false;
  bool higher = row.better == result::Better::Higher;
  double worse = higher ? -*row.change : *row.change;
  if (row.interval)
    worse = higher ? -row.interval->high : row.interval->low;
  return worse > bound;
}

static void apply(Row &row, const Waiver &waiver, const std::string &today)
{
  double bound = bound_of(waiver, row);
  if (waiver.until < today)
    return add_note(row, fmt::format("the waiver of {} ended on {}", waiver.owner, waiver.until));
  if (is_beyond(row, bound))
    return add_note(row, fmt::format("beyond the {:g} % that {} waived until {}", waiver.bound_pct,
                                     waiver.owner, waiver.until));
  row.waived = Waived{row.verdict, waiver.owner, waiver.reason, waiver.until, bound};
  found(row, "waived",
        fmt::format("{}, waived by {} until {} up to {:g} %: {}", to_string(row.verdict),
                    waiver.owner, waiver.until, waiver.bound_pct, waiver.reason));
}

std::vector<std::string> apply_waivers(std::vector<Row> &rows, const std::vector<Waiver> &waivers,
                                       const std::string &today)
{
  std::vector<std::string> remarks;
  for (const Waiver &waiver : waivers) {
    bool healed = false, needed = false;
    for (Row &row : rows) {
      if (!row.gated || !row_matches(waiver.row, row.name, row.parameters, row.metric))
        continue;
      bool bad = row.verdict == Verdict::Regressed || row.verdict == Verdict::Missing;
      needed |= bad;
      healed |= row.verdict == Verdict::Unchanged || row.verdict == Verdict::Improved;
      if (bad)
        apply(row, waiver, today);
    }
    if (healed && !needed)
      remarks.push_back(
          fmt::format("the waiver of {} for '{}' is not needed", waiver.owner, waiver.row));
  }
  return remarks;
}

} // namespace gate
