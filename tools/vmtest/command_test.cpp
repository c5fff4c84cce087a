// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "tools/lib/process.h"
#include "tools/lib/temporary_directory.h"
#include "tools/lib/text.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace vmtest;

TEST(command_gives_output_and_status)
{
  CommandResult result = run_command({"sh", "-c", "echo out; echo err >&2; cat; exit 3"});
  expect_eq(result.status, 3);
  expect_eq(result.out, "out\n");
  expect_eq(result.err, "err\n");
  expect_eq(run_command({"sh", "-c", "kill -9 $$"}).status, 128 + 9);
  expect_eq(run_command({"sh", "-c", "echo $LC_ALL"}).out, "C.UTF-8\n");
  expect_throws([] { run_command({"no-such-program"}); }, "cannot execute 'no-such-program'");
  expect_eq(waitpid(-1, nullptr, WNOHANG), -1);
}

// Waits for what the program writes into a file of its own: its process id.
static pid_t read_pid(const std::string &path)
{
  for (int tries = 0; tries < 10000; tries++) {
    std::optional<std::string> text = read_small_file(path);
    if (text && !text->empty())
      return std::stoi(*text);
    usleep(1000);
  }
  fail("the program did not start", std::source_location::current());
}

static bool gone(pid_t pid)
{
  for (int tries = 0; tries < 10000; tries++) {
    // A zombie that nobody has waited for yet is gone all the same.
    auto stat = read_small_file(fmt::format("/proc/{}/stat", pid));
    if (!stat || stat->find(") Z") != std::string::npos)
      return true;
    usleep(1000);
  }
  return false;
}

static void dies_with(int signal, void (*prepare)())
{
  TemporaryDirectory here;
  process::Child caller = process::fork_child([&] {
    prepare();
    std::string script =
        "echo $$ > " + here / "new; mv " + here / "new " + here / "pid; exec sleep 300";
    CommandResult result = run_command({"sh", "-c", script});
    return result.status == 128 + SIGKILL ? 0 : 1;
  });
  pid_t program = read_pid(here / "pid");
  caller.signal(signal);
  caller.wait();
  expect(gone(program), "the program lives on");
  if (signal == SIGINT)
    expect(caller.status().success(), "the caller was not told");
}

TEST(command_dies_with_its_caller)
{
  dies_with(SIGKILL, [] {});
}

TEST(command_ends_with_a_signal_that_the_caller_handles)
{
  dies_with(SIGINT, [] {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    sigaction(SIGINT, &action, nullptr);
  });
}
