# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What ci/kernels.json may hold, and what is said of everything else."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

LIB = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(LIB))
import matrix  # noqa: E402

GOOD = {
    "version": 1,
    "defaults": {"benches": ["--suite", "quick"], "seeds": 3},
    "kernels": [
        {"name": "old", "kernel": "debian:6.1", "baselines": {"x86_64": "ci/b/old.json"}},
        {"name": "mine", "kernel": "../linux", "benches": ["bloom-*"], "tolerance_pct": 1.5},
    ],
}


class Matrix(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name) / "k.json"

    def read(self, document):
        text = document if isinstance(document, str) else json.dumps(document)
        self.path.write_text(text, encoding="utf-8")
        return matrix.read_matrix(str(self.path))

    def complaint(self, document):
        with self.assertRaises(matrix.MatrixError) as caught:
            self.read(document)
        text = str(caught.exception)
        self.assertTrue(text.startswith(str(self.path) + ": "), text)
        self.assertNotIn("\n", text)
        return text[len(str(self.path)) + 2:]

    def changed(self, *path, to):
        """The complaint about GOOD with the member at path replaced, or taken out."""
        document = copy.deepcopy(GOOD)
        place = document
        for key in path[:-1]:
            place = place[key]
        if to is KeyError:
            del place[path[-1]]
        else:
            place[path[-1]] = to
        return self.complaint(document)

    def test_defaults_are_filled_in(self):
        old, mine = self.read(GOOD)
        self.assertEqual((old.benches, old.seeds, old.tolerance_pct, old.tests, old.model),
                         (["--suite", "quick"], 3, 0.2, [], ""))
        self.assertEqual((mine.benches, mine.seeds, mine.tolerance_pct, mine.baselines),
                         (["bloom-*"], 3, 1.5, {}))

    def test_pointer_and_reason(self):
        for path, to, said in (
                (("version",), 2, "/version: 2, this program reads 1"),
                (("version",), True, "/version: true, this program reads 1"),
                (("version",), KeyError, "/: 'version' is missing"),
                (("kernels",), [], "/kernels: empty"),
                (("kernels",), {}, "/kernels: an object instead of a list"),
                (("kernels", 0), 7, "/kernels/0: a number instead of an object"),
                (("kernels", 0, "name"), KeyError, "/kernels/0: 'name' is missing"),
                (("kernels", 0, "name"), "a/b",
                 "/kernels/0/name: 'a/b' is no name of letters, digits, '.', '_' and '-'"),
                (("kernels", 1, "name"), "old", "/kernels/1/name: 'old' is /kernels/0, too"),
                (("kernels", 1, "kernel"), "debian:6.1",
                 "/kernels/1/kernel: 'debian:6.1' is /kernels/0, too"),
                (("kernels", 0, "kernel"), "debian:new",
                 "/kernels/0/kernel: 'debian:new' is neither debian:MAJOR.MINOR nor debian:latest"),
                (("kernels", 0, "kernel"), None, "/kernels/0/kernel: null instead of a string"),
                (("kernels", 0, "kernel"), "", "/kernels/0/kernel: empty, or with control characters"),
                (("kernels", 0, "sedes"), 3,
                 "/kernels/0/sedes: unknown member; did you mean 'seeds'?"),
                (("defaults", "name"), "x",
                 "/defaults/name: unknown member; known: benches, tests, seeds, tolerance_pct, model"),
                (("defaults", "seeds"), 0, "/defaults/seeds: 0 is no whole number from 1 to 100"),
                (("defaults", "seeds"), 2.5,
                 "/defaults/seeds: 2.5 is no whole number from 1 to 100"),
                (("kernels", 1, "tolerance_pct"), -1,
                 "/kernels/1/tolerance_pct: -1 is no number of percent from 0 to 100"),
                (("kernels", 1, "tolerance_pct"), "1",
                 '/kernels/1/tolerance_pct: "1" is no number of percent from 0 to 100'),
                (("kernels", 1, "model"), 5, "/kernels/1/model: a number instead of a string"),
                (("kernels", 1, "benches"), "bloom",
                 "/kernels/1/benches: a string instead of a list of arguments"),
                (("kernels", 1, "benches"), [],
                 "/kernels/1/benches: empty: name benchmarks, or --suite quick"),
                (("kernels", 1, "tests"), ["-t", 3],
                 "/kernels/1/tests/1: a number instead of a string"),
                (("kernels", 0, "baselines"), {"a/b": "/etc/x.json"},
                 "/kernels/0/baselines/a~1b: '/etc/x.json' is no .json file inside the tree"),
                (("kernels", 0, "baselines"), {"x": "../x.json"},
                 "/kernels/0/baselines/x: '../x.json' is no .json file inside the tree"),
                (("defaults", "benches"), KeyError,
                 "/kernels/0: 'benches' is missing here and in /defaults")):
            with self.subTest(said):
                self.assertEqual(self.changed(*path, to=to), said)

    def test_not_a_number_is_no_percentage(self):
        text = json.dumps(GOOD).replace("1.5", "NaN")
        self.assertEqual(self.complaint(text),
                         "/kernels/1/tolerance_pct: NaN is no number of percent from 0 to 100")

    def test_what_is_no_json(self):
        self.assertEqual(self.complaint('{"version": 1,}').split(":")[0], "line 1, column 15")
        self.assertEqual(self.complaint(""), "line 1, column 1: Expecting value")
        self.assertEqual(self.complaint('{"version": 1, "version": 1}'),
                         "member 'version' stands twice in one object")
        self.assertEqual(self.complaint("[1]"), "/: a list instead of an object")
        self.assertEqual(self.complaint("[" * 100000), "nested too deeply")

    def test_files_that_cannot_be_read(self):
        for path, said in (("/nonexistent/k.json", "No such file or directory"),
                           ("/", "Is a directory")):
            with self.assertRaises(matrix.MatrixError) as caught:
                matrix.read_matrix(path)
            self.assertEqual(str(caught.exception), f"{path}: {said}")
        self.path.write_bytes(b'{"\xff')
        with self.assertRaises(matrix.MatrixError) as caught:
            matrix.read_matrix(str(self.path))
        self.assertEqual(str(caught.exception), f"{self.path}: byte 2 is no UTF-8")

    def test_find_by_name_and_by_kernel(self):
        kernels = self.read(GOOD)
        self.assertEqual(matrix.find_kernel(kernels, "old"), kernels[0])
        self.assertEqual(matrix.find_kernel(kernels, "debian:6.1"), kernels[0])
        with self.assertRaises(matrix.MatrixError):
            matrix.find_kernel(kernels, "6.1")


class Command(unittest.TestCase):
    """ci/kernels, with the file of the tree."""

    def run_kernels(self, *arguments):
        return subprocess.run([sys.executable, LIB.parent / "kernels", *arguments],
                              capture_output=True, text=True, check=False)

    def test_file_of_the_tree(self):
        listed = self.run_kernels("list").stdout.split()
        rows = json.loads(self.run_kernels("matrix").stdout)["include"]
        self.assertEqual(listed, [row["kernel"] for row in rows])
        self.assertGreaterEqual(len(listed), 3)
        benches = self.run_kernels("get", listed[0], "benches").stdout
        self.assertEqual(benches, "--suite quick\n")
        baseline = self.run_kernels("--arch", "x86_64", "get", listed[0], "baseline").stdout
        self.assertTrue(baseline.startswith("ci/baselines/"), baseline)

    def test_complaints_are_one_line_and_exit_2(self):
        for arguments in (["--file", "/nonexistent", "list"], ["get", "debian:0.1", "name"],
                          ["--arch", "pdp11", "get", "6.1", "baseline"]):
            run = self.run_kernels(*arguments)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), run)


if __name__ == "__main__":
    unittest.main()
