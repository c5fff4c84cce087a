#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""--help, manual pages and completion of bench, gate, test_progs and vmtest.
Usage: help_test.py screen|man|completion SOURCE_DIR BUILD_DIR
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
PROGRAMS = {"bench": "benchs/bench", "gate": "tools/gate/gate", "test_progs": "prog_tests/test_progs",
            "vmtest": "tools/vmtest/vmtest"}
MOST_LINES, MOST_COLUMNS = 40, 80
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*|(?<![\w-])-[a-zA-Z?](?![\w-])")

complaints = []


def expect(holds, what):
    if not holds:
        complaints.append(what)


def ask(path, *words):
    run = subprocess.run([path, *words, "--help"], stdout=subprocess.PIPE, encoding="utf-8", check=False)
    expect(run.returncode == 0, f"{path.name} {' '.join(words)} --help: exit {run.returncode}")
    return run.stdout


def helps(path, *words):
    """(command, help) of the program and of all its subcommands."""
    text = ask(path, *words)
    yield " ".join([path.name, *words]), text
    if " COMMAND [OPTIONS]" in text.splitlines()[0]:
        for name in re.findall(r"^  ([a-z]+)  ", text.split("\n\n")[1], re.M):
            yield from helps(path, *words, name)


def examples_of(command, text):
    whole = text.replace("\\\n", " ")
    return [line.strip() for line in whole.splitlines() if line.startswith(f"  {command.split()[0]} ")]


def known_options(path, words):
    """What may stand in an example: bench's options too, where gate hands them over."""
    text = ask(path, *words)
    return set(OPTION.findall(text.split("\n\n")[1])) | {"--help", "--version"}


def check_example(build, command, example):
    words = shlex.split(example.split("   ")[0])
    words = words[:words.index("--")] if "--" in words else words
    path = build / PROGRAMS[words[0]]
    below = []
    for word in words[1:]:
        if " COMMAND [OPTIONS]" not in ask(path, *below).splitlines()[0]:
            break
        below.append(word)
    known = known_options(path, below)
    if below and below[0] in ("record", "check", "ab"):
        known |= known_options(build / PROGRAMS["bench"], ["*"])
    if words[0] == "bench":
        known |= known_options(path, ["*"])
    for word in words[1 + len(below):]:
        name = word.split("=")[0]
        if name.startswith("--"):
            expect(name in known, f"{command}: the example '{example}' has an unknown {name}")
        elif re.match(r"-[a-zA-Z]", name):
            expect(name[:2] in known, f"{command}: the example '{example}' has an unknown {name}")


def screen(_, build):
    count = 0
    for place in PROGRAMS.values():
        for command, text in helps(build / place):
            count += 1
            lines = text.splitlines()
            expect(len(lines) <= MOST_LINES, f"{command} --help: {len(lines)} lines")
            for line in lines:
                expect(len(line) <= MOST_COLUMNS, f"{command} --help: {len(line)} columns: {line}")
            expect(lines[0].startswith(f"Usage: {command} "), f"{command} --help begins with '{lines[0]}'")
            examples = examples_of(command, text)
            expect(len(examples) >= (2 if len(command.split()) < 3 else 1), f"{command} --help: examples {examples}")
            for example in examples:
                check_example(build, command, example)
    expect(count >= len(PROGRAMS) + 9, f"only {count} helps were found")
    installed = subprocess.run([build / PROGRAMS["gate"], "compare", "--help"], stdout=subprocess.PIPE, encoding="utf-8",
                               env={**os.environ, "BPFGATE_COMMAND": "bpfgate"}, check=False).stdout
    for line in ("Usage: bpfgate gate compare ", "  bpfgate gate compare base.json "):
        expect(line in installed, f"behind the command bpfgate, gate's help lacks '{line}': {installed}")
    expect("  gate " not in installed, f"behind the command bpfgate, an example lacks it: {installed}")


def man(_, build):
    for name, place in PROGRAMS.items():
        page = build / "tools/man" / f"{name}.1"
        plain = re.sub(r"\\f.", "", page.read_text(encoding="utf-8")).replace("\\-", "-").replace("\\&", "")
        told = "\n".join(text for _, text in helps(build / place))
        for option in sorted(set(OPTION.findall(told)) ^ set(OPTION.findall(plain))):
            expect(False, f"{name}: {option} is in only one of --help and {name}.1")
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
            expect(f"\n.SH {section}\n" in plain, f"{name}.1 has no {section}")
        for command, text in helps(build / place):
            for example in examples_of(command, text):
                expect(example.split(" \\")[0].split("   ")[0][:40] in plain, f"{name}.1 lacks '{example}'")
        expect(not re.search(r"@[A-Z]+@", plain), f"{name}.1 has something left to fill in")
        if shutil.which("man"):
            run = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", page], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, encoding="utf-8", env={**os.environ, "MANWIDTH": "80"},
                                 check=False)
            expect(run.returncode == 0 and not run.stderr, f"man {name}.1: {run.stderr}")
            expect(len(run.stdout.splitlines()) > 30, f"man {name}.1 prints '{run.stdout}'")


def complete(source, build, line):
    """What bash would offer at the end of the line."""
    words = line.split(" ")
    script = f"source {shlex.quote(str(source / 'tools/man/bpfgate.bash'))}\n" \
             f"COMP_WORDS=({' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}\n" \
             f"_bpfgate {shlex.join([words[0], words[-1], words[-2]])}\n" \
             'printf "%s\\n" "${COMPREPLY[@]}"\ncomplete -p bench gate test_progs vmtest >/dev/null'
    path = ":".join([*(str((build / place).parent) for place in PROGRAMS.values()), os.environ["PATH"]])
    run = subprocess.run(["bash", "--norc", "--noprofile", "-u", "-c", script], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, encoding="utf-8", env={**os.environ, "PATH": path}, check=False)
    expect(run.returncode == 0, f"'{line}': bash says {run.stdout}")
    return set(run.stdout.split())


def completion(source, build):
    if not shutil.which("bash"):
        print("skipped: no bash")
        sys.exit(77)
    gate = str(build / PROGRAMS["gate"])
    for line, wanted in {
            "bench --sui": {"--suite"},
            "bench lpm-trie-lo": {"lpm-trie-lookup"},
            "bench --suite ": {"quick", "seeds"},
            "bench --use-case b": {"batch_add_batch_del"},
            "bench htab-mem --use-case o": {"overwrite"},
            "bench bpf-loop --nr": {"--nr_loops"},
            "bench --json ": set(),  # a file
            "bench -d ": set(),
            "gate ba": {"baseline"},
            "gate baseline wa": {"waive"},
            "gate baseline waive --unt": {"--until"},
            "gate check --inj": {"--inject"},
            "gate check --strict bloom-look": {"bloom-lookup"},
            f"{gate} record strncmp-h": {"strncmp-helper"},
            "test_progs --watch": {"--watchdog-timeout"},
            "test_progs -a lpm_trie_cre": {"lpm_trie_create"},
            "test_progs --deny smoke,lpm_trie_cre": {"smoke,lpm_trie_create"},
            "vmtest --kernel k --warn": {"--warn-fatal"},
            "vmtest --accelerator ": {"kvm", "tcg"},
            "vmtest --kernel k -- bench --sui": set(),
    }.items():
        found = complete(source, build, line)
        expect(found == wanted, f"'{line}': {sorted(found)}, not {sorted(wanted)}")
    for name, place in PROGRAMS.items():
        if name != "gate":
            wanted = set(OPTION.findall(ask(build / place).split("\n\n")[1])) - {"-?"}
            expect(wanted <= complete(source, build, f"{name} -"), f"{name} -: not all options")
    for command, _ in helps(build / PROGRAMS["gate"]):
        if " " in command:
            before, _, last = command.rpartition(" ")
            expect(last in complete(source, build, f"{before} "), f"'{before} ' offers no {last}")


def main():
    part, source, build = sys.argv[1], *(pathlib.Path(name).resolve() for name in sys.argv[2:4])
    {"screen": screen, "man": man, "completion": completion}[part](source, build)
    print("\n".join(complaints + [f"{part}: {len(complaints)} findings"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
