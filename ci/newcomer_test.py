#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A newcomer follows CONTRIBUTING.md to the letter: writes its files, adds its words to the lists,
runs its commands, and has a bench that is gated, or a test.
Usage: newcomer_test.py bench|test SOURCE_DIR BUILD_DIR
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
ADD_A_BENCH, ADD_A_TEST = "Add a bench in ten minutes", "Add a test in ten minutes"
# What a command must answer, by how it begins: exit code, and what its output has.
ANSWERS = {
    "build/benchs/bench --net prandom": (0, r"\nSummary: .*\nNet: latency +[\d.]+ ± [\d.]+ ns/op"),
    "build/tools/gate/gate record prandom &&": (0, r"prandom +latency .*\n(.*\n)*gate: verdict=(unchanged|inconclusive)"),
    "build/tools/gate/gate check --inject":
        (1, r"prandom +latency .* regressed\n(.*\n)*gate: verdict=regressed regressed=1 improved=0 unchanged=0 "),
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


def follow(tree, env, title):
    """What went wrong."""
    text = section((tree / PAGE).read_text(encoding="utf-8"), title)
    files, words = write_files(tree, text), add_words(tree, text)
    if len(files) != len(words):
        yield f"files {files}, but words {words}"
    commands = [command for block in doc_commands.blocks(tree, PAGE) if block.section == title
                for command in block.commands]
    answered = 0
    for command in commands + ["ci/lint"]:
        print("$", command, flush=True)
        done = subprocess.run(["sh", "-c", command], cwd=tree, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
        print(done.stdout[-4000:], flush=True)
        code, pattern = next((answer for begin, answer in ANSWERS.items() if command.startswith(begin)), (0, ""))
        answered += bool(pattern)
        if done.returncode != code or not re.search(pattern, done.stdout):
            yield f"'{command}': exit {done.returncode}, wanted {code} and /{pattern}/"
            return
    if answered < (3 if title == ADD_A_BENCH else 1):
        yield f"of the commands {commands} only {answered} are those that are known here"


def main():
    title = {"bench": ADD_A_BENCH, "test": ADD_A_TEST}[sys.argv[1]]
    scratch.enter()
    with scratch.scratch(*(pathlib.Path(name).resolve() for name in sys.argv[2:4])) as (tree, env):
        wrong = list(follow(tree, env, title))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
