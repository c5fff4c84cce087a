#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The prepared patches of ci/patches: that they still apply, and, slowly, what ci/patch says of them.
Usage: patch_test.py apply SOURCE_DIR
       patch_test.py judge SOURCE_DIR BUILD_DIR [KERNEL [ROUNDS]]
judge builds HEAD and HEAD with each patch, and boots KERNEL (6.12) for each. Each of the ROUNDS (1) tests
and counts anew, with the builds of the first.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# patch, options -> exit code, verdict, what is told: rows of gate or tests that broke.
LPM_LOOKUP = {("lpm-trie-lookup", "instructions")}
CASES = [
    ("slow-lpm-lookup", [], 1, "regressed", LPM_LOOKUP),
    ("more-htab-memory", [], 1, "regressed", {("htab-mem", "memory")}),
    ("break-strncmp-edge", [], 1, "broken", set()),
    ("refactoring", [], 0, "unchanged", set()),
    ("fast-strncmp-no-helper", [], 0, "improved", {("strncmp-no-helper", "instructions")}),
    ("rename-bloom-lookup", ["--rename", "bloom-lookup=bloom-peek"], 0, "unchanged", set()),
    ("rename-bloom-lookup", [], 3, "missing", {("bloom-lookup", "instructions")}),
]
CHANGED = ("regressed", "improved", "missing", "invalid", "incomparable", "inconclusive")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def check_applies(source):
    """Whatever the state of the tree: what is committed or not counts as it lies there."""
    patches = sorted((source / "ci" / "patches").glob("*.patch"))
    bad = {name for name, *_ in CASES} ^ {patch.stem for patch in patches}
    for name in bad:
        print(f"{name}: a patch without an expected answer, or the other way round")
    for patch in patches:
        run = subprocess.run(["git", "apply", "--check", patch], cwd=source, text=True,
                             capture_output=True, check=False)
        if run.returncode:
            bad.add(patch.stem)
            print(f"{patch.name} does not apply any more: {run.stderr.strip()}")
    print(f"{len(patches)} patches, {len(bad)} findings")
    return 1 if bad else 0


def told(document):
    """(name, metric) of all rows that are not as they were, and the tests that broke."""
    rows = {(row["name"], row["metric"]) for part in document["parts"] if part["gate"]
            for row in part["gate"]["rows"] if row["gated"] and row["verdict"] in CHANGED}
    return rows, [line for part in document["parts"] for line in part["broken"]]


def judge(source, kernel, work, case):
    """What is wrong with the answer to one patch."""
    name, options, code, verdict, rows = case
    out = work / "-".join([name, *options]).replace("=", "-")
    command = [source / "ci/patch", "--base", "HEAD", "--patch", source / f"ci/patches/{name}.patch",
               "--kernels", work / "kernels.json", "--kernel", kernel, "--state", work / "state",
               "--out", out, *options]
    run = subprocess.run(command, text=True, stdout=subprocess.PIPE, check=False)
    print(run.stdout, flush=True)
    try:
        document = json.loads((out / "report.json").read_text())
    except (OSError, ValueError) as error:
        return [f"no report: {error}"]
    found, broken = told(document)
    wrong = []
    if (run.returncode, document["verdict"]) != (code, verdict):
        wrong.append(f"{document['verdict']}, exit {run.returncode}, not {verdict}, exit {code}")
    if found != rows:
        wrong.append(f"told are {sorted(found)}, not {sorted(rows)}")
    if bool(broken) != (verdict == "broken") or any("strncmp" not in line for line in broken):
        wrong.append(f"broken are {broken}")
    return wrong


def judge_all(source, build, kernel, rounds):
    git = subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], capture_output=True, check=False)
    if git.returncode:
        skip(f"{source} is no git checkout")
    os.environ["BPFGATE_BUILD"] = str(build)
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        matrix = {"version": 1, "kernels": [{"name": kernel, "kernel": f"debian:{kernel}",
                                             "benches": ["--suite", "quick"], "seeds": 3}]}
        (work / "kernels.json").write_text(json.dumps(matrix))
        try:
            for number in range(1, rounds + 1):
                for case in CASES:
                    wrong = judge(source, kernel, work, case)
                    failed += bool(wrong)
                    what = " ".join([case[0], *case[1]])
                    print(f"{'FAIL' if wrong else 'ok'}: round {number}: {what}: {'; '.join(wrong) or case[3]}",
                          flush=True)
                for step in (work / "state/steps").iterdir():
                    if not step.name.startswith("build-"):
                        shutil.rmtree(step)
        finally:
            subprocess.run(["git", "-C", source, "worktree", "remove", "--force",
                            work / "state/worktree"], check=False)
    return 1 if failed else 0


def main():
    mode, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if mode == "apply":
        return check_applies(source)
    given, default = sys.argv[4:], ["6.12", "1"]
    kernel, rounds = given + default[len(given):]
    return judge_all(source, pathlib.Path(sys.argv[3]).resolve(), kernel, int(rounds))


if __name__ == "__main__":
    sys.exit(main())
