#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Inputs of kinds that went wrong for strangers: what `gate compare` says of each pair of files, to
the row. A row that is not named in a case must have none of the verdicts that fail a gate.

usage: cases_test.py, with the environment variable GATE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GATE = os.environ["GATE"]


def go(name, figures):
    return "".join(f"Benchmark{name} 1000 {figure} ns/op\n" for figure in figures)


def around(centre, count=20):
    return [f"{centre * (1 + i % 5 / 500):.3f}" for i in range(count)]


MADE = {
    # Thousands in groups are figures; one group and no decimals is two numbers, and none.
    "grouped_old": go("A", around(1145)),
    "grouped_new": go("A", ["1," + figure[1:] for figure in around(1145)]),
    "two_numbers": go("A", around(1145, 8)) + go("A", ["1,145"] * 12),
    # Nothing ran.
    "fast_old": go("A", around(1000)), "fast_new": go("A", around(30)),
    "go_events": "".join(
        json.dumps({"Action": "output", "Package": "p", "Output": piece}) + "\n"
        for figure in around(100) for piece in ("BenchmarkA-8 \t", f"1000\t{figure} ns/op\n")),
    "go_events_slow": "".join(
        json.dumps({"Action": "output", "Package": p, "Output": piece[p]}) + "\n"
        for figure in around(150)
        for piece in ({"p": "BenchmarkA-8 \t", "q": "ok\n"}, {"p": f"1000\t{figure} ns/op\n", "q": "x\n"})
        for p in piece),
    "smaller": json.dumps([{"name": "size", "unit": "widgets", "value": 3}]),
}

# Files, exit code, rows that are not unchanged: words of its name -> verdict and a part of its note;
# or what is said.
CASES = [
    ("near_o.txt near_n.txt", 1, {"bpf_loop throughput nr_loops=1000000": ("regressed", "")}),
    ("o.txt n.txt", 1, {"local_storage cache sequential get throughput num_maps=1000": ("regressed", "")}),
    ("z_o.txt z_n.txt", 0, {}),
    ("z_o.txt z_n2.txt", 1, {"Beta B/op": ("regressed", ""), "Beta allocs/op": ("regressed", "")}),
    ("sp_old.txt sp_new.txt", 1, {"Beta time": ("regressed", "")}),
    ("gf_old.txt gf_new.txt", 3, {"Beta time": ("invalid", "comp: 8 dropped")}),
    ("h_old.json h_new.json", 3, {"make time": ("invalid", "comp: 28 dropped")}),
    ("qt_old.txt qt_new.txt", 1, {"uprobe-nop throughput": ("regressed", ""),
                                  "uprobe-push throughput": ("regressed", "")}),
    ("m_old.txt m_new.txt", 3, {"lpm-trie-noop throughput": ("inconclusive", "needs 8 loads")}),
    ("n10_o.txt n10_n.txt", 1, {"Beta time": ("regressed", "")}),
    ("kt_new.txt kt_old.txt", 3, {"b failed": ("missing", "not in comp")}),
    ("kt_old.txt kt_new.txt", 3, {"b failed": ("invalid", "new, and it fails")}),
    ("rt_old.json rt_new.json", 0, {"BM_Queue/threads:4 real_time": ("not gated", "--gate real_time")}),
    ("rt_old.json rt_new.json --gate real_time", 1, {"BM_Queue/threads:4 real_time": ("regressed", "")}),
    ("rt_old.json rt_new.json --gate real_tim", 2, "neither side has a metric 'real_tim'"),
    ("near_o.txt near_n.txt --filter bpf_lop", 2, "no benchmark is 'bpf_lop'"),
    ("sp_old.txt sp_new.txt --filter Al*", 0, {}),
    ("jmh.json jmh.json", 3, {"org.x.B.m throughput n=10": ("inconclusive", "needs 8 loads")}),
    ("pytest_old.json pytest_old.json", 0, {}),
    ("grouped_old grouped_new", 0, {}),
    ("grouped_old two_numbers", 3, {"A time": ("invalid", "comp: 12 dropped")}),
    ("fast_old fast_new", 0, {"A time": ("improved", "did it run?")}),
    ("go_events go_events", 0, {}),
    ("go_events go_events_slow", 1, {"A time": ("regressed", "")}),
    ("smaller smaller", 3, {"size value": ("inconclusive", "direction unknown")}),
]


def name_of(row):
    parameters = [f"{name}={value}" for name, value in row.get("parameters", {}).items()]
    return " ".join([row["name"], row["metric"], *parameters])


def compare(arguments):
    """Exit code, what was said, and the report's rows."""
    with tempfile.TemporaryDirectory() as directory:
        words = []
        for word in arguments.split():
            if word in MADE:
                path = pathlib.Path(directory, word)
                path.write_text(MADE[word], encoding="utf-8")
                word = str(path)
            elif (HERE / word).exists():
                word = str(HERE / word)
            words.append(word)
        out = pathlib.Path(directory, "report.json")
        run = subprocess.run([GATE, "compare", *words, "--json", str(out)], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        rows = json.loads(out.read_text(encoding="utf-8"))["rows"] if out.exists() else []
        return run.returncode, run.stdout, rows


def faults_of(arguments, code, wanted):
    got, said, rows = compare(arguments)
    faults = [] if got == code else [f"exit {got}, wanted {code}:\n{said}"]
    if isinstance(wanted, str):
        return faults + ([] if wanted in said else [f"did not say '{wanted}':\n{said}"])
    found = {name_of(row): row for row in rows}
    for name, (verdict, note) in wanted.items():
        # The words of a case's name are some of the row's, which has more parameters.
        meant = [each for each in found if set(name.split()) <= set(each.split())]
        if len(meant) != 1:
            faults.append(f"{len(meant)} rows are '{name}', of {sorted(found)}")
            continue
        row = found.pop(meant[0])
        if (row["verdict"] if row["gated"] else "not gated") != verdict or note not in (row.get("note") or ""):
            faults.append(f"{name}: {row['verdict']}, '{row.get('note')}'; wanted {verdict}, '{note}'")
    for name, row in found.items():
        if row["gated"] and row["verdict"] != "unchanged":
            faults.append(f"{name}: {row['verdict']}, '{row.get('note')}'; wanted unchanged")
    return faults


def hints():
    _, said, rows = compare("rz_old.txt rz_new.txt")
    faults = [f"{row['name']}: {row['note']}" for row in rows if (row.get("note") or "").count("--rename") > 3]
    return faults + ([] if said.count("--rename") else ["no hint at all"])


def main():
    failed = 0
    for name, faults in [*((case[0], faults_of(*case)) for case in CASES), ("hints", hints())]:
        failed += bool(faults)
        for fault in faults:
            print(f"{name}: {fault}")
    print(f"{len(CASES) + 1} cases, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
