// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/vmtest/protocol.h"

#include <vector>

#include "tools/lib/unit_test.h"

using namespace unit_test;
using namespace vmtest;

static constexpr uint64_t nonce = 0x0123456789abcdef;

static std::string some_frames()
{
  FrameWriter writer(nonce);
  std::string bytes = writer.frame(FrameKind::Hello, "{}");
  bytes += writer.frame(FrameKind::Stdout, "one\n");
  bytes += writer.frame(FrameKind::Result, "exited 3");
  return bytes + writer.frame(FrameKind::End, "");
}

// What comes out of bytes that are pushed piece by piece, as "kind:payload|".
static std::string read_in_pieces(FrameReader &reader, const std::string &bytes, size_t piece)
{
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    reader.push(std::string_view(bytes).substr(at, piece));
    while (auto frame = reader.next())
      text += fmt::format("{}:{}|", static_cast<char>(frame->kind), frame->payload);
  }
  return text;
}

// As Python's zlib.crc32() gives it for the same header and payload.
TEST(frame_has_the_known_checksum)
{
  auto checksum = [](FrameKind kind, std::string_view payload) {
    return FrameWriter(nonce).frame(kind, payload).substr(16, 4);
  };
  expect_eq(checksum(FrameKind::Stdout, "one\n"), std::string("\x93\xce\x22\xa9", 4));
  expect_eq(checksum(FrameKind::End, ""), std::string("\x44\x59\x1c\x28", 4));
  expect_eq(checksum(FrameKind::End, {}), std::string("\x44\x59\x1c\x28", 4));
}

TEST(frames_come_back_in_any_pieces)
{
  for (size_t piece : {1, 2, 20, 21, 22, 1000}) {
    FrameReader reader(nonce);
    expect_eq(read_in_pieces(reader, some_frames(), piece),
              std::string("H:{}|O:one\n|R:exited 3|Z:|"));
    expect(reader.complete());
    expect_eq(reader.error(), std::string());
  }
}

TEST(noise_before_the_first_frame_is_passed_over)
{
  for (const std::string &noise : {std::string("\0\r\n[ 0.1] x", 10), std::string(100000, 'x')}) {
    FrameReader reader(nonce);
    read_in_pieces(reader, noise + some_frames(), 7);
    expect(reader.complete(), reader.error());
  }
}

TEST(every_cut_is_incomplete)
{
  std::string bytes = some_frames();
  for (size_t length = 0; length < bytes.size(); length++) {
    FrameReader reader(nonce);
    read_in_pieces(reader, bytes.substr(0, length), 13);
    expect(!reader.complete(), fmt::format("complete after {} of {} bytes", length, bytes.size()));
  }
}

TEST(every_changed_byte_is_seen)
{
  std::string bytes = some_frames();
  for (size_t at = 0; at < bytes.size(); at++) {
    std::string changed = bytes;
    changed[at] ^= 0x10;
    FrameReader reader(nonce);
    read_in_pieces(reader, changed, 64);
    expect(!reader.complete(), fmt::format("complete with byte {} changed", at));
  }
}

TEST(every_lost_byte_is_seen)
{
  std::string bytes = some_frames();
  for (size_t at = 0; at < bytes.size(); at++) {
    std::string shorter = bytes;
    shorter.erase(at, 1);
    FrameReader reader(nonce);
    read_in_pieces(reader, shorter, 64);
    expect(!reader.complete(), fmt::format("complete without byte {}", at));
  }
}

TEST(a_lost_frame_is_seen)
{
  FrameWriter writer(nonce);
  std::string bytes = writer.frame(FrameKind::Hello, "{}");
  writer.frame(FrameKind::Stdout, "lost");
  bytes += writer.frame(FrameKind::End, "");
  FrameReader reader(nonce);
  expect_eq(read_in_pieces(reader, bytes, 100), std::string("H:{}|"));
  expect_eq(reader.error(), std::string("frame 1 is missing: the next is 2"));
}

TEST(another_runs_frames_are_noise)
{
  FrameReader reader(nonce + 1);
  expect_eq(read_in_pieces(reader, some_frames(), 100), std::string());
  expect(!reader.complete());
}

TEST(nothing_may_follow_the_end)
{
  FrameReader reader(nonce);
  read_in_pieces(reader, some_frames() + "x", 1000);
  expect_eq(reader.error(), std::string("frame 4 comes after the end"));
}

TEST(large_payloads_come_back_and_larger_ones_are_refused)
{
  FrameWriter writer(nonce);
  std::string large(longest_payload, 'L');
  FrameReader reader(nonce);
  reader.push(writer.frame(FrameKind::Stdout, large));
  expect_eq(reader.next()->payload, large);
  reader.push(writer.frame(FrameKind::Stdout, large + "x"));
  expect(!reader.next());
  expect_has(reader.error(), "says it has 131073 bytes");
}
