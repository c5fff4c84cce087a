# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Steps that are not done twice: each has a directory, named after what it does and after all that
decides its outcome, with its log, what it made and, once it has finished, status.json.

A step without status.json was interrupted and is done again. Children run in a process group of
their own, which ends with us.
"""

import fcntl
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import time


class Interrupted(Exception):
    """SIGINT, SIGTERM or SIGHUP arrived; signum tells which."""

    def __init__(self, signum):
        super().__init__(signal.Signals(signum).name)
        self.signum = signum


class StepError(Exception):
    """Something of ours does not work; str() is one line."""


class StateBusy(Exception):
    """Another process uses the state directory."""


def catch_signals():
    def interrupt(signum, _frame):
        raise Interrupted(signum)

    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, interrupt)


def hash_of(value):
    """Of anything that JSON can say."""
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def file_hash(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def write_json(path, value):
    """Whole or not at all."""
    temporary = path.with_suffix(".tmp")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    temporary.rename(path)


def read_json(path):
    """None where there is no such file or no JSON in it."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


class Step:
    """One step. status: what finish() wrote, now or earlier; None: not done."""

    def __init__(self, directory, name):
        self.directory = directory
        self.name = name
        self.log = directory / "log"
        self.status = read_json(directory / "status.json")
        self.reused = self.status is not None

    def __truediv__(self, name):
        return self.directory / name

    def start(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.log.touch()

    def run(self, command, cwd=None, env=None):
        """The exit code, 128 + N for signal N, 127 for what cannot be executed. Output: the log."""
        command = [str(each) for each in command]
        with open(self.log, "ab") as log:
            log.write(f"$ {shlex.join(command)}\n".encode())
            log.flush()
            try:
                child = subprocess.Popen(
                    command, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL,
                    stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
            except OSError as error:
                log.write(f"{command[0]}: {error.strerror}\n".encode())
                return 127
            try:
                code = child.wait()
            except BaseException:
                _end(child)
                raise
        code = code if code >= 0 else 128 - code
        if code:
            with open(self.log, "ab") as log:
                log.write(f"[exit {code}]\n".encode())
        return code

    def finish(self, **status):
        self.status = {"name": self.name, **status}
        write_json(self.directory / "status.json", self.status)

    def reason(self):
        """What the last command's log tells most by: its first error, else its last line."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        command = max((i for i, line in enumerate(lines) if line.startswith("$ ")), default=0)
        said = [line for line in lines[command + 1:] if line.strip()]
        ended = said[-1:] if said and said[-1].startswith("[exit ") else []
        said = said[:len(said) - len(ended)] or lines[command:command + 1]
        errors = [line for line in said if "error:" in line.lower()]
        return " ".join([*(errors[:1] or said[-1:]), *ended])


def _end(child, patience_s=10):
    """SIGTERM to the group, SIGKILL to what is left of it."""
    for signum in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, signum)
            child.wait(patience_s)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    child.wait()


class State:
    """The directory with all steps, locked while it is used."""

    def __init__(self, directory, fresh, say):
        self.directory = pathlib.Path(directory)
        self.fresh = fresh
        self.say = say
        self.used = []
        self.directory.mkdir(parents=True, exist_ok=True)
        self._lock = open(self.directory / "lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateBusy(f"{directory} is in use by another ci/patch") from None

    def close(self):
        self._lock.close()

    def step(self, name, key):
        """The step of this name for this key, a value of JSON: reused when it was finished."""
        directory = self.directory / "steps" / f"{name}-{hash_of(key)[:12]}"
        step = Step(directory, name)
        if step.reused and self.fresh and directory not in self.used:
            step.status, step.reused = None, False
        self.used.append(directory)
        return step

    def do(self, name, key, action, who="", keep=lambda status: True):
        """action(step) gives a status (a dict); keep(status): whether it may be reused."""
        what = f"{name} of {who}" if who else name
        step = self.step(name, key)
        if step.reused:
            os.utime(step.directory)
            self.say(f"{what}: done before, see {step.log}")
            return step
        self.say(f"{what} ...")
        step.start()
        start = time.monotonic()
        status = action(step)
        status["seconds"] = round(time.monotonic() - start, 1)
        if keep(status):
            step.finish(**status)
        else:
            step.status = {"name": name, **status}
        self.say(f"{what}: {status['seconds']:.0f} s, see {step.log}")
        return step

    def forget_old(self, pattern, most):
        """Of the steps of these names keeps those used last."""
        steps = (self.directory / "steps").glob(pattern)
        for directory in sorted(steps, key=lambda d: d.stat().st_mtime)[:-most]:
            shutil.rmtree(directory, ignore_errors=True)
