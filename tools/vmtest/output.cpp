// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "tools/lib/streams.h"
#include "tools/vmtest/outcome.h"

namespace vmtest
{

static std::mutex g_one_line_at_a_time;

static void pass_on(Stream stream, std::string_view bytes)
{
  std::lock_guard lock(g_one_line_at_a_time);
  try {
    write_all(stream == Stream::Out ? STDOUT_FILENO : STDERR_FILENO, bytes);
  } catch (const std::system_error &failure) {
    throw outcome_error(Outcome::OutputLost, fmt::format("cannot write the command's output: {}",
                                                         failure.code().message()));
  }
}

void Output::command(Stream stream, std::string_view bytes)
{
  if (x_label.empty())
    return pass_on(stream, bytes);
  write_lines(stream, bytes);
}

void Output::write_lines(Stream stream, std::string_view bytes)
{
  std::string &partial = x_partial[static_cast<size_t>(stream)];
  std::string whole;
  for (char c : bytes) {
    partial += c;
    if (c != '\n')
      continue;
    whole += fmt::format("[{}] {}", x_label, partial);
    partial.clear();
  }
  if (!whole.empty())
    pass_on(stream, whole);
}

void Output::finish()
{
  for (Stream stream : {Stream::Out, Stream::Err})
    if (!x_partial[static_cast<size_t>(stream)].empty())
      write_lines(stream, "\n");
}

void Output::say(const std::string &line)
{
  std::string text = x_label.empty() ? fmt::format("vmtest: {}\n", line)
                                     : fmt::format("vmtest: {}: {}\n", x_label, line);
  try {
    pass_on(Stream::Err, text);
  } catch (const outcome_error &) {
    return; // there is nobody to say it to
  }
}

} // namespace vmtest
