# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What test_progs found in a kernel, and what one side has that the other has not."""

import dataclasses

# How vmtest says that a guest ended: a finding about the kernel or the tests in it...
FINDINGS = ("panic", "splat", "out-of-memory", "time-out")
# ... or nothing about them. "failed" is a finding when test_progs left its report.
SEVERE = "the whole run"


@dataclasses.dataclass
class Outcome:
    """One side in one kernel. tests: name -> (OK, FAIL or SKIP, first line of the reason)."""

    outcome: str  # of vmtest; "not-built", where there was nothing to run
    detail: str = ""
    tests: dict = dataclasses.field(default_factory=dict)

    @property
    def measured(self):
        """Whether it tells anything about the side."""
        return bool(self.tests) or self.outcome in FINDINGS or self.outcome == "not-built"

    @property
    def failed(self):
        return sum(result == "FAIL" for result, _ in self.tests.values())


@dataclasses.dataclass
class Difference:
    """Of two sides. All: lines of text."""

    broken: list = dataclasses.field(default_factory=list)  # head fails, base does not
    lost: list = dataclasses.field(default_factory=list)  # ran in base, not in head
    unknown: list = dataclasses.field(default_factory=list)  # a side could not be tried
    remarks: list = dataclasses.field(default_factory=list)


def _first_line(text):
    return next((line.strip() for line in (text or "").splitlines() if line.strip()), "")


def _results(tests, prefix=""):
    for test in tests:
        name = prefix + test["name"]
        subtests = list(_results(test.get("subtests") or [], name + "/"))
        yield from subtests
        # A failure is told where it is: of the test itself only when no subtest explains it.
        if test["result"] != "FAIL" or not any(s[1] == "FAIL" for s in subtests):
            yield name, test["result"], _first_line(test.get("reason"))


def read_outcome(run, report):
    """run: of vmtest's --json; report: of test_progs -J. Either may be None."""
    if run is None:
        return Outcome("no-result", "vmtest left no report")
    outcome = Outcome(run["outcome"], run.get("detail") or "")
    messages = {}
    if report:
        _collect_messages(report.get("results") or [], "", messages)
        for name, result, reason in _results(report["tests"]):
            outcome.tests[name] = (result, reason or _first_line(messages.get(name)))
    return outcome


def _collect_messages(results, prefix, messages):
    for result in results:
        name = prefix + result["name"]
        messages[name] = result.get("message") or ""
        _collect_messages(result.get("subtests") or [], name + "/", messages)


def count(outcome):
    """'650 passed, 1 failed, 11 skipped'."""
    if not outcome.tests:
        return f"{outcome.outcome}: {outcome.detail}" if outcome.detail else outcome.outcome
    results = [result for result, _ in outcome.tests.values()]
    text = (f"{results.count('OK')} passed, {results.count('FAIL')} failed, "
            f"{results.count('SKIP')} skipped")
    return text if outcome.outcome in ("passed", "failed") else f"{outcome.outcome}; {text}"


def _compare_tests(base, head, difference):
    for name in sorted({*base.tests, *head.tests}):
        before, reason_before = base.tests.get(name, ("absent", ""))
        after, reason = head.tests.get(name, ("absent", ""))
        line = f"{name}: {before} in base, {after} in head"
        if after == "FAIL" and before == "FAIL":
            difference.remarks.append(f"{name}: fails on both sides: {reason or reason_before}")
        elif after == "FAIL":
            difference.broken.append(f"{line}: {reason}" if reason else line)
        elif before == "OK" and after != "OK":
            difference.lost.append(f"{line}: {reason}" if reason else line)
        elif before == "FAIL":
            difference.remarks.append(line)


def compare(base, head):
    """What head breaks. A side that could not be tried makes nothing good."""
    difference = Difference()
    for side, outcome in (("base", base), ("head", head)):
        if not outcome.measured:
            difference.unknown.append(f"{side}: {outcome.outcome}: {outcome.detail}")
    if difference.unknown:
        return difference
    if head.outcome in FINDINGS and head.outcome != base.outcome:
        difference.broken.append(f"{SEVERE}: {base.outcome} in base, {head.outcome} in head: "
                                 f"{head.detail}")
    if base.outcome in FINDINGS:
        difference.unknown.append(f"base: {base.outcome}: {base.detail}")
    if base.tests and head.tests:
        _compare_tests(base, head, difference)
    return difference
