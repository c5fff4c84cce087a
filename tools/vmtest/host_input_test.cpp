// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/host_input.h"

#include <fcntl.h>
#include <unistd.h>

#include "tools/lib/fd.h"
#include "tools/lib/unit_test.h"
#include "tools/vmtest/run_config.h"

using namespace unit_test;
using namespace vmtest;

namespace
{

struct Pipe {
  Pipe()
  {
    int ends[2];
    expect(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
    out.reset(ends[0]);
    in.reset(ends[1]);
  }
  void put(const std::string &text)
  {
    expect_eq(write(in.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  Fd out, in;
};

} // namespace

TEST(input_goes_in_one_frame_at_a_time)
{
  Pipe pipe;
  HostInput input(pipe.out.get());
  std::string text(longest_input + 5, 'x');
  pipe.put(text);
  auto frame = input.read();
  expect(frame && frame->kind == FrameKind::Input);
  expect_eq(frame->payload.size(), longest_input);
  expect_eq(input.fd(), -1);
  input.taken();
  expect_eq(input.fd(), pipe.out.get());
  expect_eq(input.read()->payload, "xxxxx");
}

TEST(input_ends_once)
{
  Pipe pipe;
  HostInput input(pipe.out.get());
  pipe.in.reset();
  auto frame = input.read();
  expect(frame && frame->kind == FrameKind::InputEnd);
  expect_eq(input.fd(), -1);
  input.taken();
  expect_eq(input.fd(), -1);
}

TEST(input_that_is_not_there_yet_is_no_end)
{
  Pipe pipe;
  fcntl(pipe.out.get(), F_SETFL, O_NONBLOCK);
  HostInput input(pipe.out.get());
  expect(!input.read());
  expect_eq(input.fd(), pipe.out.get());
}

TEST(no_input_is_not_read)
{
  HostInput input(-1);
  input.taken();
  expect_eq(input.fd(), -1);
}

// So that what is counted stays what it was.
TEST(guest_hears_of_input_only_where_there_is_some)
{
  RunConfig config;
  config.command = {"/bin/x"};
  expect(to_text(config).find("input") == std::string::npos, to_text(config));
  expect(!parse_run_config(to_text(config)).input);
  config.input = true;
  expect(parse_run_config(to_text(config)).input);
}
