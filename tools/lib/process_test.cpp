// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/lib/process.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

#include "tools/lib/temporary_directory.h"
#include "tools/lib/text.h"
#include "tools/lib/unit_test.h"

using namespace unit_test;
using process::Child, process::Finished, process::Options, process::Pipe, process::Reading;

static Finished shell(const std::string &script, const Options &options = {},
                      const Reading &reading = {})
{
  return process::run({"sh", "-c", script}, options, reading);
}

static void expect_no_child() { expect_eq(waitpid(-1, nullptr, WNOHANG), -1); }

// A zombie that nobody has waited for yet is gone all the same.
static void expect_gone(pid_t pid)
{
  for (int tries = 0; tries < 10000; tries++) {
    auto stat = read_small_file(fmt::format("/proc/{}/stat", pid));
    if (!stat || stat->find(") Z") != std::string::npos)
      return;
    usleep(1000);
  }
  fail("it lives on", std::source_location::current());
}

// The number that a script writes with "echo $$", from a file that it makes with mv.
static pid_t read_pid(const std::string &path)
{
  for (int tries = 0; tries < 10000; tries++) {
    if (auto text = read_small_file(path))
      return std::stoi(*text);
    usleep(1000);
  }
  fail("the program did not start", std::source_location::current());
}

TEST(process_gives_both_streams_and_the_status)
{
  Finished ended = shell("echo out; echo err >&2; cat; exit 3");
  expect_eq(ended.out, "out\n");
  expect_eq(ended.err, "err\n");
  expect_eq(ended.status.exit_code(), 3);
  expect_eq(ended.status.as_shell(), 3);
  expect_eq(ended.status.describe(), "exit status 3");
  expect(!ended.timed_out && ended.wall_ns > 0);
  expect(shell("exit 0").status.success());
  expect_no_child();
}

TEST(process_that_a_signal_ends)
{
  Finished ended = shell("kill -9 $$");
  expect_eq(ended.status.signal(), SIGKILL);
  expect_eq(ended.status.exit_code(), -1);
  expect_eq(ended.status.as_shell(), 128 + SIGKILL);
  expect_eq(ended.status.describe(), "signal 9 (Killed)");
  expect(!ended.status.success());
}

TEST(process_that_cannot_be_executed)
{
  expect_throws([] { process::run({"no-such-program"}); },
                "cannot execute 'no-such-program': No such file or directory");
  expect_throws([] { process::spawn({"/dev/null"}); }, "Permission denied");
  expect_throws([] { process::spawn({"no-such-program"}, {.guarded = true}); }, "No such file");
  auto refuse = [] { throw std::system_error(EXDEV, std::generic_category()); };
  expect_throws([&] { process::spawn({"true"}, {.prepare = refuse}); }, "cross-device");
  expect_no_child();
}

TEST(process_takes_its_standard_input)
{
  Fd in = process::memory_file("given\n");
  expect_eq(shell("cat", {.in = in.get()}).out, "given\n");
  expect_eq(shell("cat").out, "");
}

TEST(process_environment_is_given_or_ours)
{
  expect_eq(shell("echo $A", {.environment = {"A=b"}}).out, "b\n");
  setenv("BPFGATE_PROCESS_TEST", "c", 1);
  expect_eq(shell("echo $BPFGATE_PROCESS_TEST").out, "c\n");
}

// More than a pipe holds, of both at once.
TEST(process_large_output_is_whole_and_bounded)
{
  const char *script = "head -c 3000000 /dev/zero | tee /dev/stderr";
  Finished ended = shell(script);
  expect_eq(ended.out.size(), 3000000u);
  expect_eq(ended.err.size(), 3000000u);
  ended = shell(script, {}, {.most_out = 1000, .most_err = 0});
  expect_eq(ended.out.size(), 1000u);
  expect_eq(ended.err.size(), 0u);
  expect(ended.status.success());
}

TEST(process_out_of_time_is_ended)
{
  Finished ended = shell("echo begun; sleep 300", {.own_group = true}, {.timeout_ms = 300});
  expect(ended.timed_out);
  expect_eq(ended.status.signal(), SIGKILL);
  ended = shell("trap 'exit 7' TERM; while :; do sleep .01; done",
                {.own_group = true, .grace_ms = 60000}, {.timeout_ms = 300});
  expect(ended.timed_out);
  expect_eq(ended.status.describe(), "exit status 7");
  expect_no_child();
}

// A grandchild that holds the streams is waited for, or not.
TEST(process_streams_of_a_grandchild)
{
  expect_eq(shell("(sleep .3; echo late) & echo early").out, "early\nlate\n");
  Finished ended =
      shell("sleep 300 & echo early", {.own_group = true}, {.until = Reading::Until::Ended});
  expect_eq(ended.out, "early\n");
  expect(ended.status.success());
}

TEST(process_group_ends_with_it)
{
  TemporaryDirectory here;
  std::string script = "sh -c 'echo $$ > " + here / "new; mv " + here / "new " + here / "pid" +
                       "; sleep 300' & while [ ! -e " + here / "pid" + " ]; do sleep .01; done";
  shell(script, {.own_group = true}, {.until = Reading::Until::Ended});
  expect_gone(read_pid(here / "pid"));
}

TEST(process_empty_pipe_that_does_not_block_is_no_end)
{
  Pipe pipe = process::make_pipe();
  fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  std::string text;
  expect(process::read_some(pipe.read, text) && pipe.read, "EAGAIN was taken for the end");
  expect_eq(write(pipe.write.get(), "abc", 3), 3);
  expect(process::read_some(pipe.read, text));
  pipe.write.reset();
  expect(!process::read_some(pipe.read, text) && !pipe.read);
  expect_eq(text, "abc");
}

TEST(process_meanwhile_may_end_it)
{
  Reading reading;
  reading.meanwhile = [](Child &child, const std::string &out) {
    if (out.find("ready\n") != std::string::npos)
      child.end();
  };
  Finished ended = shell("echo ready; exec sleep 300", {}, reading);
  expect_eq(ended.status.signal(), SIGKILL);
  expect(!ended.timed_out);
}

// In a child of ours, since it has a handler of its own for the signal.
TEST(process_interrupt_is_passed_on_whenever_it_comes)
{
  Child child = process::fork_child([] {
    signal(SIGINT, [](int) {});
    Reading reading = {.timeout_ms = 60000, .pass_interrupts = true};
    reading.meanwhile = [](Child &, const std::string &) { raise(SIGINT); }; // nobody polls now
    return shell("echo here; exec sleep 100", {}, reading).status.signal();
  });
  child.wait();
  expect_eq(child.status().exit_code(), SIGTERM);
}

TEST(process_that_is_left_by_an_exception_is_ended)
{
  Reading reading;
  reading.meanwhile = [](Child &, const std::string &) { throw std::runtime_error("enough"); };
  expect_throws([&] { shell("echo ready; exec sleep 300", {}, reading); }, "enough");
  expect_no_child();
}

TEST(process_child_is_waited_for_once)
{
  Child child = process::spawn({"sh", "-c", "exec sleep 300"});
  pid_t pid = child.pid();
  expect(child.running() && !child.wait(1));
  Child moved = std::move(child);
  expect(child.pid() == -1 && moved.pid() == pid); // NOLINT(bugprone-use-after-move)
  moved.signal(SIGTERM);
  expect(moved.wait());
  expect_eq(moved.status().signal(), SIGTERM);
  moved.signal(SIGTERM);
  moved.kill_now();
  expect_eq(moved.status().signal(), SIGTERM);
  expect_no_child();
}

TEST(process_ends_with_its_object)
{
  pid_t pid = process::spawn({"sleep", "300"}).pid();
  expect(kill(pid, 0) < 0 && errno == ESRCH);
  expect_no_child();
}

TEST(process_starts_with_plain_signals)
{
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGTERM);
  sigprocmask(SIG_BLOCK, &held, &before);
  auto old = signal(SIGPIPE, SIG_IGN);
  Finished ended = shell("kill -TERM $$; echo held");
  Finished piped = shell("kill -PIPE $$; echo ignored");
  signal(SIGPIPE, old);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  expect_eq(ended.status.signal(), SIGTERM);
  expect_eq(piped.status.signal(), SIGPIPE);
}

// With the standard streams closed, pipes take their numbers.
TEST(process_streams_do_not_step_on_each_other)
{
  expect_eq(process::thrown_in_child([] {
              for (int fd : {0, 1, 2})
                close(fd);
              Finished ended = shell("cat; echo out; echo err >&2");
              expect_eq(ended.out, "out\n");
              expect_eq(ended.err, "err\n");
            }),
            "");
}

static void dies_with_its_caller(const Options &options)
{
  TemporaryDirectory here;
  Child caller = process::fork_child([&] {
    shell("echo $$ > " + here / "new; mv " + here / "new " + here / "pid; exec sleep 300", options);
    return 0;
  });
  pid_t program = read_pid(here / "pid");
  caller.kill_now();
  expect_gone(program);
}

TEST(process_dies_with_its_caller)
{
  dies_with_its_caller({.death_signal = SIGKILL});
  dies_with_its_caller({.guarded = true});
}

TEST(process_guarded_tells_how_it_ended)
{
  expect_eq(shell("exit 5", {.guarded = true}).status.as_shell(), 5);
  expect_eq(shell("kill -9 $$", {.guarded = true}).status.as_shell(), 128 + SIGKILL);
}

TEST(process_forked_child_tells_what_it_throws)
{
  expect_eq(process::thrown_in_child([] {}), "");
  std::string long_text(200000, 'x');
  expect_eq(process::thrown_in_child([&] { throw std::runtime_error(long_text); }), long_text);
  expect_throws([] { process::thrown_in_child([] { raise(SIGKILL); }); }, "signal 9");
  Child child = process::fork_child([] { return 4; });
  child.wait();
  expect_eq(child.status().exit_code(), 4);
  Child thrower = process::fork_child([]() -> int { throw 1; });
  thrower.wait();
  expect_eq(thrower.status().exit_code(), 125);
}

TEST(process_memory_file_keeps_what_is_written)
{
  Fd file = process::memory_file();
  expect_eq(process::tail_of(file, 10), "");
  shell("echo one; echo two >&2; echo three", {.prepare = [&] {
          dup2(file.get(), STDOUT_FILENO);
          dup2(file.get(), STDERR_FILENO);
        }});
  expect_eq(process::tail_of(file, 100), "one\ntwo\nthree\n");
  expect_eq(process::tail_of(file, 6), "three\n");
}
