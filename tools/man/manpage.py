#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A manual page from what a program's --help says and a text of its own.
Usage: manpage.py PROGRAM TEXT [COMMAND]. The page goes to the standard output. TEXT is the page but for
@NAME@, @SYNOPSIS@, @OPTIONS@, @EXAMPLES@ and @EXIT@, and @COMMANDS@ where there are subcommands.
With COMMAND the page is that of "COMMAND PROGRAM", as COMMAND-PROGRAM(1).
"""

import dataclasses
import pathlib
import re
import subprocess
import sys


@dataclasses.dataclass
class Help:
    """What --help of a command says; see tools/lib/help.h for its form."""
    usage: str
    about: str
    items: list  # (names, text); a heading has no text and ends in a colon
    notes: list  # other lines of the footer
    examples: list
    exits: str


def items_of(lines):
    """Names and texts stand two blanks apart; more than one option may stand in a line."""
    items = []
    for line in lines:
        if not line.startswith(" "):
            items.append([line, ""])
            continue
        for i, part in enumerate(re.split(r" {2,}", line.strip())):
            begins = line.startswith("  ") and not line.startswith("   ") and i == 0
            if begins or part.startswith("-"):
                items.append([part, ""])
            else:
                items[-1][1] = f"{items[-1][1]} {part}".strip()
    return items


def read_help(text, program):
    lines = text.splitlines()
    head, rest = lines[:2], lines[2:]
    exit_at = next((i for i, line in enumerate(rest) if line.startswith("Exit:")), len(rest))
    exits, rest = " ".join(rest[exit_at:]), rest[:exit_at]
    begin = next((i for i, line in enumerate(rest) if re.match(rf"  {program}\b", line)), len(rest))
    examples, rest = rest[begin:], rest[:begin]
    body = "\n".join(rest).strip("\n").split("\n\n")
    notes = [line for part in body[1:] for line in part.splitlines()]
    return Help(head[0].removeprefix("Usage: "), head[1], items_of(body[0].splitlines()), notes,
                [line for line in examples if line], exits.removeprefix("Exit: "))


def ask(command, *arguments):
    return subprocess.run([command, *arguments], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def option(names):
    """Bold what is typed, italic what is put in."""
    typed, _, value = names.partition(" ")
    return f"\\fB{escaped(typed)}\\fR" + (f" \\fI{escaped(value)}\\fR" if value else "")


def as_items(items):
    lines = []
    for names, text in items:
        if names.endswith(":") and not text:
            lines += [".PP", escaped(names)]
        else:
            lines += [".TP", option(names), escaped(text) if text else "\\&"]
    return lines


def as_examples(examples):
    return [".nf", *(escaped(line.strip() if line.startswith("  ") and line[2] != " " else line[2:])
                     for line in examples), ".fi"]


def commands_of(path, program, words):
    """(words, help) of each subcommand, and of theirs."""
    for name, _ in read_help(ask(path, *words, "--help"), program).items:
        if re.match(r"[a-z]", name):
            below = [*words, name]
            told = read_help(ask(path, *below, "--help"), program)
            yield below, told
            if " COMMAND [OPTIONS]" in told.usage:
                yield from commands_of(path, program, below)


def as_commands(path, program):
    lines = []
    for words, told in commands_of(path, program, []):
        lines += [f".SS {program} {' '.join(words)}", f"\\fB{escaped(told.usage)}\\fR", ".PP", escaped(told.about)]
        lines += as_items([item for item in told.items if not re.match(r"[a-z]", item[0])])
        if told.notes:
            lines += [".PP", *(escaped(note) for note in told.notes)]
        lines += [".PP", "For example", ".PP", *as_examples(told.examples)]
    return lines


def page(path, text):
    program = pathlib.Path(path).name
    told = read_help(ask(path, "--help"), program)
    version = ask(path, "--version").split()[-1]
    parts = {
        "NAME": [f"{program} \\- {escaped(told.about[0].lower() + told.about[1:].rstrip('.'))}"],
        "SYNOPSIS": [f"\\fB{escaped(told.usage)}\\fR"],
        "OPTIONS": as_items([item for item in told.items if item[0].startswith("-") or item[0].endswith(":")]),
        "EXAMPLES": as_examples(told.examples),
        "EXIT": [escaped(told.exits)],
    }
    if told.notes:
        parts["OPTIONS"] += [".PP", *(escaped(note) for note in told.notes)]
    if " COMMAND [OPTIONS]" in told.usage:
        parts["COMMANDS"] = as_commands(path, program)
    for name, lines in parts.items():
        if f"@{name}@" not in text:
            raise SystemExit(f"{program}: the text has no @{name}@")
        text = text.replace(f"@{name}@", "\n".join(lines))
    comment, _, rest = text.partition("\n")
    return f'{comment}\n.TH {program.upper()} 1 "" "bpfgate {version}" "bpfgate"\n{rest}'


def behind(command, text):
    """The page of a program that is typed behind another command."""
    ours = "(bench|gate|test_progs|vmtest)"
    text = re.sub(rf"\\fB{ours}\\fR\(1\)", rf"\\fB{command}\\-\1\\fR(1)", text)
    text = re.sub(rf"^(\\fB|\.SS |){ours}(?= )(?! \\-)", rf"\1{command} \2", text, flags=re.M)
    text = re.sub(rf"^{ours}(?= \\- )", rf"{command}\\-\1", text, flags=re.M)
    text = re.sub(rf"(?<!^)\\fB{ours}(?= [a-z])", rf"\\fB{command} \1", text, flags=re.M)
    return re.sub(r"^\.TH ", f".TH {command.upper()}-", text, flags=re.M)


if __name__ == "__main__":
    whole = page(sys.argv[1], pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    sys.stdout.write(behind(sys.argv[3], whole) if len(sys.argv) > 3 else whole)
