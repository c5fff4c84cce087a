#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ci/gate and ci/test see that bpf() is refused, to root without capabilities, to an ordinary user and
by seccomp, and choose a guest. What they would build and run are stand-ins that say how they were called.
"""

import ctypes
import os
import pathlib
import platform
import struct
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
NUMBERS = {"x86_64": 321, "aarch64": 280}
SKIPPED = 77
TOOLS = ("tools/gate/gate", "tools/vmtest/vmtest", "prog_tests/test_progs", "benchs/bench")
# Of each call a line; exit code: what the variable of that name says.
STAND_IN = """#!/bin/sh
name=${0##*/}
echo "$name $*" >>"$CALLS"
[ "$name" != dpkg-query ] || printf %s "${INSTALLED-installed}"
[ "$name" != $FAILING ] || exit 3
"""


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


def reasons_wrong():
    answers = {"seccomp": reason(prepare=refuse_bpf)}
    if os.geteuid() == 0:
        answers["no capabilities"] = reason("setpriv", "--bounding-set", "-all", "--inh-caps", "-all")
        answers["user"] = reason("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
    return [f"{name}: {answer.strip()}" for name, answer in answers.items()
            if not answer.startswith("bpf() makes no map: ")]


class Machine:
    """Stand-ins on the PATH and in a build directory."""

    def __init__(self, directory):
        self.directory = directory
        programs = ("apt-cache", "apt-get", "bpftool", "dpkg-query", "meson", "ninja")
        for path in [*(f"bin/{name}" for name in programs), *(f"build/{name}" for name in TOOLS)]:
            program = directory / path
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(STAND_IN)
            program.chmod(0o755)
        (directory / "build/build.ninja").write_text("libcmocka\n")

    def run(self, *command, prepare=refuse_bpf, **variables):
        """Exit code, what it said, calls."""
        calls = self.directory / "calls"
        calls.write_text("")
        environment = {"FAILING": "none", **os.environ, "CALLS": str(calls),
                       "BPFGATE_BUILD": str(self.directory / "build"), **variables,
                       "PATH": f"{self.directory / 'bin'}:{os.environ['PATH']}"}
        run = subprocess.run([TOP / command[0], *command[1:]], env=environment, text=True, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=prepare)
        called = [line for line in calls.read_text().splitlines()
                  if not line.startswith(("apt-cache", "dpkg-query"))]
        return run.returncode, run.stdout, "\n".join(called)


COUNTED = "--vm debian:6.12 --baseline ci/baselines/"
# Command, variables, exit code, what it says, what it calls, what it does not call.
CASES = [
    (["ci/test"], {}, 0, "no BPF here (bpf() makes no map: ", "--no-suite bpf", "none"),
    (["ci/test"], {}, 0, "in a guest", "vmtest --kernel debian:6.12 --timeout 300 -- ", "none"),
    (["ci/test"], {"FAILING": "meson"}, 1, "", "vmtest --kernel debian:6.12 ", "none"),
    (["ci/test"], {"FAILING": "vmtest"}, 1, "", "--no-suite bpf", "none"),
    (["ci/test", "lib"], {}, 0, "was not run in a guest", "--no-suite bpf lib", "vmtest --kernel"),
    (["ci/test", "--no-install"], {"INSTALLED": ""}, 4, "these packages are missing: ", "", "meson"),
    (["ci/gate"], {}, 0, "no BPF here (bpf() makes no map: ", COUNTED, "meson test"),
    (["ci/gate"], {"FAILING": "gate"}, 3, "", COUNTED, "none"),
    (["ci/gate", "--store", "x"], {}, 2, "--store x cannot be used", "", "gate"),
    (["ci/gate", "--store", "x", "--vm"], {}, 2, "--store x cannot be used", "", "gate"),
    (["ci/gate", "--no-install"], {"INSTALLED": ""}, 4, "these packages are missing: ", "", "gate"),
]


def choices_wrong(machine):
    for command, variables, code, says, calls, calls_not in CASES:
        found, said, called = machine.run(*command, **variables)
        if found != code or says not in said or calls not in called or calls_not in called:
            yield f"{' '.join(command)} {variables}: exit {found}, not {code}\n{said}{called}"


def machine_with_bpf_wrong(machine):
    """Where it gives BPF, no guest is chosen."""
    if reason():
        return
    for command in ("ci/test", "ci/gate"):
        code, said, called = machine.run(command, prepare=None)
        if code or "no BPF" in said or "--no-suite" in called or "vmtest" in called:
            yield f"{command} with BPF: exit {code}\n{said}{called}"


def main():
    if platform.machine() not in NUMBERS:
        print("skipped: no number of bpf() known here")
        return SKIPPED
    wrong = reasons_wrong()
    if platform.machine() == "x86_64":  # elsewhere no kernels are booted
        with tempfile.TemporaryDirectory() as directory:
            machine = Machine(pathlib.Path(directory))
            wrong += [*choices_wrong(machine), *machine_with_bpf_wrong(machine)]
    for each in wrong:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
