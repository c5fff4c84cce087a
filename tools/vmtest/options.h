// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The command line of vmtest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace vmtest
{

struct Options {
  std::vector<std::string> kernels;
  std::vector<std::string> command; // as typed
  std::vector<std::string> with, share, needs, splats, allowed_splats;
  std::map<std::string, std::string> environment;
  std::string out, json, append, qemu;
  std::string accelerator = "auto"; // or "kvm", "tcg"
  uint64_t memory_mib = 1024;
  int cpus = 1;
  int jobs = 1;
  long timeout_s = 300; // times slowness(); 0: none
  int gdb_port = 0;
  bool shell = false;
  bool input = false; // our standard input is the command's
  bool warn_fatal = false;
  bool dry_run = false;
  bool verbose = false;
  bool refresh = false;
  bool icount = false;
  bool host_root = false;      // the guest's root: this machine's files
  std::string model;           // a preset or a file; empty: none
  std::string profile;         // a directory for where it went
  std::vector<uint64_t> seeds; // of icount; one at least
};

// A wrong command line. what() is one line.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Help or version: text for the standard output, then exit 0.
struct early_exit {
  std::string text;
};

// Throws usage_error or early_exit.
Options parse_options(int argc, const char *const *argv);

// "512", "512M", "2G": MiB, from 128 to 1 TiB. Throws usage_error.
uint64_t parse_memory_mib(const std::string &text);

std::string help_text();

} // namespace vmtest
