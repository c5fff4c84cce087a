#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ci/bench_names: the table of what ran where. Usage: bench_names_test.py BENCH_NAMES"""

import json
import pathlib
import subprocess
import sys
import tempfile


def row(name, status, **more):
    return {"name": name, "op": f"one {name}", "status": status, "metrics": [], **more}


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as here:
        first, second = pathlib.Path(here, "1.json"), pathlib.Path(here, "2.json")
        first.write_text(json.dumps({"benchmarks": [
            row("kprobe", "skipped", reason="no kprobes"), row("map", "ok", metrics=[{"name": "latency_net"}]),
            row("old", "failed", reason="broken")]}))
        second.write_text(json.dumps({"benchmarks": [row("kprobe", "ok"), row("kprobe", "skipped", reason="again"),
                                                     row("map", "skipped", reason="no kprobes")]}))
        done = run(program, f"native={first}", f"6.1={second}")
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [
            "| benchmark | one operation | base | native | 6.1 |",
            "| --- | --- | --- | --- | --- |",
            "| `kprobe` | one kprobe |  | 1 | yes |",
            "| `map` | one map | net | yes | 1 |",
            "| `old` | one old |  | failed | not run |",
            "", "1. no kprobes"], done.stdout
        for words in ([f"native{first}"], [f"native={here}/none"], [f"native={program}"]):
            wrong = run(program, *words)
            assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1, wrong.stderr


if __name__ == "__main__":
    main()
