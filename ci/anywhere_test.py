#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ci/gate sees that bpf() is refused: to root without capabilities, to an ordinary user, by seccomp.
Only what is found out is tested: no guest is booted."""

import ctypes
import os
import pathlib
import platform
import struct
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = {"x86_64": 321, "aarch64": 280}
SKIPPED = 77


def refuse_bpf():
    """seccomp: bpf() gives EPERM, all else is allowed. For this process and its children."""
    load, equal, give = 0x20, 0x15, 0x06
    rules = [(load, 0, 0, 0), (equal, 0, 1, NUMBERS[platform.machine()]), (give, 0, 0, 0x50001),
             (give, 0, 0, 0x7FFF0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *rule) for rule in rules))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rules), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program):
        raise OSError(ctypes.get_errno(), "prctl")


def reason(*prefix, prepare=None):
    command = [*prefix, "sh", "-c", ". ci/anywhere.sh && why_no_bpf"]
    run = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, text=True, check=True,
                         preexec_fn=prepare)
    return run.stdout


def main():
    if platform.machine() not in NUMBERS:
        print("skipped: no number of bpf() known here")
        return SKIPPED
    answers = {"seccomp": reason(prepare=refuse_bpf)}
    if os.geteuid() == 0:
        answers["no capabilities"] = reason("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")
        answers["user"] = reason("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    for name, answer in answers.items():
        print(f"{name}: {answer.strip()}")
    return 0 if all(a.startswith("bpf() makes no map: ") for a in answers.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
