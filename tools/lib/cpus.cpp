// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/cpus.h"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <system_error>

static constexpr int max_cpu = CPU_SETSIZE - 1;

std::vector<int> allowed_cpus()
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set))
    throw std::system_error(errno, std::generic_category(), "cannot read the CPU affinity");
  std::vector<int> cpus;
  for (int cpu = 0; cpu <= max_cpu; cpu++)
    if (CPU_ISSET(cpu, &set))
      cpus.push_back(cpu);
  return cpus;
}

static int parse_cpu(std::string_view text, const std::string &whole)
{
  int cpu = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error != std::errc() || end != text.data() + text.size() || cpu < 0 || cpu > max_cpu)
    throw std::invalid_argument(fmt::format(
        "'{}' in the CPU list '{}' is not a CPU number from 0 to {}", text, whole, max_cpu));
  return cpu;
}

std::vector<int> parse_cpu_list(const std::string &text)
{
  std::vector<int> cpus;
  std::string_view rest = text;
  while (true) {
    auto comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    auto dash = part.find('-');
    int first = parse_cpu(part.substr(0, dash), text);
    int last = dash == part.npos ? first : parse_cpu(part.substr(dash + 1), text);
    if (last < first)
      throw std::invalid_argument(
          fmt::format("'{}' in the CPU list '{}' runs backwards", part, text));
    for (int cpu = first; cpu <= last; cpu++)
      cpus.push_back(cpu);
    if (comma == rest.npos)
      return cpus;
    rest.remove_prefix(comma + 1);
  }
}

void pin_this_thread(int cpu)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof(set), &set))
    throw std::system_error(errno, std::generic_category(),
                            fmt::format("cannot pin a thread to CPU {}", cpu));
}
