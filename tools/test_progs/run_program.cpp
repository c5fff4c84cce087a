// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/test_progs/run_program.h"

#include <sys/resource.h>

#include <cstdlib>
#include <system_error>

#include "tools/lib/process.h"

bool Ended::has(const std::string &line) const
{
  return ("\n" + out).find("\n" + line + "\n") != std::string::npos;
}

size_t Ended::count(const std::string &part) const
{
  size_t number = 0;
  for (size_t at = out.find(part); at != std::string::npos; at = out.find(part, at + 1))
    number++;
  return number;
}

Ended run_test_progs(const std::vector<std::string> &arguments,
                     const std::function<void(pid_t, const std::string &)> &meanwhile)
{
  const char *program = getenv("TEST_PROGS");
  std::vector<std::string> argv = {program ? program : "test_progs"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  process::Options options;
  options.prepare = [] {
    rlimit none{0, 0}; // the crashes are wanted, their core files are not
    setrlimit(RLIMIT_CORE, &none);
  };
  process::Reading reading;
  if (meanwhile)
    reading.meanwhile = [&](process::Child &child, const std::string &out) {
      meanwhile(child.pid(), out);
    };
  try {
    process::Finished ended = process::run(argv, options, reading);
    return {ended.status.as_shell(), std::move(ended.out), std::move(ended.err)};
  } catch (const std::system_error &failure) {
    return {127, "", failure.what()};
  }
}
