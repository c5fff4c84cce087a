# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A copy of the tree and of its build that commands may write to, commit to and build in.

The copy is mounted over the originals in a mount namespace of this process alone. So the paths that
Meson wrote into the build still hold, ninja builds what changed and nothing else, and nothing of it
is seen outside. Commands run in the copy itself, whose parent directory is theirs too (../linux).
Needs root, as BPF does; call enter() first."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

ENTERED = "BPFGATE_TEST_NAMESPACE"


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def enter():
    """Starts this program again in a mount namespace of its own."""
    if ENTERED in os.environ:
        return
    if subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        skip("no right to make a mount namespace: run as root")
    command = ["unshare", "--mount", sys.executable, "-B", *sys.argv]
    os.execvpe(command[0], command, {**os.environ, ENTERED: "1"})


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def copy_tree(source, tree):
    """As it lies there, committed or not, and committed in the copy."""
    run("git", "clone", "-q", "--no-checkout", "--no-tags", source, tree)
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=source, stdout=subprocess.PIPE, check=True).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if (source / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, tree / name, follow_symlinks=False)
    for key, value in {"user.name": "docs", "user.email": "docs@example.org"}.items():
        run("git", "config", key, value, cwd=tree)
    run("git", "add", "--all", cwd=tree)
    run("git", "commit", "-q", "--allow-empty", "-m", "As it lies there", cwd=tree)
    run("git", "checkout", "-q", "-B", "main", cwd=tree)
    run("git", "remote", "remove", "origin", cwd=tree)


def copy_build(source, build, tree, work):
    """Where it is known by the path that it has in the tree, and as build/, as the pages call it."""
    inside = build.is_relative_to(source)
    copy = tree / build.relative_to(source) if inside else work / "outer-build"
    copy.parent.mkdir(parents=True, exist_ok=True)
    run("cp", "--archive", "--reflink=auto", build, copy)
    if copy != tree / "build":
        (tree / "build").symlink_to(copy if inside else build)
    run("mount", "--bind", tree, source)
    if not inside:
        run("mount", "--bind", copy, build)


def environment(work, tree):
    cache = pathlib.Path.home() / ".cache"
    programs = [f"{tree}/build/{name}" for name in ("benchs", "tools/gate", "tools/vmtest", "prog_tests")]
    (work / "tmp").mkdir()
    return {**os.environ, "PATH": ":".join([*programs, os.environ["PATH"]]), "TMPDIR": str(work / "tmp"),
            "XDG_STATE_HOME": str(work / "state"), "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(cache)),
            "LC_ALL": "C.UTF-8",
            # The tree is mounted over the source, so that a shell would take the source's path for its own.
            "PWD": str(tree)}


@contextlib.contextmanager
def scratch(source, build):
    """(directory of the copy, environment for commands in it); all of it is removed at the end."""
    if subprocess.run(["git", "-C", source, "rev-parse"], stderr=subprocess.DEVNULL, check=False).returncode:
        skip(f"{source} is no git checkout")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(1))
    work = pathlib.Path(tempfile.mkdtemp(prefix="bpfgate-docs-"))
    try:
        tree = work / "bpfgate"
        copy_tree(source, tree)
        copy_build(source, build, tree, work)
        yield tree, environment(work, tree)
    finally:
        os.chdir("/")
        for mounted in (build, source):
            subprocess.run(["umount", "--lazy", mounted], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(work)


def shell(script, tree, env, seconds):
    """Runs it with sh in a session of its own, which ends with it."""
    process = subprocess.Popen(["sh", "-c", script], cwd=tree, env=env, stdin=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        print(f"not done after {seconds} s:\n{script}")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
