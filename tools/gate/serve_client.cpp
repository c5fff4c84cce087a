// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/serve_client.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace gate
{

using result::json;

static constexpr int protocol = 1;

static std::vector<std::string> with_serve(std::vector<std::string> arguments)
{
  arguments.push_back("--serve");
  return arguments;
}

// The beginning of a text that may be anything, fit for one line of a message.
static std::string printable(const std::string &text)
{
  std::string shown;
  for (unsigned char c : text.substr(0, 80))
    shown += c >= ' ' && c < 127 ? static_cast<char>(c) : '?';
  return shown + (text.size() > 80 ? "..." : "");
}

ServeClient::ServeClient(const std::string &program, const std::vector<std::string> &arguments,
                         long timeout_ms)
    : x_program(program), x_timeout_ms(timeout_ms),
      x_child(std::make_unique<Child>(program, with_serve(arguments)))
{
}

void ServeClient::fail_ended(const std::string &request)
{
  std::string how = x_child->describe_end(), words = x_child->last_words();
  throw serve_error(fmt::format("'{}' ended at '{}' with {}{}{}", x_program, request, how,
                                words.empty() ? "" : ": ", words),
                    x_child->exit_status());
}

void ServeClient::fail_answer(const std::string &request, const std::string &answer)
{
  x_child->kill_now();
  throw serve_error(
      fmt::format("'{}' answered '{}' with '{}'", x_program, request, printable(answer)));
}

// The answer after "ok".
std::string ServeClient::ask(const std::string &request)
{
  if (!x_child->write_line(request))
    fail_ended(request);
  std::string answer;
  switch (x_child->read_line(answer, x_timeout_ms)) {
  case Child::Read::Line:
    break;
  case Child::Read::End:
    fail_ended(request);
  case Child::Read::TooLong:
    fail_answer(request, "a line without end");
  case Child::Read::Timeout:
    x_child->kill_now();
    throw serve_error(fmt::format("'{}' gave no answer to '{}' within {} s", x_program, request,
                                  x_timeout_ms / 1000.0),
                      std::nullopt, true);
  }
  if (answer == "ok" || answer.starts_with("ok "))
    return answer.substr(std::min<size_t>(3, answer.size()));
  if (answer.starts_with("skip"))
    throw refusal(result::Status::Skipped,
                  printable(answer.substr(std::min<size_t>(5, answer.size()))));
  if (answer.starts_with("error"))
    throw refusal(result::Status::Failed,
                  printable(answer.substr(std::min<size_t>(6, answer.size()))));
  fail_answer(request, answer);
}

result::Result ServeClient::list()
{
  std::string answer = ask("list");
  try {
    json value = result::parse_json(answer, "list");
    if (!value.is_object() || value.value("protocol", 0) != protocol)
      throw result::error(fmt::format("list: protocol is not {}", protocol));
    result::Result result;
    result.tool = result::tool_from_json(value.value("tool", json::object()), "list", "/tool");
    result.environment = value.value("environment", json::object());
    const json &benchmarks = value.value("benchmarks", json::array());
    for (size_t i = 0; i < benchmarks.size(); i++)
      result.benchmarks.push_back(
          result::benchmark_from_json(benchmarks[i], "list", fmt::format("/benchmarks/{}", i)));
    return result;
  } catch (const std::exception &failure) {
    x_child->kill_now();
    throw serve_error(fmt::format("'{}': {}", x_program, failure.what()));
  }
}

std::string ServeClient::load(size_t number)
{
  json value = json::parse(ask(fmt::format("load {}", number)), nullptr, false);
  bool told = value.is_object() && value.contains("bytecode") && value["bytecode"].is_string();
  return told ? value["bytecode"].get<std::string>() : "";
}

void ServeClient::unload(size_t number) { ask(fmt::format("unload {}", number)); }

Epoch ServeClient::epoch(size_t number, long ops, uint64_t seed)
{
  std::string request = fmt::format("epoch {} {} {}", number, ops, seed), answer = ask(request);
  json value = json::parse(answer, nullptr, false);
  auto is_count = [&](const char *name) {
    return value.contains(name) && value[name].is_number() && value[name].get<double>() >= 0;
  };
  if (!value.is_object() || !is_count("hits") || !is_count("ns"))
    fail_answer(request, answer);
  Epoch epoch = {value["hits"].get<double>(), value["ns"].get<double>(), {}};
  const json values = value.value("values", json::object());
  for (const auto &[name, each] : values.items())
    epoch.values[name] =
        each.is_number() ? each.get<double>() : std::numeric_limits<double>::quiet_NaN();
  return epoch;
}

} // namespace gate
