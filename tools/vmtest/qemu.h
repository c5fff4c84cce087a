// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// QEMU: which one, how it is called, and its life, which never outlasts ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/lib/fd.h"
#include "tools/lib/process.h"
#include "tools/vmtest/kernel.h"
#include "tools/vmtest/model_run.h"

namespace vmtest
{

enum class Accelerator { Kvm, Tcg, Icount };

// "kvm", "tcg", "icount"
const char *name(Accelerator accelerator);

struct Qemu {
  std::string path;
  std::string version; // "7.2.22"
  int major = 0;
};

// The version in what `qemu --version` prints; empty when it is no QEMU.
std::string parse_qemu_version(std::string_view text);

// given: a path or a name on PATH; empty: qemu-system-x86_64. Throws outcome_error (QemuError).
Qemu find_qemu(const std::string &given);

struct Machine {
  Qemu qemu;
  Accelerator accelerator = Accelerator::Tcg;
  int cpus = 1;
  uint64_t memory_mib = 1024;
  uint64_t seed = 0; // of icount
  bool warn_fatal = false;
  std::string append; // to the kernel's command line
  int gdb_port = 0;   // 0: none
  std::optional<Model> model;
};

// -cpu. TCG before QEMU 10 gets cmpxchg16b wrong (docs/vmtest.md), so there it is taken off. With
// icount the model is one that every version of QEMU emulates alike. RDRAND is in it, as it is what
// carries -seed into the kernel: without it all seeds give the same boot, and no error bar.
std::string cpu_model(const Machine &machine);

// Whether the emulator corrupts guests that use cmpxchg16b: QEMU before 10 under TCG.
bool has_broken_cmpxchg16b(const Machine &machine);

// How much longer things take than with KVM: time-outs are multiplied by it.
int slowness(Accelerator accelerator);

// Descriptors that QEMU inherits.
struct Wires {
  int console = -1;                        // a pipe's end, to write
  int result = -1;                         // a socket; with icount a pipe's end, to write
  int files = -1;                          // a socket, -1: no virtio-serial
  int monitor = -1;                        // a socket: QMP
  int initrd = -1;                         // a file
  int model_page = -1, model_machine = -1; // files, where there is a model
  int host_files = -1;                     // a socket to virtiofsd, -1: none
};

std::string kernel_command_line(const Machine &machine);
std::vector<std::string> qemu_command(const Machine &machine, const std::string &image,
                                      const Wires &wires);

// A QEMU that runs, in a process group of its own. It is killed when the thread that made it ends,
// whatever ends it, and with this object.
class QemuProcess {
public:
  // inherited: descriptors that stay open in it. Throws outcome_error (QemuError).
  QemuProcess(const std::vector<std::string> &command, const std::vector<int> &inherited);

  bool running() { return x_child.running(); } // false as soon as it has ended
  void kill_now();
  // "exit status 1" or "signal 11 (Segmentation fault)", of one that has ended.
  std::string describe_end() const { return x_child.status().describe(); }
  bool ended_badly(); // by a signal that was not ours, or with a status that no guest gives
  // What it said on its standard error: the last line, empty if none.
  std::string last_words() const;

private:
  process::Child x_child;
  bool x_killed = false;
  Fd x_err;
};

} // namespace vmtest
