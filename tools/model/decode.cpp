// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tools/model/decode.h"

#include <cstring>

#include "tools/lib/model_marks.h"

namespace model
{

static bool is_legacy_prefix(uint8_t byte)
{
  switch (byte) {
  case 0x26:
  case 0x2e:
  case 0x36:
  case 0x3e:
  case 0x64:
  case 0x65:
  case 0x66:
  case 0x67:
  case 0xf0:
  case 0xf2:
  case 0xf3:
    return true;
  default:
    return false;
  }
}

// movs, cmps, stos, lods, scas, ins, outs
static bool is_string(uint8_t opcode)
{
  return (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf) ||
         (opcode >= 0x6c && opcode <= 0x6f);
}

namespace
{

class Reader {
public:
  Reader(const uint8_t *bytes, size_t size, uint64_t pc) : x_bytes(bytes), x_size(size), x_pc(pc) {}

  uint8_t next() { return x_at < x_size ? x_bytes[x_at++] : 0; }
  uint8_t peek() const { return x_at < x_size ? x_bytes[x_at] : 0; }

  // Displacements come last.
  Decoded relative8(Kind kind) const
  {
    return {kind, x_pc + x_size + static_cast<int8_t>(x_bytes[x_size - 1])};
  }
  Decoded relative32(Kind kind) const
  {
    int32_t displacement = 0;
    if (x_size >= sizeof(displacement))
      memcpy(&displacement, x_bytes + x_size - sizeof(displacement), sizeof(displacement));
    return {kind, x_pc + x_size + displacement};
  }

private:
  const uint8_t *x_bytes;
  size_t x_size, x_at = 0;
  uint64_t x_pc;
};

} // namespace

static Decoded decode_two_bytes(Reader &reader)
{
  uint8_t opcode = reader.next();
  if (opcode >= 0x80 && opcode <= 0x8f)
    return reader.relative32(Kind::Branch);
  bool system = opcode == 0x05 || opcode == 0x07 || opcode == 0x34 || opcode == 0x35;
  return {system ? Kind::System : Kind::Plain};
}

static Decoded decode_group_5(const Reader &reader)
{
  switch (reader.peek() >> 3 & 7) {
  case 2:
  case 3:
    return {Kind::IndirectCall};
  case 4:
  case 5:
    return {Kind::IndirectJump};
  default:
    return {};
  }
}

static Decoded decode_one_byte(uint8_t opcode, Reader &reader)
{
  if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3))
    return reader.relative8(Kind::Branch);
  switch (opcode) {
  case 0x0f:
    return decode_two_bytes(reader);
  case 0xe8:
    return reader.relative32(Kind::Call);
  case 0xe9:
    return reader.relative32(Kind::Jump);
  case 0xeb:
    return reader.relative8(Kind::Jump);
  case 0xc2:
  case 0xc3:
  case 0xca:
  case 0xcb:
    return {Kind::Return};
  case 0xcf:
    return {Kind::InterruptReturn};
  case 0xcc:
  case 0xcd:
  case 0xf1:
    return {Kind::System};
  case 0xff:
    return decode_group_5(reader);
  default:
    return {};
  }
}

Decoded decode(const uint8_t *bytes, size_t size, uint64_t pc)
{
  Reader reader(bytes, size, pc);
  bool repeated = false;
  uint8_t byte = reader.next();
  for (; is_legacy_prefix(byte); byte = reader.next())
    repeated = repeated || byte == 0xf2 || byte == 0xf3;
  if ((byte & 0xf0) == 0x40) // REX
    byte = reader.next();
  if (repeated && is_string(byte))
    return {Kind::Repeat, pc};
  return decode_one_byte(byte, reader);
}

unsigned decode_mark(const uint8_t *bytes, size_t size)
{
  constexpr uint8_t nop[] = {0x0f, 0x1f, 0x84, 0x00};
  uint32_t operand;
  if (size != MODEL_MARK_BYTES || memcmp(bytes, nop, sizeof(nop)) != 0)
    return 0;
  memcpy(&operand, bytes + sizeof(nop), sizeof(operand));
  return (operand & 0xffffff00) == MODEL_MARK_MAGIC ? operand & 0xff : 0;
}

bool switches_task(const uint8_t *bytes, size_t size, uint64_t pc)
{
  constexpr uint8_t load[] = {0x48, 0x8b, 0xa6};
  return size == sizeof(load) + 4 && pc >> 63 && memcmp(bytes, load, sizeof(load)) == 0;
}

} // namespace model
