// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// gate fingerprint: what of this machine decides which figures it is compared with.
#include <fmt/format.h>

#include "tools/gate/commands/commands.h"
#include "tools/gate/judge/fingerprint.h"
#include "tools/lib/atomic_file.h"
#include "tools/lib/environment.h"
#include "tools/lib/json.h"

namespace gate
{

static constexpr std::array kinds = {FingerprintClass::Refuse, FingerprintClass::Warn,
                                     FingerprintClass::Record};

std::string format_fingerprint(const Value &environment)
{
  static constexpr std::array meanings = {"must be equal to be compared", "told where it differs",
                                          "kept, never compared"};
  std::string text;
  for (size_t i = 0; i < kinds.size(); i++) {
    text += fmt::format("{} ({}):\n", to_string(kinds[i]), meanings[i]);
    for (const std::string &line : fingerprint_lines(environment, kinds[i]))
      text += "  " + line + "\n";
  }
  return text;
}

Value fingerprint_json(const Value &environment)
{
  Value value = Value::object();
  for (FingerprintClass kind : kinds) {
    Value &members = value[to_string(kind)] = Value::object();
    for (const auto &[name, member] : environment.items())
      if (fingerprint_class(name) == kind)
        members[name] = member;
  }
  return value;
}

int fingerprint(const Options &options)
{
  Value environment = read_environment();
  std::string name = class_name(environment);
  if (!options.json.empty()) {
    result::json value = {{"schema", "bpfgate-fingerprint"},
                          {"version", 1},
                          {"class", name},
                          {"fingerprint", fingerprint_json(environment)}};
    write_file(options.json, result::json_text(value, 1) + "\n");
  }
  if (options.json != "-")
    write_file("-", fmt::format("machine class: {}\n{}", name, format_fingerprint(environment)));
  return Exit::Passed;
}

} // namespace gate
