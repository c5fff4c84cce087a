// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The command in the guest: started, its output sent to the host frame by frame, the host's signals
// and key strokes given to it, its end waited for.
#pragma once

#include <string>

#include "tools/lib/fd.h"
#include "tools/vmtest/guest_log.h"
#include "tools/vmtest/protocol.h"
#include "tools/vmtest/run_config.h"

namespace vmtest::guest
{

// A line to the host and the frames on it.
class Channel {
public:
  Channel(Fd fd, uint64_t nonce) : x_fd(std::move(fd)), x_writer(nonce), x_reader(nonce) {}
  int fd() const { return x_fd.get(); }
  // Blocks until the host takes it. Throws std::system_error.
  void send(FrameKind kind, std::string_view payload);
  // Reads what is there, without waiting when there is something. See FrameReader::next().
  void receive();
  std::optional<Frame> next() { return x_reader.next(); }
  // Until the last byte is on the wire.
  void drain();

private:
  Fd x_fd;
  FrameWriter x_writer;
  FrameReader x_reader;
};

// Runs it to its end, then ends whatever it left running. The text of a Result frame.
// log: read meanwhile.
std::string run_command(const RunConfig &config, Channel &host, GuestLog &log);

} // namespace vmtest::guest
