// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// go test -json: events, one a line. The output of each package is put together again, since those
// of several stand between each other; it is Go benchmark text.
#include <fmt/format.h>

#include <map>

#include "tools/gate/readers/format.h"
#include "tools/lib/json.h"
#include "tools/lib/json_stream.h"

namespace gate
{

using result::json;

// Go benchmark text, out of the events of go test -json.
static std::string text_of(Input &input)
{
  constexpr size_t most_bytes = 64 << 20;
  JsonBytes bytes(input, true);
  std::map<std::string, std::string> output;
  size_t all = 0;
  while (!bytes.at_end()) {
    json event = read_json(bytes, "", {});
    if (!event.is_object() || !event.contains("Action") || !event["Action"].is_string())
      throw input_error(fmt::format("{}: an event of go test -json has no 'Action', before byte {}",
                                    input.name(), bytes.position()));
    if (event["Action"] != "output" || !event.contains("Output") || !event["Output"].is_string())
      continue;
    const auto &piece = event["Output"].get_ref<const std::string &>();
    if ((all += piece.size()) > most_bytes)
      throw input_error(fmt::format("{}: more than {} bytes of output", input.name(), most_bytes));
    auto package = event.find("Package");
    output[package != event.end() && package->is_string() ? package->get<std::string>() : ""] +=
        piece;
  }
  std::string text;
  for (const auto &[package, own] : output)
    text += own + (own.ends_with('\n') ? "" : "\n");
  return text;
}

static Reading read(Input &input, bool)
{
  Input text(text_of(input), input.name());
  return read_lines(text);
}

static bool is_it(const JsonMembers &top)
{
  return !top.is_list() && top.has("Action") && (top.has("Package") || top.has("Time"));
}

static const Register go_json(JsonFormat{"go test -json", is_it, read});

} // namespace gate
