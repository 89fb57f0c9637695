"""A step of a job in, a container started as the Actions runner starts it out.

The same mounts, HOME, working directory and variables; files of the runner belong to its own user,
and what a variable names on the runner is named inside by where it is mounted.
"""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from support import commands
from support.commands import Ended
from support.container.engine import Engine
from support.jobs import Result, Step

RUNNER = 1001
"""Whom the workspace and the runner's files belong to on GitHub's machines."""
_FILES = ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
_READ_BACK = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image that was built, and what starts it."""

    id: str
    engine: Engine

    def start(
        self,
        *arguments: str,
        options: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> "subprocess.Popen[bytes]":
        """As `docker run` would; values of variables aren't in its command line."""
        given = dict(environ or {})
        argv = [
            *self.engine.podman_run,
            *("--name", name or f"mergebar-{uuid4().hex[:12]}"),
            *(part for variable in given for part in ("--env", _variable(variable, given))),
            *options,
            self.id,
            *arguments,
        ]
        return subprocess.Popen(
            argv,
            env={**self.engine.environ, **given, "HOME": os.environ.get("HOME", "/root")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(
        self,
        *arguments: str,
        options: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        cwd: Path = Path(),
    ) -> Ended:
        """To its end; `cwd` is where its report is looked for."""
        return commands.end(self.start(*arguments, options=options, environ=environ), cwd=cwd)

    def shell(self, script: str, *options: str) -> str:
        """What a script prints inside of the image."""
        return self.engine.called_in(self.id, script, *options)


def _variable(name: str, given: Mapping[str, str]) -> str:
    """HOME is the client's own too, so it is the one whose value is told."""
    return f"{name}={given[name]}" if name == "HOME" else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A step that runs as a container."""

    step: Step
    engine: Engine
    name: str
    process: "subprocess.Popen[bytes]"

    def signal(self, name: str) -> None:
        """The runner's signal, which its client hands to the first process of the container."""
        self.engine.podman("kill", "--signal", name, self.name)

    def end(self) -> Result:
        """Wait, and read what the runner would read."""
        ended = commands.end(self.process, cwd=self.step.cwd)
        for variable, file in _READ_BACK.items():
            text = (_commands(self.step) / variable.lower()).read_bytes()
            (self.step.runner / file).write_bytes(text)
        return self.step.result(ended)


def start(
    image: Image, step: Step, *arguments: str, options: Sequence[str] = (), owner: int = RUNNER
) -> Started:
    """Start a step's container on a workspace of the runner's user."""
    runner = step.runner
    for folder in ("home", "workflow", "file_commands"):
        (runner / folder).mkdir()
    (runner / "event.json").rename(runner / "workflow/event.json")
    for variable in _FILES:
        (_commands(step) / variable.lower()).touch()
    for top in (step.cwd, runner):
        _give(top, owner)
    mounts = {
        runner / "temp": "/github/runner_temp",
        runner / "home": "/github/home",
        runner / "workflow": "/github/workflow",
        _commands(step): "/github/file_commands",
        step.cwd: "/github/workspace",
    }
    environ = {
        **step.environ,
        **{variable: f"/github/file_commands/{variable.lower()}" for variable in _FILES},
        "CI": "true",
        "HOME": "/github/home",
        "GITHUB_WORKSPACE": "/github/workspace",
        "GITHUB_EVENT_PATH": "/github/workflow/event.json",
        "RUNNER_TEMP": "/github/runner_temp",
    }
    volumes = [part for here, there in mounts.items() for part in ("--volume", f"{here}:{there}")]
    name = f"mergebar-{uuid4().hex[:12]}"
    process = image.start(
        *arguments,
        options=["--workdir", "/github/workspace", *volumes, *options],
        environ=environ,
        name=name,
    )
    return Started(step=step, engine=image.engine, name=name, process=process)


def run(image: Image, step: Step, *arguments: str, options: Sequence[str] = ()) -> Result:
    """To its end."""
    return start(image, step, *arguments, options=options).end()


@contextmanager
def docker_socket(folder: Path) -> Iterator[list[str]]:
    """The options that hand a container what stands in for the daemon's socket: root's, and a group's."""
    place = folder / "docker.sock"
    place.touch()
    place.chmod(0o660)
    yield ["--volume", f"{place}:/var/run/docker.sock"]


def owners(top: Path) -> set[int]:
    """The uids of a folder and of all that is in it."""
    return {path.lstat().st_uid for path in (top, *top.rglob("*"))}


def _commands(step: Step) -> Path:
    return step.runner / "file_commands"


def _give(top: Path, owner: int) -> None:
    for path in (top, *top.rglob("*")):
        os.chown(path, owner, owner, follow_symlinks=False)
