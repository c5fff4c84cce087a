# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""docs/gate-inputs.md: each kind of input has tests, each test that it names exists, and each test that
bears the number of a kind is named. docs/statistics: the page of each rule names tests, and these
and the sources that it names exist. gate_inputs_test.py SOURCE_ROOT
"""

import pathlib
import re
import sys

ROW = re.compile(r"^\| (\d+) \| (.+) \| (.+) \| (.*) \|$", re.M)
# What a comparer must get right was numbered once; a kind that leaves the table takes its tests along.
KINDS = 40


def rows_of(text):
    return [(int(number), re.findall(r"\w+", tests)) for number, _, _, tests in ROW.findall(text)]


def tests_of(root):
    """The names of all test functions, C++ and Python."""
    names = set()
    for pattern, test in (("**/*_test.cpp", r"^TEST\((\w+)\)"), ("ci/**/*_test.py", r"^ +def (test_\w+)\(")):
        for path in root.glob(pattern):
            names.update(re.findall(test, path.read_text(encoding="utf-8"), re.M))
    return names


def numbers_in(name):
    """compare_input_1_only_in_baseline: 1; input_1_2_3_gone: 1, 2, 3; input_24_and_26_warned: 24, 26."""
    found = re.search(r"(?:^|_)input((?:_(?:and_)?\d+)+)(?:_|$)", name)
    return [int(number) for number in re.findall(r"\d+", found.group(1))] if found else []


def findings(rows, tests):
    numbers = [number for number, _ in rows]
    if numbers != sorted(set(numbers)):
        yield "the numbers of the kinds do not rise"
    if len(rows) != KINDS:
        yield f"{len(rows)} kinds of input, not {KINDS}"
    for number, named in rows:
        if not named:
            yield f"kind {number} has no test"
        for name in named:
            if name not in tests:
                yield f"kind {number}: there is no test '{name}'"
    named = dict(rows)
    for name in sorted(tests):
        for number in numbers_in(name):
            if name not in named.get(number, []):
                yield f"test '{name}' is not named at kind {number}"


def page_findings(page, text, tests, sources):
    """Of one rule. Names of tests are those with two underscores or more; sources: all their paths."""
    section = text.partition("## Code and tests")[2]
    named = re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+){2,})`", section)
    if not named:
        yield f"{page} names no test"
    for name in named:
        if name not in tests:
            yield f"{page}: there is no test '{name}'"
    for name in re.findall(r"`([\w/]+\.(?:cpp|h))`", section):
        if not any(source.endswith(f"/{name}") for source in sources):
            yield f"{page}: there is no source '{name}'"


def check_itself():
    """What must be found is found."""
    tests = {"a_input_1_x", "input_2_3_y"}
    good = [(1, ["a_input_1_x"]), (2, ["input_2_3_y"]), (3, ["input_2_3_y"])]

    def found(rows):
        return [each for each in findings(rows, tests) if "kinds of input" not in each]

    assert not found(good)
    assert found([(1, [])] + good[1:]) == ["kind 1 has no test", "test 'a_input_1_x' is not named at kind 1"]
    assert found(good[:1] + [(2, ["input_2_3_y", "gone"])] + good[2:]) == ["kind 2: there is no test 'gone'"]
    assert found(good[:2]) == ["test 'input_2_3_y' is not named at kind 3"]
    assert found(good[::-1]) == ["the numbers of the kinds do not rise"]
    page = "`not_a_test_here`\n## Code and tests\n`a_input_1_x`, `b/c.cpp`, `file_name`, `input_2_3_y`"
    assert not list(page_findings("p", page, tests, ["/a/b/c.cpp"]))
    assert list(page_findings("p", page, {"a_input_1_x"}, ["/a/b/c.cpp"])) == ["p: there is no test 'input_2_3_y'"]
    assert list(page_findings("p", page, tests, ["/a/b/cc.cpp"])) == ["p: there is no source 'b/c.cpp'"]
    assert list(page_findings("p", "`a_input_1_x`", tests, [])) == ["p names no test"]
    assert numbers_in("fingerprint_input_24_and_26_warned") == [24, 26] and not numbers_in("input_of_a_pipe")


def main():
    root = pathlib.Path(sys.argv[1])
    check_itself()
    rows = rows_of((root / "docs/gate-inputs.md").read_text(encoding="utf-8"))
    tests = tests_of(root)
    wrong = [f"docs/gate-inputs.md: {each}" for each in findings(rows, tests)]
    # No rule of the gate: what others do.
    pages = [page for page in sorted((root / "docs/statistics").glob("*.md")) if page.name != "peers.md"]
    sources = [f"/{path.relative_to(root)}" for path in root.glob("tools/**/*.*")]
    for page in pages:
        wrong += page_findings(f"docs/statistics/{page.name}", page.read_text(encoding="utf-8"), tests, sources)
    for each in wrong:
        print(each)
    print(f"{len(rows)} kinds of input, {len(pages)} rules, {len(wrong)} findings")
    sys.exit(bool(wrong or not pages))


main()
