// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What host and guest say to each other, in frames: on the second serial port and, for the files of
// $OUT, on a virtio-serial port. A frame has the run's nonce, a sequence number, a length and a
// checksum over all of it, so that nothing that is lost, cut or foreign can pass for a result.
// Pure functions of bytes: neither side's system calls are in here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vmtest
{

enum class FrameKind : char {
  // From the guest.
  Hello = 'H',      // JSON: release, missing; the command starts now
  Stdout = 'O',     // bytes of the command
  Stderr = 'E',     //
  Result = 'R',     // "exited 3", "signal 9" or "unstarted 2" (an errno)
  Remark = 'K',     // a line for the user
  Trouble = 'X',    // a line: the guest's init could not do its work
  Traced = 'T',     // the backtraces are on the console
  FilesOn = 'V',    // "virtio" or "serial": where the files come
  File = 'F',       // JSON: path, mode, size; or directory
  FileData = 'D',   //
  FileHole = 'Q',   // a length: so many zeroes
  KernelLog = 'L',  // JSON: what the kernel said, see kernel_log.h
  InputTaken = 'G', // there is room for one more Input frame (--stdin)
  End = 'Z',        // the last frame on its line
  // From the host.
  Input = 'I',     // bytes for the command's terminal (--shell) or its standard input (--stdin)
  InputEnd = 'N',  // of the standard input
  Resize = 'W',    // "rows columns"
  Signal = 'S',    // a signal's number, for the command
  Backtrace = 'B', // show where everything is, on the console
};

struct Frame {
  FrameKind kind;
  std::string payload;
};

inline constexpr size_t longest_payload = 128u << 10;
// Of an Input frame: a terminal line of the guest holds back 64 KiB, and loses what is more.
inline constexpr size_t longest_input = 8u << 10;

// One direction of one line.
class FrameWriter {
public:
  explicit FrameWriter(uint64_t nonce) : x_nonce(nonce) {}
  // The next frame's bytes. payload: at most longest_payload.
  std::string frame(FrameKind kind, std::string_view payload);

private:
  uint64_t x_nonce;
  uint32_t x_sequence = 0;
};

class FrameReader {
public:
  explicit FrameReader(uint64_t nonce) : x_nonce(nonce) {}
  void push(std::string_view bytes) { x_bytes.append(bytes); }

  // The next whole frame, or nothing as yet, or ever after error(). Bytes before the first frame
  // are passed over (a line may begin with noise); between frames there must be none.
  std::optional<Frame> next();

  // One line, empty while all is well.
  const std::string &error() const { return x_error; }
  // End has come, and all before it.
  bool complete() const { return x_complete; }

private:
  bool find_first();
  std::optional<Frame> fail(const std::string &what);

  uint64_t x_nonce;
  uint32_t x_sequence = 0;
  std::string x_bytes, x_error;
  size_t x_at = 0;
  bool x_complete = false;
};

} // namespace vmtest
