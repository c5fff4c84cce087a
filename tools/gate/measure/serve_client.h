// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The driver's end of "bench --serve" (docs/serve.md).
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/gate/measure/serve_answer.h"
#include "tools/gate/system/child.h"
#include "tools/lib/result.h"

namespace gate
{

// The bench cannot be talked to: it died, hung, or answered what is no answer. what() is one line.
class serve_error : public std::runtime_error {
public:
  explicit serve_error(const std::string &what, std::optional<int> exit_status = {},
                       bool hung = false)
      : std::runtime_error(what), x_exit_status(exit_status), x_hung(hung)
  {
  }
  std::optional<int> exit_status() const { return x_exit_status; }
  bool hung() const { return x_hung; }

private:
  std::optional<int> x_exit_status;
  bool x_hung;
};

// The bench answered "skip" or "error": this benchmark goes no further, the next one may.
class refusal : public std::runtime_error {
public:
  refusal(result::Status status, const std::string &why) : std::runtime_error(why), x_status(status)
  {
  }
  result::Status status() const { return x_status; }

private:
  result::Status x_status;
};

class ServeClient {
public:
  // Starts "<program> <arguments> --serve". Throws std::system_error.
  ServeClient(const std::string &program, const std::vector<std::string> &arguments,
              long timeout_ms);

  // What can be measured: a result without samples. Throws serve_error or refusal, as all here do.
  result::Result list();
  // Returns the tag of the loaded program, empty if the bench does not tell.
  std::string load(size_t number);
  Epoch epoch(size_t number, long ops, uint64_t seed);
  void unload(size_t number);

private:
  std::string ask(const std::string &request);
  [[noreturn]] void fail_ended(const std::string &request);
  [[noreturn]] void fail_answer(const std::string &request, const std::string &answer);

  std::string x_program;
  long x_timeout_ms;
  std::unique_ptr<Child> x_child;
};

} // namespace gate
