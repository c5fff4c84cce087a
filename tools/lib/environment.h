// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The machine and the kernel that figures were measured on: the member "environment" of
// docs/results.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/lib/value.h"

// Reads the machine. What it does not tell is absent; nothing is guessed. The toolchain is added by
// the caller, which knows what it was built with.
Value read_environment();

// What runs this kernel: "icount" where the clock counts instructions, else "tcg" or "kvm" by the
// hypervisor's signature (as in the member "hypervisor"), else "native".
std::string accelerator_of(const std::string &hypervisor, bool counts_instructions);

// What a runner of virtual machines says of this one in VMTEST_QEMU, _CPU, _SEED, _INITRAMFS,
// _MODEL and _MODEL_BUILD, and the running kernel's build id; an empty object where no VMTEST_
// variable is set.
Value read_vm();

// Where VMTEST_ACCELERATOR or VMTEST_KERNEL (nullopt: not set) say otherwise than what was found,
// one sentence each. What was found stands.
std::vector<std::string> contradictions(const Value &environment,
                                        const std::optional<std::string> &accelerator,
                                        const std::optional<std::string> &kernel);

// The same with what this process's environment says.
std::vector<std::string> contradictions(const Value &environment);

// Now, in UTC: 2026-11-30T10:30:25Z.
std::string utc_now();
