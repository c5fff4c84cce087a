// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A frame: nonce (8 bytes), sequence, length, checksum (4 each), kind (1), payload; little endian.
#include "tools/vmtest/protocol.h"

#include <fmt/format.h>
#include <zlib.h>

namespace vmtest
{

static constexpr size_t header_size = 21;

static uint64_t read_number(std::string_view bytes, size_t at, size_t size)
{
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
  return value;
}

static void write_number(std::string &out, uint64_t value, size_t size)
{
  for (size_t i = 0; i < size; i++)
    out += static_cast<char>(value >> (8 * i) & 0xff);
}

static uint32_t add_to(uint32_t crc, std::string_view bytes)
{
  if (bytes.empty()) // which may begin nowhere: zlib would start anew
    return crc;
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

// CRC-32, over everything in the frame but the checksum itself.
static uint32_t checksum(uint64_t nonce, uint32_t sequence, char kind, std::string_view payload)
{
  std::string head;
  write_number(head, nonce, 8);
  write_number(head, sequence, 4);
  write_number(head, payload.size(), 4);
  head += kind;
  return add_to(add_to(0, head), payload);
}

std::string FrameWriter::frame(FrameKind kind, std::string_view payload)
{
  std::string out;
  out.reserve(header_size + payload.size());
  write_number(out, x_nonce, 8);
  write_number(out, x_sequence, 4);
  write_number(out, payload.size(), 4);
  write_number(out, checksum(x_nonce, x_sequence, static_cast<char>(kind), payload), 4);
  out += static_cast<char>(kind);
  out += payload;
  x_sequence++;
  return out;
}

std::optional<Frame> FrameReader::fail(const std::string &what)
{
  x_error = fmt::format("frame {} {}", x_sequence, what);
  return std::nullopt;
}

// The first nonce with sequence 0 behind it. What cannot begin one any more is dropped.
bool FrameReader::find_first()
{
  std::string wanted;
  write_number(wanted, x_nonce, 8);
  write_number(wanted, 0, 4);
  size_t found = x_bytes.find(wanted);
  if (found == std::string::npos) {
    if (x_bytes.size() > wanted.size())
      x_bytes.erase(0, x_bytes.size() - wanted.size());
    return false;
  }
  x_bytes.erase(0, found);
  return true;
}

std::optional<Frame> FrameReader::next()
{
  if (!x_error.empty() || (x_sequence == 0 && !find_first()))
    return std::nullopt;
  std::string_view rest = std::string_view(x_bytes).substr(x_at);
  if (rest.empty())
    return std::nullopt;
  if (x_complete)
    return fail("comes after the end");
  if (rest.size() < header_size)
    return std::nullopt;
  if (read_number(rest, 0, 8) != x_nonce)
    return fail("does not begin with the nonce");
  if (read_number(rest, 8, 4) != x_sequence)
    return fail(fmt::format("is missing: the next is {}", read_number(rest, 8, 4)));
  size_t length = read_number(rest, 12, 4);
  if (length > longest_payload)
    return fail(fmt::format("says it has {} bytes", length));
  if (rest.size() < header_size + length)
    return std::nullopt;
  std::string_view payload = rest.substr(header_size, length);
  char kind = rest[header_size - 1];
  if (read_number(rest, 16, 4) != checksum(x_nonce, x_sequence, kind, payload))
    return fail("has a wrong checksum");
  Frame frame{static_cast<FrameKind>(kind), std::string(payload)};
  x_at += header_size + length;
  if (x_at > longest_payload || x_at == x_bytes.size()) {
    x_bytes.erase(0, x_at);
    x_at = 0;
  }
  x_sequence++;
  x_complete = frame.kind == FrameKind::End;
  return frame;
}

} // namespace vmtest
