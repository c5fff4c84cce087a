#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Inputs of kinds that went wrong for strangers: what `gate compare` says of each pair of files, to
the row, and what `gate trend` says. A row that is not named in a case must have none of the verdicts that
fail a gate.

usage: cases_test.py, with the environment variable GATE
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GATE = os.environ["GATE"]


def go(name, figures):
    return "".join(f"Benchmark{name} 1000 {figure} ns/op\n" for figure in figures)


def around(centre, count=20):
    return [f"{centre * (1 + i % 5 / 500):.3f}" for i in range(count)]


def google(times):
    return json.dumps({"context": {}, "benchmarks": [
        {"name": "A", "error_occurred": True, "error_message": "no memory"} if time is None else
        {"name": "A", "iterations": 1, "real_time": time, "cpu_time": time, "time_unit": "ns"} for time in times]})


def run_of(day, latency, unit):
    """A result file of bench: 20 loads around latency."""
    return json.dumps({
        "schema": "bpfgate-result", "version": 1, "tool": {"name": "bench", "version": "0.1.0", "revision": f"{day:07x}"},
        "command": ["bench"], "started": f"2026-01-{day:02}T10:00:00Z", "environment": {"cpus": 2},
        "benchmarks": [{"name": "lookup", "parameters": {}, "status": "ok", "definition": 1, "metrics": [
            {"name": "latency", "unit": unit, "better": "lower", "class": "time", "gated": True,
             "samples": [[latency * (1 + i % 5 / 500 + day * 31 % 7 / 1000)] for i in range(20)]}]}]})


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
    # Both halves of one mail, in two quotations, in one encoding that cuts lines.
    "mail": "> Slower before this patch.\n>\n> Before:\n> " + go("A", around(150)).replace("\n", "\n> ")
            + "\n> After this patch:\n>" + go("A", around(100)).replace("\n", "\n>> "),
    "soft_breaks": "Content-Transfer-Encoding: quoted-printable\n\nold:\n"
                   + go("A", around(100)).replace(" ns", "=\n ns") + "\nnew:\n"
                   + go("A", around(150)).replace("1000 ", "1000 =\n"),
    "one_half": "Before:\n" + go("A", around(150)),
    "twice": "Before:\n" + go("A", around(150)) + "After:\n" + go("A", around(150)) + "after:\n",
    "no_figures": "Before:\n" + go("A", around(150)) + "After:\nFaster.\n",
    "go_old": go("A", around(100)) + go("B", around(100)), "go_new": go("A", around(115)) + go("B", around(115)),
    "wide.toml": '[[threshold]]\nbenchmark = "A*"\nmetric = "time"\ntolerance = "20 %"\n',
    "last.toml": '[[threshold]]\ntolerance = 30\n[[threshold]]\nbenchmark = "B"\ntolerance = 2.5\n',
    "other_benchmark.toml": '[[threshold]]\nbenchmark = "C*"\ntolerance = 20\n',
    "other_metric.toml": '[[threshold]]\nmetric = "tim"\ntolerance = 20\n',
    "other_key.toml": '[[threshold]]\n\n  tolerence = 20\n',
    "no_percentage.toml": '[[threshold]]\ntolerance = "wide"\n',
    "negative.toml": '[[threshold]]\ntolerance = -1\n',
    "nothing_said.toml": '[[threshold]]\nmetric = "time"\n',
    "broken.toml": '[[threshold]\n',
    "ktap_old": "KTAP version 1\n1..2\nok 1 a\nok 2 b\n",
    "ktap_cut": "KTAP version 1\n1..2\nok 1 a\nok 2 b\nKTAP version 1\n1..2\nok 1 a\n[ 1.5] not ok 2 - b\n",
    "veristat_old": "file_name,prog_name,verdict,total_insns\na.o,p,success,3\n",
    "veristat_cut": "file_name,prog_name,verdict,total_insns\na.o,p,success,3\na.o,p,succ\n",
    "google_old": google([100] * 20), "google_failed": google([100] * 19 + [None]),
    "google_slow_and_failed": google([200] * 19 + [None]),
    # Two modes, of which either side has both.
    "modes_old": go("A", [100, 130] * 10), "modes_new": go("A", [100.5] * 9 + [130.5] * 11),
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
    ("q_old.txt q_new.txt", 3, {f"{stack}-{size} {metric}": ("inconclusive", "needs 8 loads a side")
                                for stack, size in (("no-private-stack", 1), ("private-stack", 1), ("no-private-stack", 4096))
                                for metric in ("throughput", "drop_share")}),
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
    ("mail --sections before,after", 0, {"A time": ("improved", "")}),
    ("mail --sections After,Before", 1, {"A time": ("regressed", "")}),
    ("soft_breaks --sections old,new", 1, {"A time": ("regressed", "")}),
    ("one_half --sections before,after", 2, "one_half: no section 'after'"),
    ("twice --sections before,after", 2, "twice: section 'after' begins in line 22 and again in line 43"),
    ("no_figures --sections before,after", 2, "no_figures, section 'after': nothing that gate reads"),
    ("mail mail --sections before,after", 2, "--sections: both sides are in one file"),
    ("mail --sections before", 2, "--sections"),
    ("mail", 2, "COMP is required"),
    ("go_old go_new --thresholds wide.toml", 1, {"B time": ("regressed", ""), "A time": ("unchanged", "tolerance 20 %")}),
    ("go_old go_new --thresholds last.toml --filter A", 0, {"A time": ("unchanged", "last.toml:1:1")}),
    ("go_old go_new --thresholds last.toml", 1, {"B time": ("regressed", "tolerance 2.5 %")}),
    ("go_old go_new --thresholds other_benchmark.toml", 2, "other_benchmark.toml:1:1: no benchmark is 'C*'"),
    ("go_old go_new --thresholds other_metric.toml", 2, "other_metric.toml:1:1: no benchmark '*' has a metric 'tim'"),
    ("go_old go_new --thresholds other_key.toml", 2, "other_key.toml:3:3: unknown key 'tolerence'"),
    ("go_old go_new --thresholds no_percentage.toml", 2, "no_percentage.toml:2:1: 'wide' is no percentage"),
    ("go_old go_new --thresholds negative.toml", 2, "negative.toml:2:1: the tolerance is no percentage"),
    ("go_old go_new --thresholds nothing_said.toml", 2, "nothing_said.toml:1:1: a threshold without a tolerance"),
    ("go_old go_new --thresholds broken.toml", 2, "broken.toml:1:"),
    ("go_old go_new --thresholds not_there.toml", 2, "not_there.toml"),
    ("ktap_old ktap_cut", 3, {"b failed": ("invalid", "comp: 1 dropped")}),
    ("veristat_old veristat_cut", 3, {"p failed": ("invalid", "comp: 1 dropped"),
                                      "p total_insns": ("invalid", "comp: 1 dropped")}),
    ("google_old google_failed", 3, {"A cpu_time": ("invalid", "comp: 1 dropped, first no memory")}),
    ("google_old google_slow_and_failed", 1, {"A cpu_time": ("regressed", "")}),
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


def sides():
    """What only comp has stands on comp's side in each format, though it failed."""
    faults = []
    for form, wanted, unwanted in (
            ("table", r"^b +failed +- +1 ", None), ("markdown", r"^\| b \| failed \| - \| 1 \|", None),
            ("commit", r"^b failed +- +1 ", None), ("html", r'data-label="base">-</td><td class="num" data-label="comp">1<', None),
            ("github", r"b failed::1; new, and it fails", None), ("go-comp", r"^BenchmarkB 1 1 failed", None),
            ("go-base", r"^BenchmarkA 1 0 failed", r"^BenchmarkB"),
            ("openmetrics", r'bench="b".*side="comp",unit=""\} 1', r'bench="b".*side="base"'),
            ("json", r'"name":"b",.*"base":null,"comp":1.0,"base_loads":0,"comp_loads":1', None)):
        _, said, _ = compare(f"kt_old.txt kt_new.txt --format {form}")
        if not re.search(wanted, said, re.MULTILINE) or (unwanted and re.search(unwanted, said, re.MULTILINE)):
            faults.append(f"{form}:\n{said}")
    return faults


def hints():
    _, said, rows = compare("rz_old.txt rz_new.txt")
    faults = [f"{row['name']}: {row['note']}" for row in rows if (row.get("note") or "").count("--rename") > 3]
    return faults + ([] if said.count("--rename") else ["no hint at all"])


def trend(runs):
    """What gate says of these runs, given in the order of the dictionary."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in runs.items():
            pathlib.Path(directory, name).write_text(text, encoding="utf-8")
        return subprocess.run([GATE, "trend", "--import", *runs], text=True, cwd=directory, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def trend_faults(runs, change):
    said = trend(runs)
    return [] if change in said and "changes=1 " in said else [f"wanted '{change}':\n{said}"]


def trend_order():
    """The shell gives run10.json before run2.json; time is what the files say."""
    runs = {f"run{day}.json": run_of(day, 100 if day < 15 else 120, "ns/op") for day in range(1, 29)}
    return trend_faults(dict(sorted(runs.items())), "+20.0 % from run15.json")


def trend_units():
    runs = {f"u{day:02}.json": run_of(day, 100 if day < 15 else 0.13, "ns/op" if day < 15 else "us/op")
            for day in range(1, 29)}
    return trend_faults(runs, "+30.0 % from u15.json")


def modes():
    """The figures of a row do not contradict each other: a change that was not detected is none that
    nine of ten such runs would, and as many loads as there are do not decide."""
    faults = []
    for files in ("modes_old modes_new", "b2_old.txt b2_new.txt"):
        _, said, rows = compare(files)
        row = rows[0]
        needed = row["tests"]["units_needed"]
        right = row["verdict"] == "inconclusive" and row["mde"] > abs(row["change"]) and (needed is None or needed > 20)
        faults += [] if right else [f"change {row['change']}, mde {row['mde']}, needs {needed}:\n{said}"]
    return faults


def main():
    failed = 0
    checks = {"sides": sides, "hints": hints, "trend_order": trend_order, "trend_units": trend_units, "modes": modes}
    cases = [*((case[0], faults_of(*case)) for case in CASES), *((name, check()) for name, check in checks.items())]
    for name, faults in cases:
        failed += bool(faults)
        for fault in faults:
            print(f"{name}: {fault}")
    print(f"{len(cases)} cases, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
