# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Revisions of this repository: what they are called, and building bench and test_progs of them.

Both sides are built one after another in one worktree and one build directory: what does not differ
is compiled once, by this run or an earlier one, and the paths that compilers see are the same.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

import steps


class RevisionError(Exception):
    """str() is one line."""


def git(top, *arguments, env=None, stdin=None):
    """Output without the last newline."""
    run = subprocess.run(["git", "-C", str(top), *arguments], input=stdin, capture_output=True,
                         env={**os.environ, **(env or {})}, check=False)
    if run.returncode:
        said = run.stderr.decode(errors="replace").strip().splitlines()
        raise RevisionError(said[0] if said else f"git {arguments[0]} failed")
    return run.stdout.decode(errors="replace").rstrip("\n")


def resolve(top, revision):
    try:
        return git(top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    except RevisionError:
        raise RevisionError(f"no revision '{revision}'") from None


def tree_of(top, commit):
    return git(top, "rev-parse", f"{commit}^{{tree}}")


def title(top, commit):
    """'1a2b3c4 ("Subject")'."""
    return git(top, "show", "--no-patch", '--format=%h ("%s")', commit)


def merge_base(top, base, head):
    """The commit that head started from."""
    try:
        return git(top, "merge-base", base, head)
    except RevisionError:
        raise RevisionError("base and head have no commit in common") from None


def apply_patches(top, commit, patches):
    """A commit, on no branch, of commit with the patch files applied."""
    with tempfile.TemporaryDirectory() as directory:
        env = {"GIT_INDEX_FILE": str(pathlib.Path(directory) / "index")}
        git(top, "read-tree", commit, env=env)
        for patch in patches:
            try:
                git(top, "apply", "--cached", str(patch), env=env)
            except RevisionError as error:
                raise RevisionError(f"{patch} does not apply: {error}") from None
        tree = git(top, "write-tree", env=env)
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "ci/patch"), ("EMAIL", "ci-patch@localhost"))}
    message = "Patched: " + ", ".join(pathlib.Path(patch).name for patch in patches)
    return git(top, "commit-tree", "-p", commit, "-m", message, tree, env=who)


def _version(*command):
    try:
        run = subprocess.run(command, capture_output=True, check=False)
        return run.stdout.decode(errors="replace").splitlines()[:1]
    except OSError:
        return None


def toolchain():
    """What the same sources may be compiled to something else by."""
    return [_version("c++", "--version"), _version("pkg-config", "--modversion", "libbpf"),
            [path for path in map(shutil.which, [f"clang-{n}" for n in range(22, 13, -1)]) if path],
            _version("clang", "--version"), _version("bpftool", "version")]


class Builder:
    """Builds revisions in a worktree inside of the state directory."""

    PROGRAMS = {"bench": "benchs/bench", "test_progs": "prog_tests/test_progs"}

    def __init__(self, top, state, jobs, bpftool, discard):
        self.top = top
        self.state = state
        self.jobs = jobs
        self.discard = discard
        self.worktree = state.directory / "worktree"
        # Without debug information, whatever a revision has by default.
        self.options = ["-Ddebug=false", *([f"-Dbpftool={bpftool}"] if bpftool else [])]
        self.made_by = {"options": self.options, "toolchain": toolchain()}

    def build(self, label, commit):
        """A step: its directory has the programs, its status whether they are there."""
        tree = tree_of(self.top, commit)
        return self.state.do(f"build-{tree[:10]}", {"tree": tree, **self.made_by},
                             lambda step: self._build(step, commit), label,
                             keep=lambda status: status["built"])

    def _build(self, step, commit):
        self._check_out(commit)
        build = self.worktree / "build"
        # Compilers see paths relative to the build directory: ccache may know them.
        env = {"CCACHE_NOHASHDIR": "1"}
        code = self._set_up(step, build, env)
        if code == 0:
            targets = self.PROGRAMS.values()
            code = step.run(["ninja", "-C", build, "-j", self.jobs, *targets], env=env)
        if code == 0:
            for name, target in self.PROGRAMS.items():
                shutil.copy2(build / target, step / name)
        return {"built": code == 0}

    def _set_up(self, step, build, env):
        """What other options or another compiler left is not built on."""
        mark = self.state.directory / "worktree.made-by.json"
        if (build / "build.ninja").exists() and steps.read_json(mark) == self.made_by:
            return 0
        shutil.rmtree(build, ignore_errors=True)
        code = step.run(["meson", "setup", build, self.worktree, *self.options], env=env)
        if code == 0:
            steps.write_json(mark, self.made_by)
        return code

    def _check_out(self, commit):
        if self.worktree.exists():
            try:
                git(self.worktree, "checkout", "--quiet", "--force", "--detach", commit)
                return
            except RevisionError:
                self._remove()
        git(self.top, "worktree", "prune")
        git(self.top, "worktree", "add", "--quiet", "--force", "--detach", str(self.worktree), commit)

    def _remove(self):
        shutil.rmtree(self.worktree, ignore_errors=True)
        git(self.top, "worktree", "prune")

    def close(self):
        """The worktree stays for the next run, which compiles only what differs, unless it is not wanted."""
        if self.worktree.exists() and self.discard:
            self._remove()
        self.state.forget_old("build-*", 6)
