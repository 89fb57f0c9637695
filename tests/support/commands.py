"""The real `mergebar` as a process of its own, and what came of it."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema_rs

from mergebar import cli
from mergebar.commands import interrupts
from mergebar.reading import schemas

CODES = frozenset({0, 1, 2, 3, 4, 5, 130})
"""The exit codes that a person may meet; 70 is a bug."""

_ARGV = (sys.executable, "-I", "-m", "mergebar")
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a process ended. `folder` is where it looked and wrote."""

    code: int
    stdout: str
    stderr: str
    folder: Path = field(repr=False)

    @property
    def said(self) -> str:
        """Everything it printed, with blanks as single spaces: text is wrapped to a width."""
        return " ".join(f"{self.stdout}\n{self.stderr}".split())

    def report(self, folder: str = ".mergebar") -> dict[str, Any]:
        """Its report.json, which must be valid."""
        return report(self.folder / folder / "report.json")


def run(
    *arguments: str,
    cwd: Path,
    environ: Mapping[str, str] | None = None,
    timeout_s: float = 60.0,
) -> Ended:
    """Run `mergebar` to its end. It may fail, but never with a bug."""
    done = subprocess.run(
        [*_ARGV, *arguments],
        cwd=cwd,
        env=environment(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=timeout_s,
        check=False,
    )
    return _checked(done.returncode, done.stdout, done.stderr, cwd)


def inside(
    *arguments: str,
    cwd: Path,
    environ: Mapping[str, str] | None = None,
    main: Callable[[list[str]], int] = cli.main,
    encoding: str = "utf-8",
) -> Ended:
    """Run the same command line in this process, which is ten times faster.

    `encoding` is that of the terminal.
    """
    handlers = {number: signal.getsignal(number) for number in interrupts.NUMBERS}
    out, err = io.BytesIO(), io.BytesIO()
    with (
        contextlib.chdir(cwd),
        mock.patch.dict(os.environ, environment(environ), clear=True),
        contextlib.redirect_stdout(io.TextIOWrapper(out, encoding)) as stdout,
        contextlib.redirect_stderr(io.TextIOWrapper(err, encoding, "backslashreplace")) as stderr,
    ):
        code = main(list(arguments))
        stdout.flush()
        stderr.flush()
    for number, handler in handlers.items():
        signal.signal(number, handler)
    return _checked(code, out.getvalue(), err.getvalue(), cwd)


def start(
    *arguments: str, cwd: Path, environ: Mapping[str, str] | None = None
) -> "subprocess.Popen[bytes]":
    """Start `mergebar` and let it run; `end` waits for it."""
    return subprocess.Popen(
        [*_ARGV, *arguments],
        cwd=cwd,
        env=environment(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def end(process: "subprocess.Popen[bytes]", *, cwd: Path, timeout_s: float = 60.0) -> Ended:
    """Wait for a process that was started."""
    try:
        stdout, stderr = process.communicate(timeout=timeout_s)
    finally:
        process.kill()
        process.wait()
    return _checked(process.returncode, stdout, stderr, cwd)


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a bare shell has, and more; never the CI, keys or tokens of who runs the tests."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8", **(more or {})}


def report(path: Path) -> dict[str, Any]:
    """A report.json, read back and held to its published schema."""
    value: dict[str, Any] = json.loads(path.read_bytes(), parse_constant=_no_constant)
    faults = [
        f"{fault.instance_path}: {fault.message}"
        for fault in jsonschema_rs.validator_for(dict(schemas.load("report.v1.json"))).iter_errors(
            value
        )
    ]
    assert not faults, faults
    return value


def documents(folder: Path) -> dict[str, dict[str, Any]]:
    """The documents with results below a report folder, each held to the schema of its version."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted((folder / "documents").rglob("*.json")):
        value = json.loads(path.read_bytes(), parse_constant=_no_constant)
        minor = int(value["schemaVersion"].split(".")[1])
        validator = jsonschema_rs.validator_for(dict(schemas.eval_document(minor)))
        faults = [
            f"{path}: {fault.instance_path}: {fault.message}"
            for fault in validator.iter_errors(value)
        ]
        assert not faults, faults
        found[path.relative_to(folder / "documents").as_posix()] = value
    return found


def _no_constant(name: str) -> object:
    message = f"`{name}` is no JSON"
    raise AssertionError(message)


def _checked(code: int, stdout: bytes, stderr: bytes, folder: Path) -> Ended:
    ended = Ended(code=code, stdout=stdout.decode(), stderr=stderr.decode(), folder=folder)
    assert "Traceback" not in ended.stdout + ended.stderr, ended.stderr
    assert code in CODES, (code, ended.stderr)
    return ended
