# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads ci/kernels.json: which kernels are booted, what is run in them and what is tolerated.

Every complaint is one line: the file, the JSON pointer of what is wrong, and what is wrong.
"""

import dataclasses
import difflib
import json
import pathlib
import re

VERSION = 1


class MatrixError(Exception):
    """What is wrong with the file; str() is one line."""


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One row of the matrix, with the defaults filled in."""

    name: str
    kernel: str  # as vmtest takes it
    baselines: dict  # architecture -> file, relative to the top of the tree
    benches: list  # arguments of bench
    tests: list  # arguments of test_progs
    seeds: int  # boots that are counted
    tolerance_pct: float  # of counts of instructions
    model: str  # whose events are counted, as gate --model= takes it; "": none


class _Reader:
    """Walks the document; knows its file's name for the complaints."""

    def __init__(self, path):
        self.path = path

    def fail(self, pointer, what):
        raise MatrixError(f"{self.path}: {pointer or '/'}: {what}")

    def load(self):
        try:
            text = pathlib.Path(self.path).read_text(encoding="utf-8")
        except OSError as error:
            raise MatrixError(f"{self.path}: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise MatrixError(f"{self.path}: byte {error.start} is no UTF-8") from None
        try:
            return json.loads(text, object_pairs_hook=self._no_duplicates)
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}"
            raise MatrixError(f"{self.path}: {where}: {error.msg}") from None
        except RecursionError:
            raise MatrixError(f"{self.path}: nested too deeply") from None

    def _no_duplicates(self, pairs):
        members = dict(pairs)
        if len(members) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise MatrixError(f"{self.path}: member '{twice}' stands twice in one object")
        return members

    def members(self, value, pointer, known, needed=()):
        """Checks an object's member names."""
        if not isinstance(value, dict):
            self.fail(pointer, f"{_kind(value)} instead of an object")
        for name in value:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f"; did you mean '{near[0]}'?" if near else f"; known: {', '.join(known)}"
                self.fail(f"{pointer}/{_escaped(name)}", f"unknown member{hint}")
        for name in needed:
            if name not in value:
                self.fail(pointer, f"'{name}' is missing")


def _escaped(name):
    return name.replace("~", "~0").replace("/", "~1")


def _kind(value):
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "true or false"}
    return kinds.get(type(value), "null" if value is None else "a number")


def _text(reader, value, pointer):
    if not isinstance(value, str):
        reader.fail(pointer, f"{_kind(value)} instead of a string")
    if not value or any(ord(c) < 32 for c in value):
        reader.fail(pointer, "empty, or with control characters")
    return value


def _name(reader, value, pointer):
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", _text(reader, value, pointer)):
        reader.fail(pointer, f"'{value}' is no name of letters, digits, '.', '_' and '-'")
    return value


def _kernel(reader, value, pointer):
    text = _text(reader, value, pointer)
    if text.startswith("debian:") and not re.fullmatch(r"debian:(latest|\d+\.\d+)", text):
        reader.fail(pointer, f"'{text}' is neither debian:MAJOR.MINOR nor debian:latest")
    return text


def _arguments(reader, value, pointer):
    if not isinstance(value, list):
        reader.fail(pointer, f"{_kind(value)} instead of a list of arguments")
    return [_text(reader, each, f"{pointer}/{i}") for i, each in enumerate(value)]


def _benches(reader, value, pointer):
    if not _arguments(reader, value, pointer):
        reader.fail(pointer, "empty: name benchmarks, or --suite quick")
    return value


def _seeds(reader, value, pointer):
    if type(value) is not int or not 1 <= value <= 100:
        reader.fail(pointer, f"{json.dumps(value)} is no whole number from 1 to 100")
    return value


def _percent(reader, value, pointer):
    if type(value) not in (int, float) or not 0 <= value <= 100:
        reader.fail(pointer, f"{json.dumps(value)} is no number of percent from 0 to 100")
    return value


def _baselines(reader, value, pointer):
    if not isinstance(value, dict):
        reader.fail(pointer, f"{_kind(value)} instead of an object, architecture: file")
    for architecture, path in value.items():
        where = f"{pointer}/{_escaped(architecture)}"
        parts = pathlib.PurePosixPath(_text(reader, path, where)).parts
        if path.startswith("/") or ".." in parts or not path.endswith(".json"):
            reader.fail(where, f"'{path}' is no .json file inside the tree")
    return value


_DEFAULTS = {"benches": _benches, "tests": _arguments, "seeds": _seeds, "tolerance_pct": _percent, "model": _text}
_MEMBERS = {"name": _name, "kernel": _kernel, "baselines": _baselines, **_DEFAULTS}


def _checked(reader, value, pointer, checks):
    return {name: checks[name](reader, each, f"{pointer}/{name}") for name, each in value.items()}


def _unique(reader, kernels):
    for member in ("name", "kernel"):
        seen = {}
        for i, kernel in enumerate(kernels):
            value = getattr(kernel, member)
            if value in seen:
                reader.fail(f"/kernels/{i}/{member}", f"'{value}' is /kernels/{seen[value]}, too")
            seen[value] = i


def read_matrix(path):
    """The kernels of the file, in its order. Raises MatrixError."""
    reader = _Reader(path)
    document = reader.load()
    reader.members(document, "", ["version", "defaults", "kernels"], ["version", "kernels"])
    if type(document["version"]) is not int or document["version"] != VERSION:
        reader.fail("/version", f"{json.dumps(document['version'])}, this program reads {VERSION}")
    defaults = document.get("defaults", {})
    reader.members(defaults, "/defaults", list(_DEFAULTS))
    defaults = _checked(reader, defaults, "/defaults", _DEFAULTS)
    rows = document["kernels"]
    if not isinstance(rows, list) or not rows:
        reader.fail("/kernels", f"{_kind(rows)} instead of a list" if rows != [] else "empty")
    kernels = [_row(reader, row, f"/kernels/{i}", defaults) for i, row in enumerate(rows)]
    _unique(reader, kernels)
    return kernels


def _row(reader, row, pointer, defaults):
    reader.members(row, pointer, list(_MEMBERS), ["name", "kernel"])
    builtin = {"baselines": {}, "tests": [], "seeds": 5, "tolerance_pct": 0.2, "model": ""}
    values = {**builtin, **defaults, **_checked(reader, row, pointer, _MEMBERS)}
    if "benches" not in values:
        reader.fail(pointer, "'benches' is missing here and in /defaults")
    return Kernel(**values)


def find_kernel(kernels, wanted):
    """By name or as vmtest takes it. Raises MatrixError."""
    for kernel in kernels:
        if wanted in (kernel.name, kernel.kernel):
            return kernel
    names = ", ".join(f"{k.name} ({k.kernel})" for k in kernels)
    raise MatrixError(f"no kernel '{wanted}' in the matrix: {names}")
