#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A newcomer follows CONTRIBUTING.md to the letter: writes its files and lines, adds its words to the
lists, runs its commands, and has a bench that is gated, a test, a reader or a reason for a verdict.
Usage: newcomer_test.py bench|test|reader|reason SOURCE_DIR BUILD_DIR
"""

import pathlib
import re
import subprocess
import sys
import textwrap

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "lib"))
import doc_commands  # noqa: E402
import scratch  # noqa: E402

PAGE = "CONTRIBUTING.md"
ADD_A_BENCH, ADD_A_TEST, ADD_A_READER, ADD_A_REASON = (
    f"Add a {what} in ten minutes" for what in ("bench", "test", "reader", "reason for a verdict"))
# What a command must answer, by how it begins: exit code, and what its output has.
ANSWERS = {
    "build/benchs/bench --net prandom": (0, r"\nSummary: .*\nNet: latency +[\d.]+ ± [\d.]+ ns/op"),
    "build/tools/gate/gate record prandom &&": (0, r"prandom +latency .*\n(.*\n)*gate: verdict=(unchanged|inconclusive)"),
    "build/tools/gate/gate check --inject":
        (1, r"prandom +latency .* regressed\n(.*\n)*gate: verdict=regressed regressed=1 improved=0 unchanged=0 "),
    "build/tools/gate/gate compare build/100.watch build/120.watch": (1, r"lookup +time .* regressed\n"),
    "build/tools/gate/gate compare build/100.watch build/broken.watch":
        (3, r"lookup +time .* invalid\n +comp: 1 dropped, first line 21 is no time in ns\n"),
    "build/tools/gate/gate compare $result build/debug.json":
        (3, r"cpu_time .* incomparable\n.*debug build of the benchmark library.*\n(.*\n)*gate: verdict=.* regressed=0 "),
    "build/prog_tests/test_progs -a array_ops": (0, r"array_ops.*:OK\n(.*\n)*Summary: 1/3 PASSED"),
}


def section(text, title):
    found = re.search(rf"^## {title}\n(.*?)(?=^## )", text, re.M | re.S)
    if not found:
        sys.exit(f"{PAGE} has no '{title}'")
    return found.group(1)


def write_files(tree, text):
    """N. `FILE`: ..., and below it the file in a block of C or C++."""
    names = []
    for step in re.split(r"^\d+\. ", text, flags=re.M):
        name = re.match(r"`([\w/.]+)`:", step)
        content = re.search(r"```(?:c|cpp)\n(.*?)^ *```", step, re.M | re.S)
        if name and content:
            names.append(name.group(1))
            print("write", names[-1])
            (tree / names[-1]).write_text(textwrap.dedent(content.group(1)), encoding="utf-8")
    return names


def add_words(tree, text):
    """N. Add `WORD` to the list in `FILE`: as the first of its first list."""
    words = re.findall(r"^\d+\. Add `('[\w.]+',)` to the list in `([\w/.]+)`", text, re.M)
    for word, name in words:
        print("add", word, "to", name)
        path = tree / name
        changed, count = re.subn(r"^(  ')", rf"  {word}\n\1", path.read_text(encoding="utf-8"), count=1, flags=re.M)
        if not count:
            sys.exit(f"{name} has no list")
        path.write_text(changed, encoding="utf-8")
    return words


def add_lines(tree, text):
    """N. In `FILE`, below `TEXT`: and the lines in a block, behind the first line that has the text."""
    for step in re.split(r"^\d+\. ", text, flags=re.M):
        place = re.match(r"In `([\w/.]+)`, below `(.+?)`:", step)
        if not place:
            continue
        print("add lines to", place.group(1))
        lines = re.search(r"```cpp\n(.*?)^ *```", step, re.M | re.S).group(1)
        path = tree / place.group(1)
        before, found, after = path.read_text(encoding="utf-8").partition(place.group(2))
        if not found:
            sys.exit(f"{path} has no '{place.group(2)}'")
        line, after = after.split("\n", 1)
        lines = re.sub(r"^ {3}", "", lines, flags=re.M)  # the step's own indentation
        path.write_text(f"{before}{found}{line}\n{lines}{after}", encoding="utf-8")
        yield place.group(1)


def follow(tree, env, title):
    """What went wrong."""
    text = section((tree / PAGE).read_text(encoding="utf-8"), title)
    files, words = write_files(tree, text), add_words(tree, text)
    places = list(add_lines(tree, text))
    if len(files) != len(words) or not files + places:
        yield f"files {files}, words {words}, lines in {places}"
    commands = [command for block in doc_commands.blocks(tree, PAGE) if block.section == title
                for command in block.commands]
    answered, settings = 0, ""
    for command in commands + ["ci/lint", "ci/architecture --check"]:
        if re.match(r"\w+=\S+$", command):
            settings += command + "\n"
            continue
        print("$", command, flush=True)
        done = subprocess.run(["sh", "-c", settings + command], cwd=tree, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
        print(done.stdout[-4000:], flush=True)
        code, pattern = next((answer for begin, answer in ANSWERS.items() if command.startswith(begin)), (0, ""))
        answered += bool(pattern)
        if done.returncode != code or not re.search(pattern, done.stdout):
            yield f"'{command}': exit {done.returncode}, wanted {code} and /{pattern}/"
            return
    if answered < {ADD_A_BENCH: 3, ADD_A_READER: 2}.get(title, 1):
        yield f"of the commands {commands} only {answered} are those that are known here"


def main():
    title = {"bench": ADD_A_BENCH, "test": ADD_A_TEST, "reader": ADD_A_READER, "reason": ADD_A_REASON}[sys.argv[1]]
    scratch.enter()
    with scratch.scratch(*(pathlib.Path(name).resolve() for name in sys.argv[2:4])) as (tree, env):
        wrong = list(follow(tree, env, title))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
