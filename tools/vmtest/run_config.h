// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// What the host tells the guest's init: a JSON file in the initramfs, behind the payload and not a
// part of its hash, so that a run's nonce does not change what the payload is called.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vmtest
{

inline constexpr const char *run_config_path = "/vmtest.json";
// Beside the files of $OUT.
inline constexpr const char *kernel_log_name = "vmtest-dmesg.txt";
inline constexpr const char *files_port_name = "vmtest.files";
inline constexpr const char *host_files_tag = "vmtest.host";

// isa-debug-exit: what init writes to it, and what QEMU makes of that.
inline constexpr int debug_exit_code = 16;
inline constexpr int debug_exit_status = 2 * debug_exit_code + 1;

struct RunConfig {
  uint64_t nonce = 0;
  std::vector<std::string> command; // path in the guest first
  std::string argv0;                // as the user called it
  std::map<std::string, std::string> environment;
  bool shell = false;               // on a terminal, with input
  int rows = 24, columns = 80;      // of that terminal
  bool input = false;               // what the host sends is its standard input
  bool send_files = false;          // what is under $OUT
  std::vector<std::string> splats;  // of --splat
  bool read_late = false;           // the kernel's log only after the command, to disturb nothing
  std::vector<std::string> modules; // for virtio-serial, in order; paths in the guest
  // --root host: where the command starts; empty: in a root of the initramfs, in $OUT.
  std::string host_directory;
  std::vector<std::string> root_modules; // for it, as modules
  bool host_user = false;                // who serves the files is not root
};

// Padded to a multiple of 4 KiB: a shorter name of the CPU must not move what lies in memory.
// Throws outcome_error (CommandNotFound) for arguments that are no UTF-8.
std::string to_text(const RunConfig &config);

// Throws std::runtime_error, one line.
RunConfig parse_run_config(std::string_view text);

} // namespace vmtest
