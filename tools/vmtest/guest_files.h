// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The files under $OUT on their way to the host.
#pragma once

#include <functional>
#include <string>

#include "tools/vmtest/protocol.h"

namespace vmtest::guest
{

using SendFrame = std::function<void(FrameKind, std::string_view)>;

// All directories and regular files under the directory, in the order of their names, as File and
// FileData frames, and FileHole frames for what no disk holds; a Remark for each that is neither,
// or that cannot be read.
void send_files(const std::string &directory, const SendFrame &send);

// One file of this name and content.
void send_text(const std::string &name, std::string_view content, const SendFrame &send);

} // namespace vmtest::guest
