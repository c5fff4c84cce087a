// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/statistics/units.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gate
{

namespace
{
enum class Quantity { Time, TimePerOp, Rate, Throughput, Size, Share };
struct Unit {
  std::string_view name; // without blanks
  Quantity quantity;
  double scale; // in ns, ns, 1/s, bytes/s, bytes, percent
};
} // namespace

static constexpr std::array<Unit, 35> known{{
    {"ns", Quantity::Time, 1},
    {"us", Quantity::Time, 1e3},
    {"ms", Quantity::Time, 1e6},
    {"s", Quantity::Time, 1e9},
    {"sec", Quantity::Time, 1e9},
    {"ns/op", Quantity::TimePerOp, 1},
    {"us/op", Quantity::TimePerOp, 1e3},
    {"ms/op", Quantity::TimePerOp, 1e6},
    {"s/op", Quantity::TimePerOp, 1e9},
    {"sec/op", Quantity::TimePerOp, 1e9},
    {"ops/s", Quantity::Rate, 1},
    {"kops/s", Quantity::Rate, 1e3},
    {"Kops/s", Quantity::Rate, 1e3},
    {"Mops/s", Quantity::Rate, 1e6},
    {"Gops/s", Quantity::Rate, 1e9},
    {"/s", Quantity::Rate, 1},
    {"k/s", Quantity::Rate, 1e3},
    {"K/s", Quantity::Rate, 1e3},
    {"M/s", Quantity::Rate, 1e6},
    {"G/s", Quantity::Rate, 1e9},
    {"B", Quantity::Size, 1},
    {"KiB", Quantity::Size, 1024},
    {"MiB", Quantity::Size, 1048576},
    {"GiB", Quantity::Size, 1073741824},
    {"B/s", Quantity::Throughput, 1},
    {"kB/s", Quantity::Throughput, 1e3},
    {"MB/s", Quantity::Throughput, 1e6},
    {"GB/s", Quantity::Throughput, 1e9},
    {"KiB/s", Quantity::Throughput, 1024},
    {"MiB/s", Quantity::Throughput, 1048576},
    {"kB", Quantity::Size, 1e3},
    {"MB", Quantity::Size, 1e6},
    {"%", Quantity::Share, 1},
    {"percent", Quantity::Share, 1},
    {"pct", Quantity::Share, 1},
}};

static const Unit *find(std::string name)
{
  std::erase(name, ' ');
  auto found =
      std::find_if(known.begin(), known.end(), [&](const Unit &u) { return u.name == name; });
  return found == known.end() ? nullptr : &*found;
}

std::optional<double> conversion(const std::string &from, const std::string &to)
{
  if (from == to)
    return 1;
  const Unit *a = find(from);
  const Unit *b = find(to);
  if (!a || !b || a->quantity != b->quantity)
    return std::nullopt;
  return a->scale / b->scale;
}

std::optional<double> from_ns_per_op(double ns_per_op, const std::string &unit)
{
  const Unit *known_unit = find(unit);
  if (!known_unit)
    return std::nullopt;
  switch (known_unit->quantity) {
  case Quantity::Time:
  case Quantity::TimePerOp:
    return ns_per_op / known_unit->scale;
  case Quantity::Rate:
    return 1e9 / ns_per_op / known_unit->scale;
  default:
    return std::nullopt;
  }
}

result::Class class_of(const std::string &unit)
{
  const Unit *known_unit = find(unit);
  bool is_time = known_unit && known_unit->quantity != Quantity::Size &&
                 known_unit->quantity != Quantity::Share;
  return is_time ? result::Class::Time : result::Class::Unknown;
}

std::optional<result::Better> direction(const std::string &unit)
{
  using result::Better;
  const Unit *known_unit = find(unit);
  if (known_unit && known_unit->quantity == Quantity::Share)
    return std::nullopt;
  if (known_unit &&
      (known_unit->quantity == Quantity::Rate || known_unit->quantity == Quantity::Throughput))
    return Better::Higher;
  // Whatever an op costs.
  if (known_unit || unit.ends_with("/op") || unit == "insns" || unit == "states")
    return Better::Lower;
  return unit.ends_with("/s") ? std::optional(Better::Higher) : std::nullopt;
}

} // namespace gate
