# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The commands of the Markdown pages: what stands in their blocks of ```sh, without comments, one
command (with its continued lines, a loop as a whole) at a time."""

import dataclasses
import os
import re

READ_FIRST, START = "README.md", "docs/README.md"


@dataclasses.dataclass
class Block:
    page: str
    line: int
    section: str
    commands: list  # of text


def links(top, page):
    """The files that a page links, as paths from the top."""
    text = re.sub(r"^ *```.*?^ *```", "", (top / page).read_text(encoding="utf-8"), flags=re.M | re.S)
    return [os.path.normpath(os.path.join(os.path.dirname(page), link))
            for link in re.findall(r"\]\((?![a-z]+:)([^)#\s]+)", text)]


def pages(top):
    """In reading order: the README, then the pages as the start page of docs links them, then any others."""
    named = links(top, START)
    there = [READ_FIRST, "CONTRIBUTING.md"] + sorted(str(path.relative_to(top)) for path in top.glob("docs/**/*.md"))
    return [READ_FIRST] + sorted(there[1:], key=lambda name: named.index(name) if name in named else len(named))


def without_comment(line):
    """What stands before a # that begins a word outside of quotes."""
    quote = ""
    for i, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "#" and (i == 0 or line[i - 1].isspace()):
            return line[:i].rstrip()
    return line.rstrip()


def commands_of(lines):
    commands, open_lines = [], []
    for line in lines:
        text = without_comment(line)
        if not text.strip() and not open_lines:
            continue
        open_lines.append(text)
        whole = "\n".join(open_lines)
        loop = whole.lstrip().startswith("for ") and not whole.rstrip().endswith("done")
        if text.endswith("\\") or loop:
            continue
        commands.append(re.sub(r"\s*\\\n\s*", " ", whole).strip())
        open_lines = []
    return commands + (["\n".join(open_lines)] if open_lines else [])


def blocks(top, page):
    """The ```sh blocks of a page."""
    found, section, start = [], "", None
    lines = (top / page).read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        fence = line.strip().startswith("```")
        if start is None:
            if line.startswith("#"):
                section = line.lstrip("# ")
            if fence:
                start = i
        elif fence:
            if lines[start].strip() == "```sh":
                found.append(Block(page, start + 1, section, commands_of(lines[start + 1:i])))
            start = None
    if start is not None:
        raise ValueError(f"{page}:{start + 1}: a block that does not end")
    return found
