# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What is compared: two revisions of this repository in a kernel of the matrix, or two kernels.

An Arm is one side in one kernel: programs and what vmtest boots. Its steps are the functional suite
and the counts of instructions.
"""

import dataclasses
import pathlib
import re

import functional
import steps

# vmtest's exit codes that say nothing about the guest: tried again by the next run.
TRANSIENT = {"time-out", "no-result", "qemu-error", "kernel-unfit", "command-not-found",
             "output-lost", "interrupted"}


@dataclasses.dataclass
class Tools:
    """Of the checkout that ci/patch lies in, the same for both sides."""

    vmtest: pathlib.Path
    gate: pathlib.Path
    timeout_s: int
    jobs: int

    def hashes(self):
        return [steps.file_hash(self.vmtest), steps.file_hash(self.gate)]


@dataclasses.dataclass
class Arm:
    """label: base or head. boot: what vmtest takes; identity: of what that is."""

    label: str
    name: str  # of the kernel, for the names of steps
    boot: str
    identity: list
    bench: pathlib.Path
    test_progs: pathlib.Path


def identify(state, tools, kernel):
    """Boots a kernel once: its release and build id, or None and why it cannot be used."""
    step = state.step("boot-" + re.sub(r"[^\w.-]", "_", kernel), [kernel, tools.hashes()])
    step.start()
    report = step / "vm.json"
    step.run([tools.vmtest, "--kernel", kernel, "--json", report, "--timeout", 120, "--", "true"])
    run = (steps.read_json(report) or {"runs": [None]})["runs"][0]
    if run is None or run["outcome"] != "passed":
        return None, f"{kernel}: {run['outcome']}: {run['detail']}" if run else step.reason()
    path = pathlib.Path(kernel)
    content = steps.file_hash(path) if path.is_file() else ""
    return [run["release"], run["build_id"], content], ""


def run_functional(state, tools, arm, arguments):
    """The functional suite of an arm: (functional.Outcome, step)."""
    # By its content: a patch that only changes benches has the functional suite of its base.
    key = [arm.identity, steps.file_hash(arm.test_progs), arguments, tools.hashes()]

    def act(step):
        step.run([tools.vmtest, "--kernel", arm.boot, "--out", step / "out", "--json",
                  step / "vm.json", "--timeout", tools.timeout_s, "--", arm.test_progs, "-J",
                  "tests.json", *arguments])
        run = (steps.read_json(step / "vm.json") or {"runs": [None]})["runs"][0]
        return {"outcome": run["outcome"] if run else "no-result"}

    step = state.do(f"functional-{arm.name}", key, act, arm.label,
                    keep=lambda status: status["outcome"] not in TRANSIENT)
    run = (steps.read_json(step / "vm.json") or {"runs": [None]})["runs"][0]
    return functional.read_outcome(run, steps.read_json(step / "out" / "tests.json")), step


def count_instructions(state, tools, arm, kernel):
    """The counts of an arm, a step: figures.json where its status says exit_code 0."""
    key = [arm.identity, steps.file_hash(arm.bench), kernel.benches, kernel.seeds, tools.hashes()]

    def act(step):
        return {"exit_code": step.run(
            [tools.gate, "record", "--vm", arm.boot, "--baseline", step / "figures.json",
             "--vmtest", tools.vmtest, "--bench", arm.bench, "--seeds", kernel.seeds, "--jobs",
             tools.jobs, "--", *kernel.benches])}

    return state.do(f"count-{arm.name}", key, act, arm.label,
                    keep=lambda status: status["exit_code"] == 0)


def judge_counts(state, tools, arms, figures, kernel, renames):
    """gate compare of both arms: a step with report.json, always done again, since it is quick."""
    key = [[str(f) for f in figures], kernel.tolerance_pct, renames]
    step = state.step(f"gate-{arms[1].name}", key)
    step.start()
    options = [option for rename in renames for option in ("--rename", rename)]
    code = step.run([tools.gate, "compare", *figures, "--tolerance", kernel.tolerance_pct,
                     "--json", step / "report.json", *options])
    step.finish(exit_code=code)
    return step


def measure_times(state, tools, arms, benches, renames):
    """Both arms on this machine, interleaved: a step with report.json, or exit code 4."""
    key = [[steps.file_hash(arm.bench) for arm in arms], benches, renames, tools.hashes()]

    def act(step):
        store = step / "store"
        common = ["--store", store, "--", *benches]
        options = [option for rename in renames for option in ("--rename", rename)]
        code = step.run([tools.gate, "record", "--bench", arms[0].bench, *common])
        if code == 0:
            code = step.run([tools.gate, "check", "--bench", arms[1].bench, "--json",
                             step / "report.json", *options, *common])
        return {"exit_code": code}

    return state.do("time", key, act, "both",
                    keep=lambda status: status["exit_code"] in (0, 1, 3))
