#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Workflows parse, are pinned and limited, and name only what exists: each command of a run: is a
program of the tree or one that is known here, each path is in the tree or is built, and each option
of a program of the tree is in its --help.
Usage: workflows_test.py SOURCE_DIR BUILD_DIR. Exit 77 without PyYAML.
"""

import pathlib
import re
import shlex
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("skipped: no PyYAML (package python3-yaml)")
    sys.exit(77)

SYSTEM = {"apt-get", "bash", "echo", "git", "make", "nproc", "sh", "sudo", "for", "do", "done", "if", "then",
          "fi", ".", "cd"}
FUNCTIONS = {"install_missing": "ci/setup.sh", "build_all": "ci/setup.sh"}
MADE_BY_RUN = {"patch", "build", ".state", ".cache", "base", "head"}  # artifacts and caches


class Workflow:
    """One file; complaints are collected in bad."""

    def __init__(self, path, top, build):
        self.path, self.top, self.build = path, top, build
        self.bad = []
        self.text = path.read_text(encoding="utf-8")

    def complain(self, what):
        self.bad.append(f"{self.path.name}: {what}")

    def check(self):
        try:
            document = yaml.safe_load(self.text)
        except yaml.YAMLError as error:
            self.complain(f"no YAML: {error}")
            return self.bad
        # YAML 1.1 reads the key "on" as true.
        for key in ("name", True, "permissions", "jobs"):
            if key not in document:
                self.complain(f"no '{'on' if key is True else key}'")
        if document.get("permissions") != {"contents": "read"}:
            self.complain("permissions are more than contents: read")
        for name, job in document.get("jobs", {}).items():
            self.check_job(name, job)
        return self.bad

    def check_job(self, name, job):
        if not isinstance(job.get("timeout-minutes"), int):
            self.complain(f"job {name}: no timeout-minutes")
        if "permissions" in job:
            self.complain(f"job {name}: permissions of its own")
        for i, step in enumerate(job["steps"]):
            where = f"job {name}, step {i}"
            if ("uses" in step) == ("run" in step):
                self.complain(f"{where}: neither uses nor run, or both")
            if "uses" in step:
                self.check_uses(where, step["uses"])
            if "run" in step:
                self.check_run(where, step["run"])
            for path in str(step.get("with", {}).get("path", "")).split():
                if path.split("/")[0] not in {*MADE_BY_RUN, "linux", "bpfgate"}:
                    self.complain(f"{where}: path {path}")

    def check_uses(self, where, uses):
        if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", uses):
            self.complain(f"{where}: {uses} is not pinned to a commit")
        if not re.search(re.escape(uses) + r" # v\d+\.\d+\.\d+$", self.text, re.M):
            self.complain(f"{where}: {uses} has no comment with its version")

    def check_run(self, where, script):
        if "${{" in script:
            self.complain(f"{where}: an expression in a script: hand it over by env")
        run = subprocess.run(["sh", "-n"], input=script, text=True, capture_output=True, check=False)
        if run.returncode:
            self.complain(f"{where}: {run.stderr.strip()}")
        for command in commands_of(script):
            self.check_command(where, command)

    def check_command(self, where, words):
        while words and (words[0] == "sudo" or re.match(r"\w+=", words[0])):
            words = words[1:]
        if words[:2] == ["sh", "-c"]:
            for command in commands_of(words[2]):
                self.check_command(where, command)
        if not words:
            return
        program = words[0]
        if program in FUNCTIONS:
            text = (self.top / FUNCTIONS[program]).read_text(encoding="utf-8")
            if f"\n{program}()" not in text:
                self.complain(f"{where}: no function {program} in {FUNCTIONS[program]}")
        elif "/" in program:
            self.check_program(where, program, words[1:])
        elif program not in SYSTEM:
            self.complain(f"{where}: unknown command '{program}'")
        for word in words[1:]:
            if re.match(r"(\./)?(ci|tools|benchs|prog_tests)/", word):
                if not (self.top / word).exists():
                    self.complain(f"{where}: no {word} in the tree")
            found = re.search(r"bpfgate/([\w./-]+)", word)
            if found and not (self.top / found.group(1)).exists():
                self.complain(f"{where}: no {found.group(1)} in the tree")

    def check_program(self, where, program, arguments):
        built = program.removeprefix("build/")
        path = self.build / built if program.startswith("build/") else self.top / program
        if not path.exists():
            self.complain(f"{where}: no {program}")
            return
        run = subprocess.run([path, "--help"], capture_output=True, text=True, check=False)
        known = set(re.findall(r"(?<![\w-])--?[\w-]+", run.stdout))
        for argument in arguments:
            option = argument.split("=")[0]
            if program == "ci/test" and option == "--no-suite":
                continue  # of meson test
            if option.startswith("-") and option not in known:
                self.complain(f"{where}: {program} has no option {option}")


def commands_of(script):
    """Lists of words; what stands behind $( as well."""
    script = script.replace("\\\n", " ")
    for inner in re.findall(r"\$\(([^()]*)\)", script):
        yield from commands_of(inner)
    script = re.sub(r"\$\([^()]*\)", "$x", script)
    for line in script.splitlines():
        words = shlex.split(line, comments=True)
        command = []
        for word in words + [";"]:
            command.append(word.rstrip(";"))
            if word.endswith(";") or word in ("&&", "||", "|"):
                command = [each for each in command if each not in ("", "&&", "||", "|", "do", "then")]
                if command and command[0] != "for":
                    yield command
                command = []


def main():
    top, build = map(pathlib.Path, sys.argv[1:3])
    files = sorted((top / "ci" / "workflows").glob("*.yml"))
    bad = [line for path in files for line in Workflow(path, top, build).check()]
    if not files:
        bad.append("no workflows")
    print("\n".join(bad + [f"workflows: {len(files)} files, {len(bad)} findings"]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
