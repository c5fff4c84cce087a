// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/bpf_error.h"

#include <bpf/libbpf.h>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace bpf
{

static thread_local LogCapture *t_capture;
static bool g_verbose;

// The line of a libbpf log that gives the reason: the verifier's last word, else libbpf's first.
static std::string reason(const std::string &log)
{
  std::istringstream lines(log);
  std::string first, before;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty())
      first = line.compare(0, 8, "libbpf: ") == 0 ? line.substr(8) : line;
    if (line.compare(0, 10, "processed ") == 0 && !before.empty())
      return before;
    before = line;
  }
  return first;
}

static std::string describe(const std::string &operation, const std::string &object,
                            const std::string &log)
{
  std::string text = "cannot " + operation;
  if (!object.empty())
    text += " '" + object + "'";
  if (std::string why = reason(log); !why.empty())
    text += " (" + why + ")";
  return text;
}

error::error(const std::string &operation, const std::string &object, int err,
             const std::string &log)
    : std::system_error(std::abs(err), std::generic_category(), describe(operation, object, log)),
      x_by_verifier(log.find("BEGIN PROG LOAD LOG") != std::string::npos)
{
}

int check(int rc, const char *operation, const std::string &object)
{
  if (rc < 0)
    throw error(operation, object, rc);
  return rc;
}

// The whole message: a verifier log comes as one, and its last lines hold the reason.
static int append(std::string &text, const char *format, va_list args)
{
  char *message = nullptr;
  int length = vasprintf(&message, format, args);
  if (length < 0)
    return 0;
  try {
    text.append(message);
  } catch (...) {
    // Called from C: a lost message is better than an exception crossing libbpf.
  }
  free(message);
  return length;
}

int capture_print(int level, const char *format, __builtin_va_list args)
{
  if (g_verbose || (!t_capture && level == LIBBPF_WARN)) {
    va_list copy;
    va_copy(copy, args);
    vfprintf(stderr, format, copy);
    va_end(copy);
  }
  if (!t_capture || level == LIBBPF_DEBUG)
    return 0;
  return append(t_capture->x_text, format, args);
}

static int print_callback(libbpf_print_level level, const char *format, va_list args)
{
  return capture_print(level, format, args);
}

LogCapture::LogCapture() : x_outer(t_capture)
{
  t_capture = this;
  libbpf_set_print(print_callback);
}

LogCapture::~LogCapture() { t_capture = x_outer; }

void set_verbose(bool verbose)
{
  g_verbose = verbose;
  libbpf_set_print(print_callback);
}

} // namespace bpf
