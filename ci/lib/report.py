# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""One report and one exit code out of what the steps found."""

import collections
import dataclasses

import steps

VERDICTS = ("regressed", "invalid", "missing", "incomparable", "inconclusive", "improved",
            "unchanged", "new")
PASSED, FAILED, USAGE, INCOMPLETE, SKIPPED = 0, 1, 2, 3, 4


@dataclasses.dataclass
class Part:
    """What one kernel, or this machine by its time, says."""

    name: str
    functional: list = dataclasses.field(default_factory=list)  # "base: 650 passed, ..."
    failures: list = dataclasses.field(default_factory=list)  # failed tests of base and of head
    broken: list = dataclasses.field(default_factory=list)
    lost: list = dataclasses.field(default_factory=list)
    unknown: list = dataclasses.field(default_factory=list)
    remarks: list = dataclasses.field(default_factory=list)
    gate: dict = None  # gate's report (docs/gate-json.md)
    skipped: str = ""  # why nothing could be measured, where that was to be expected
    logs: list = dataclasses.field(default_factory=list)


def counts(parts):
    """Gated rows by verdict, over all parts."""
    found = collections.Counter()
    for part in parts:
        for row in (part.gate or {}).get("rows", []):
            if row["gated"]:
                found[row["verdict"]] += 1
    return {verdict: found[verdict] for verdict in VERDICTS}


def judge(parts):
    """(verdict, exit code): a functional failure beats any figure, a regression what is missing."""
    found = counts(parts)
    if any(part.broken for part in parts):
        return "broken", FAILED
    if found["regressed"]:
        return "regressed", FAILED
    for verdict in ("invalid", "missing", "incomparable"):
        if found[verdict]:
            return verdict, INCOMPLETE
    if any(part.lost or part.unknown for part in parts):
        return "incomplete", INCOMPLETE
    if not any(found.values()):
        return "nothing", INCOMPLETE
    for verdict in ("inconclusive", "improved"):
        if found[verdict]:
            return verdict, PASSED
    return "unchanged", PASSED


def machine_line(parts):
    verdict, code = judge(parts)
    numbers = " ".join(f"{name}={count}" for name, count in counts(parts).items())
    totals = {what: sum(len(getattr(part, what)) for part in parts)
              for what in ("broken", "lost", "unknown")}
    functional = " ".join(f"{name}={count}" for name, count in totals.items())
    return f"patch: verdict={verdict} exit={code} {functional} {numbers}"


def _functional_lines(part):
    lines = list(part.functional)
    for title, members in (("BROKEN", part.broken), ("no longer run", part.lost),
                           ("not known", part.unknown), ("note", part.remarks)):
        lines += [f"{title}: {line}" for line in members]
    if part.skipped:
        lines.append(f"not measured: {part.skipped}")
    return lines


def _functional_row(part):
    """A row of gate for what is no figure, so that its verdict and its formats tell it, too."""
    verdict = ("regressed" if part.broken else "missing" if part.lost
               else "invalid" if part.unknown else "unchanged")
    findings = [*part.broken, *part.lost, *part.unknown]
    base, head = part.failures if len(part.failures) == 2 else (None, None)
    return {"name": "test_progs" if part.functional else part.name, "parameters": {},
            "metric": "failed tests" if part.functional else "findings", "unit": "tests",
            "better": "lower", "class": "exact", "gated": True, "verdict": verdict,
            "note": "; ".join(findings[:3]), "method": "exact", "base": base, "comp": head,
            "base_loads": 1, "comp_loads": 1, "scale": "difference",
            "change": None if base is None else head - base, "interval": None, "tolerance": 0,
            "mde": None, "level": 0, "same_bytecode": True}


def merged_gate(parts):
    """One report of gate with the rows of all parts, the part's name as a parameter."""
    rows, remarks = [], []
    verdict, code = judge(parts)
    first = next((part.gate for part in parts if part.gate), {})
    for part in parts:
        remarks += [f"{part.name}: {line}" for line in _functional_lines(part)]
        if part.functional or part.broken or part.unknown:
            row = _functional_row(part)
            rows.append({**row, "parameters": {"where": part.name}})
        if part.gate:
            remarks += [f"{part.name}: {line}" for line in part.gate["remarks"]]
            rows += [{**row, "parameters": {"where": part.name, **(row["parameters"] or {})}}
                     for row in part.gate["rows"]]
    empty = {"schema": "bpfgate-report", "version": 1, "command": "compare", "alpha": 0.01}
    return {**empty, **first, "verdict": verdict, "exit_code": code, "counts": counts(parts),
            "geometric_mean": {"change": None, "rows": 0}, "remarks": remarks, "rows": rows}


def to_json(what, parts):
    verdict, code = judge(parts)
    members = ("functional", "failures", "broken", "lost", "unknown", "remarks", "skipped", "gate", "logs")
    return {"schema": "bpfgate-patch", "version": 1, "verdict": verdict, "exit_code": code,
            **what, "counts": counts(parts),
            "parts": [{"name": part.name, **{m: getattr(part, m) for m in members}}
                      for part in parts]}


def to_text(what, parts, table):
    """table: gate's own, of merged_gate()."""
    lines = [f"base: {what['base']}", f"head: {what['head']}", ""]
    for part in parts:
        lines.append(f"{part.name}:")
        lines += [f"    {line}" for line in _functional_lines(part)]
        lines += [f"    log: {log}" for log in part.logs]
    return "\n".join(lines) + "\n\n" + table + machine_line(parts) + "\n"


def to_markdown(what, parts, table):
    """table: gate's Markdown of merged_gate()."""
    verdict, code = judge(parts)
    lines = [f"## {verdict} (exit {code})", "", f"- base: {what['base']}", f"- head: {what['head']}"]
    for part in parts:
        lines += ["", f"### {part.name}", ""]
        lines += [f"- {'**' + line + '**' if line.startswith('BROKEN') else line}"
                  for line in _functional_lines(part)]
    return "\n".join(lines) + "\n\n" + table


def write(directory, what, parts, gate):
    """report.txt, .json, .md, .html; gate: runs gate with arguments, gives its output."""
    merged = directory / "gate.json"
    steps.write_json(merged, merged_gate(parts))
    steps.write_json(directory / "report.json", to_json(what, parts))
    text = to_text(what, parts, gate("report", merged))
    (directory / "report.txt").write_text(text, encoding="utf-8")
    markdown = to_markdown(what, parts, gate("report", merged, "--format", "markdown"))
    (directory / "report.md").write_text(markdown, encoding="utf-8")
    gate("report", merged, "--html", directory / "report.html")
    return text
