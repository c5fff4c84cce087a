# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What ci/patch makes of the outcomes of its steps: tests that break, rows of gate, exit codes; and
that finished steps are not done twice while interrupted ones are.
"""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import functional  # noqa: E402
import report  # noqa: E402
import steps  # noqa: E402
from functional import Outcome  # noqa: E402


def outcome(how="failed", **tests):
    return Outcome(how, "", {name: (result, "") for name, result in tests.items()})


class Functional(unittest.TestCase):
    def test_report_of_test_progs(self):
        run = {"outcome": "failed", "detail": "exit 1"}
        tests = [
            {"name": "lpm", "result": "FAIL", "reason": "", "subtests": [
                {"name": "ok", "result": "OK", "reason": ""},
                {"name": "bad", "result": "FAIL", "reason": ""}]},
            {"name": "crash", "result": "FAIL", "reason": "ended by SIGSEGV", "subtests": [
                {"name": "ok", "result": "OK", "reason": ""}]},
            {"name": "none", "result": "SKIP", "reason": "no map\nat all"}]
        results = [{"name": "lpm", "message": "", "subtests": [
            {"name": "bad", "message": "\nCHECK_EQ: 1 is not 2\nmore"}]}]
        found = functional.read_outcome(run, {"tests": tests, "results": results})
        self.assertEqual(found.tests, {
            "lpm/ok": ("OK", ""), "lpm/bad": ("FAIL", "CHECK_EQ: 1 is not 2"),
            "crash/ok": ("OK", ""), "crash": ("FAIL", "ended by SIGSEGV"),
            "none": ("SKIP", "no map")})
        self.assertEqual(functional.count(found), "2 passed, 2 failed, 1 skipped")

    def test_only_what_base_had_not_is_broken(self):
        base = outcome(a="OK", b="FAIL", c="FAIL", d="OK", e="OK", f="SKIP")
        head = outcome(a="FAIL", b="FAIL", c="OK", d="SKIP", f="OK", g="FAIL", h="OK")
        found = functional.compare(base, head)
        self.assertEqual([line.split(":")[0] for line in found.broken], ["a", "g"])
        self.assertEqual([line.split(":")[0] for line in found.lost], ["d", "e"])
        self.assertEqual([line.split(":")[0] for line in found.remarks], ["b", "c"])
        self.assertEqual(found.unknown, [])

    def test_guest_that_dies(self):
        whole = outcome("passed", a="OK")
        for how in functional.FINDINGS:
            self.assertEqual(len(functional.compare(whole, Outcome(how)).broken), 1, how)
            both = functional.compare(Outcome(how), Outcome(how))
            self.assertEqual((both.broken, len(both.unknown)), ([], 1), how)
            fixed = functional.compare(Outcome(how), whole)
            self.assertEqual((fixed.broken, len(fixed.unknown)), ([], 1), how)
        for how in ("no-result", "qemu-error", "kernel-unfit", "output-lost", "failed"):
            unknown = functional.compare(whole, Outcome(how))
            self.assertEqual((unknown.broken, len(unknown.unknown)), ([], 1), how)


def gate(**verdicts):
    rows = [{"name": name, "parameters": {}, "metric": "instructions", "gated": True,
             "verdict": verdict} for name, verdict in verdicts.items()]
    return {"rows": rows, "remarks": []}


class Judge(unittest.TestCase):
    def judge(self, *parts):
        return report.judge([report.Part("k", **part) for part in parts])

    def test_verdict_and_exit_code(self):
        good, worse, better = gate(a="unchanged"), gate(a="regressed"), gate(a="improved")
        for parts, wanted in (
                ([{"gate": good}], ("unchanged", 0)),
                ([{"gate": better}, {"gate": good}], ("improved", 0)),
                ([{"gate": gate(a="improved", b="inconclusive")}], ("inconclusive", 0)),
                ([{"gate": worse}, {"gate": better}], ("regressed", 1)),
                ([{"gate": good, "broken": ["t"]}], ("broken", 1)),
                ([{"gate": worse, "broken": ["t"]}], ("broken", 1)),
                ([{"gate": worse, "lost": ["t"]}], ("regressed", 1)),
                ([{"gate": good, "lost": ["t"]}], ("incomplete", 3)),
                ([{"gate": good}, {"unknown": ["t"]}], ("incomplete", 3)),
                ([{"gate": gate(a="missing", b="improved")}], ("missing", 3)),
                ([{"gate": gate(a="invalid", b="missing")}], ("invalid", 3)),
                ([{"gate": gate()}], ("nothing", 3)),
                ([{"skipped": "no BPF here"}], ("nothing", 3)),
                ([{"gate": good}, {"skipped": "no BPF here"}], ("unchanged", 0)),
                ([], ("nothing", 3))):
            with self.subTest(parts):
                self.assertEqual(self.judge(*parts), wanted)

    def test_rows_that_are_not_gated_do_not_count(self):
        shown = gate(a="unchanged")
        shown["rows"].append({"name": "b", "parameters": {}, "metric": "raw", "gated": False,
                              "verdict": None})
        self.assertEqual(self.judge({"gate": shown}), ("unchanged", 0))

    def test_merged_report_names_the_part_of_each_row(self):
        parts = [report.Part("6.1", gate=gate(a="unchanged")),
                 report.Part("7.2", gate=gate(a="regressed"), broken=["t: FAIL"],
                             functional=["head: 1 failed"], failures=[0, 1])]
        merged = report.merged_gate(parts)
        self.assertEqual([(row["name"], row["parameters"]["where"], row["verdict"])
                          for row in merged["rows"]],
                         [("a", "6.1", "unchanged"), ("test_progs", "7.2", "regressed"),
                          ("a", "7.2", "regressed")])
        self.assertEqual(merged["remarks"], ["7.2: head: 1 failed", "7.2: BROKEN: t: FAIL"])
        self.assertIn("verdict=broken exit=1 broken=1 lost=0 unknown=0 regressed=1",
                      report.machine_line(parts))


class Steps(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.done = []

    def state(self, fresh=False):
        state = steps.State(self.directory, fresh, lambda text: None)
        self.addCleanup(state.close)
        return state

    def act(self, step):
        self.done.append(step.name)
        return {"exit_code": step.run(["sh", "-c", "echo said; exit 3"])}

    def test_done_once(self):
        state = self.state()
        first = state.do("a", {"x": 1}, self.act)
        self.assertEqual((first.status["exit_code"], first.reason()), (3, "said [exit 3]"))
        self.assertTrue(state.do("a", {"x": 1}, self.act).reused)
        self.assertFalse(state.do("a", {"x": 2}, self.act).reused)
        state.close()
        self.assertTrue(self.state().do("a", {"x": 1}, self.act).reused)
        self.assertEqual(self.done, ["a", "a"])

    def test_what_is_not_to_be_kept_is_done_again(self):
        state = self.state()
        for _ in range(2):
            step = state.do("a", 1, self.act, keep=lambda status: status["exit_code"] == 0)
            self.assertEqual(step.status["exit_code"], 3)
        self.assertEqual(len(self.done), 2)

    def test_interrupted_step_is_done_again(self):
        def interrupt(step):
            step.run(["true"])
            raise steps.Interrupted(2)

        state = self.state()
        with self.assertRaises(steps.Interrupted):
            state.do("a", 1, interrupt)
        self.assertFalse(state.do("a", 1, self.act).reused)

    def test_fresh_does_each_step_once(self):
        state = self.state()
        state.do("a", 1, self.act)
        state.close()
        fresh = self.state(fresh=True)
        self.assertFalse(fresh.do("a", 1, self.act).reused)
        self.assertTrue(fresh.do("a", 1, self.act).reused)

    def test_one_at_a_time(self):
        state = self.state()
        with self.assertRaises(steps.StateBusy):
            self.state()
        state.close()
        self.state()

    def test_damaged_status_is_none(self):
        state = self.state()
        step = state.do("a", 1, self.act)
        (step / "status.json").write_text('{"name": ')
        self.assertFalse(state.do("a", 1, self.act).reused)

    def test_old_steps_are_forgotten(self):
        state = self.state()
        for i in range(5):
            state.do("a", i, self.act)
        state.forget_old("a-*", 2)
        self.assertEqual(len(list((self.directory / "steps").glob("*"))), 2)

    def test_commands(self):
        step = steps.Step(self.directory / "s", "s")
        step.start()
        self.assertEqual(step.run(["/nonexistent"]), 127)
        self.assertEqual(step.run(["sh", "-c", "kill -9 $$"]), 128 + 9)
        self.assertIn("No such file", step.log.read_text())
        step.run(["sh", "-c", "echo 'a.cpp:1: error: no'; echo 'stopped: failed'; exit 1"])
        self.assertEqual(step.reason(), "a.cpp:1: error: no [exit 1]")


if __name__ == "__main__":
    unittest.main()
