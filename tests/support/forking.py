"""Real `mergebar` processes that start at once: each is a fork of one that has loaded everything.

with Forker() as forker:
    process = forker.start("run", cwd=…)
    process.kill()
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from support import commands

_SCRIPT = """
import importlib, json, os, signal, sys

from mergebar import cli

for name in ("commands.run", "agents.http", "judges.openai", "judges.chat", "evaluators.relevance",
             "evaluators.exact_match", "report.html"):
    importlib.import_module(f"mergebar.{name}")

for line in sys.stdin:
    asked = json.loads(line)
    if "kill" in asked or "wait" in asked:
        pid = asked.get("kill") or asked["wait"]
        if "kill" in asked:
            os.kill(pid, signal.SIGKILL)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
        continue
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.chdir(asked["cwd"])
        os.environ.clear()
        os.environ.update(asked["environ"])
        said = os.open(asked["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        for stream in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDONLY) if stream == 0 else said, stream)
        code = 70
        try:
            code = cli.main(asked["argv"])
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    print(pid, flush=True)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One that was started."""

    pid: int
    forker: "Forker"

    def kill(self) -> int:
        """End it with SIGKILL; -9, or how it had ended by itself before."""
        return self.forker.ask({"kill": self.pid})

    def wait(self) -> int:
        """Its exit code."""
        return self.forker.ask({"wait": self.pid})


class Forker:
    """What all of them are forks of."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.kill()
        self._process.wait()

    def start(self, *argv: str, cwd: Path, said: Path, environ: Mapping[str, str]) -> Process:
        """Start one; what it prints is appended to `said`."""
        asked = {
            "argv": argv,
            "cwd": str(cwd),
            "said": str(said),
            "environ": commands.environment(environ),
        }
        return Process(pid=self.ask(asked), forker=self)

    def ask(self, asked: Mapping[str, object]) -> int:
        """One line out, one number back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())
