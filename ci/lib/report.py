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


def merged_gate(parts):
    """One report of gate with the rows of all parts, the part's name as a parameter."""
    rows, remarks = [], []
    verdict, code = judge(parts)
    first = next((part.gate for part in parts if part.gate), {})
    for part in parts:
        remarks += [f"{part.name}: {line}" for line in _functional_lines(part)]
        if part.gate:
            remarks += [f"{part.name}: {line}" for line in part.gate["remarks"]]
            rows += [{**row, "parameters": {"where": part.name, **(row["parameters"] or {})}}
                     for row in part.gate["rows"]]
    return {**first, "verdict": verdict, "exit_code": code, "counts": counts(parts),
            "geometric_mean": {"change": None, "rows": 0}, "remarks": remarks, "rows": rows}


def to_json(what, parts):
    verdict, code = judge(parts)
    members = ("functional", "broken", "lost", "unknown", "remarks", "skipped", "gate", "logs")
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
    """report.txt, .json, .md, .html; gate: runs gate with arguments, gives its output or None."""
    merged = directory / "gate.json"
    steps.write_json(merged, merged_gate(parts))
    steps.write_json(directory / "report.json", to_json(what, parts))
    has_rows = any(part.gate for part in parts)
    table = gate("report", merged) if has_rows else ""
    text = to_text(what, parts, table or "")
    (directory / "report.txt").write_text(text, encoding="utf-8")
    markdown = gate("report", merged, "--format", "markdown") if has_rows else ""
    (directory / "report.md").write_text(to_markdown(what, parts, markdown or ""), encoding="utf-8")
    if has_rows:
        gate("report", merged, "--html", directory / "report.html")
    return text
