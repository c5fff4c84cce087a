// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A record: "PRIORITY,SEQUENCE,MICROSECONDS,FLAGS[,...];TEXT\n KEY=VALUE\n...", from the kernel's
// Documentation/ABI/testing/dev-kmsg.
#include "tools/vmtest/kernel_log.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace vmtest
{

static constexpr size_t kept_text = 16u << 20;
static constexpr size_t told_lines = 60;

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "\x0a" is a byte.
static std::string unescape(std::string_view text)
{
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    bool escaped = text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x' &&
                   hex_digit(text[i + 2]) >= 0 && hex_digit(text[i + 3]) >= 0;
    out +=
        escaped ? static_cast<char>(hex_digit(text[i + 2]) * 16 + hex_digit(text[i + 3])) : text[i];
    i += escaped ? 3 : 0;
  }
  return out;
}

std::optional<KernelRecord> parse_record(std::string_view record)
{
  size_t semicolon = record.find(';');
  if (semicolon == record.npos)
    return std::nullopt;
  unsigned priority = 0;
  unsigned long long sequence = 0, time_us = 0;
  std::string head(record.substr(0, semicolon));
  if (sscanf(head.c_str(), "%u,%llu,%llu,", &priority, &sequence, &time_us) != 3)
    return std::nullopt;
  std::string_view text = record.substr(semicolon + 1);
  return KernelRecord{priority >> 3, sequence, time_us, unescape(text.substr(0, text.find('\n')))};
}

void KernelLog::add(std::string_view bytes)
{
  auto record = parse_record(bytes);
  if (!record)
    return;
  if (record->sequence != (x_last ? *x_last + 1 : 0))
    x_lost = true;
  x_last = record->sequence;
  std::string stamp =
      fmt::format("[{:5}.{:06}] ", record->time_us / 1000000, record->time_us % 1000000);
  std::string lines;
  for (size_t from = 0, end; from <= record->text.size(); from = end + 1) {
    end = std::min(record->text.find('\n', from), record->text.size());
    lines += stamp + record->text.substr(from, end - from) + "\n";
  }
  if (x_text.size() < kept_text)
    x_text += lines;
  if (record->facility == 0)
    x_log.push(lines);
}

std::string KernelLog::report() const
{
  nlohmann::json out = {{"findings", nlohmann::json::array()}, {"lost", x_lost}};
  for (const Finding &each : x_log.findings())
    out["findings"].push_back("[    0.000000] " + each.line);
  if (!x_log.findings().empty())
    out["excerpt"] = x_log.excerpt(told_lines);
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<KernelReport> parse_report(std::string_view text,
                                         const std::vector<std::string> &splats)
{
  try {
    auto in = nlohmann::json::parse(text);
    KernelReport report;
    report.lost = in.at("lost").get<bool>();
    report.excerpt = in.value("excerpt", std::vector<std::string>{});
    for (const std::string &line : in.at("findings").get<std::vector<std::string>>())
      if (auto finding = scan_line(line, splats))
        report.findings.push_back(*finding);
    return report;
  } catch (const nlohmann::json::exception &) {
    return std::nullopt;
  }
}

} // namespace vmtest
