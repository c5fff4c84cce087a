// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The files under $OUT on their way to the host.
#pragma once

#include <functional>
#include <string>

#include "tools/vmtest/protocol.h"

namespace vmtest::guest
{

using SendFrame = std::function<void(FrameKind, std::string_view)>;

// Whether there is anything under the directory.
bool any_files(const std::string &directory);

// All directories and regular files under the directory, in the order of their names, as File and
// FileData frames; a Remark for each that is neither. Throws std::runtime_error where one cannot be
// read to its end.
void send_files(const std::string &directory, const SendFrame &send);

} // namespace vmtest::guest
