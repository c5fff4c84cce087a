// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/gate/measure/serve_client.h"

#include <fmt/format.h>

#include <utility>

#include "tools/gate/measure/serve_answer.h"
#include "tools/lib/input.h"

namespace gate
{

static std::vector<std::string> with_serve(std::vector<std::string> arguments)
{
  arguments.push_back("--serve");
  return arguments;
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
  try {
    return parse_list_answer(ask("list"));
  } catch (const input_error &failure) {
    x_child->kill_now();
    throw serve_error(fmt::format("'{}': {}", x_program, failure.what()));
  }
}

std::string ServeClient::load(size_t number)
{
  return parse_load_answer(ask(fmt::format("load {}", number)));
}

void ServeClient::unload(size_t number) { ask(fmt::format("unload {}", number)); }

Epoch ServeClient::epoch(size_t number, long ops, uint64_t seed)
{
  std::string request = fmt::format("epoch {} {} {}", number, ops, seed), answer = ask(request);
  std::optional<Epoch> epoch = parse_epoch_answer(answer);
  if (!epoch)
    fail_answer(request, answer);
  return *epoch;
}

} // namespace gate
