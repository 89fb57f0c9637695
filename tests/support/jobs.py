"""A job on a loopback runner: real git, real event files, a GitHub and an artifact service."""

import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from typing import Any

from mergebar import settings
from mergebar.commands import action
from mergebar.edge.github.waiting import Clock
from mergebar.model.text import Json
from support import commands, events, gates
from support.artifact_service import ArtifactService
from support.commands import Ended
from support.gates import passing
from support.github.server import GitHubServer
from support.github.state import file
from support.repositories import Repository

NUMBER = 7
TOKEN = "ghs_actions"  # noqa: S105 - a token of the loopback server
_BLOCK = re.compile(r"^([a-z-]+)<<(\S+)\n(.*?)\n\2$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """How the action ended, and what the runner would make of it."""

    ended: Ended
    outputs: Mapping[str, str]
    summary: str
    report: dict[str, Any] | None

    @property
    def code(self) -> int:
        return self.ended.code

    @property
    def stdout(self) -> str:
        return self.ended.stdout

    @property
    def warnings(self) -> list[str]:
        """The messages of the warnings on the run as a whole."""
        found = re.findall(r"^::warning::(.*)$", self.stdout, re.MULTILINE)
        return [text.replace("%0A", "\n").replace("%25", "%") for text in found]

    def commands(self, level: str) -> list[str]:
        """The remarks on lines that were printed."""
        return re.findall(rf"^::{level} file=.*$", self.stdout, re.MULTILINE)


@dataclass(slots=True, kw_only=True)
class Job:
    """What a job's steps share. `origin` is the repository, `workspace` its checkout."""

    github: GitHubServer
    service: ArtifactService
    origin: Repository
    folder: Path
    base: str = ""
    head: str = ""
    merge: str = ""
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    def checkout(self, commit: str, *, depth: int = 2) -> None:
        """As actions/checkout does it."""
        self.origin.git("update-ref", "refs/heads/fetched", commit)
        shutil.rmtree(self.workspace, ignore_errors=True)
        self.origin.clone(self.workspace, ref="refs/heads/fetched", depth=depth)

    def step(
        self,
        event: str,
        payload: Json,
        *,
        sha: str,
        ref: str = "refs/heads/main",
        actor: str = "maria",
        **inputs: str,
    ) -> "Step":
        """A step that uses the action; `__` in the name of an input is a hyphen."""
        runner = self.folder / f"step-{len(list(self.folder.glob('step-*')))}"
        (runner / "temp").mkdir(parents=True)
        given = {entry.name: entry.default for entry in settings.INPUTS}
        given |= {name.replace("_", "-"): value for name, value in inputs.items()}
        given["github-token"] = inputs.get("github_token", TOKEN)
        environ = {
            **self.service.environ,
            **events.environ(
                event, path=runner / "event.json", payload=payload, sha=sha, ref=ref, actor=actor
            ),
            "GITHUB_API_URL": self.github.api_url,
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_OUTPUT": str(runner / "output"),
            "GITHUB_STEP_SUMMARY": str(runner / "summary"),
            "RUNNER_TEMP": str(runner / "temp"),
            **{settings.variable(name): value for name, value in given.items()},
            **self.environ,
        }
        self.workspace.mkdir(exist_ok=True)
        return Step(cwd=self.workspace, runner=runner, environ=environ)

    def pull_request(self, *, attempt: int = 1, run: int = 4711, **inputs: str) -> "Step":
        """A step on the pull request, as it stands."""
        payload = events.pull_request(base=self.base, head=self.head, number=NUMBER)
        step = self.step("pull_request", payload, sha=self.merge, **inputs)
        step.environ |= {"GITHUB_RUN_ID": str(run), "GITHUB_RUN_ATTEMPT": str(attempt)}
        return step

    def fork(self, **inputs: str) -> "Step":
        """The same, where the pull request comes from a fork: its token can only read."""
        self.github.state.token(permissions=dict.fromkeys(("pull-requests", "contents"), "read"))
        payload = events.pull_request(
            base=self.base, head=self.head, number=NUMBER, head_repository="stranger/agent"
        )
        return self.step("pull_request", payload, sha=self.merge, **inputs)

    def change(self, files: Mapping[str, str | None], *, depth: int = 2) -> None:
        """The pull request changes these files from here on; it is merged and checked out."""
        self.origin.checkout("change")
        self.head = self.origin.commit(files)
        self.origin.git("checkout", "--quiet", "--detach", self.base)
        self.merge = self.origin.merge(self.head)
        state = self.github.state
        state.commit(self.head, self.base)
        state.commit(self.merge, self.base, self.head)
        state.pull(NUMBER, head=self.head, base=self.base)
        listed = self.origin.git("diff", "-z", "--name-only", self.base, self.head)
        names = list(filter(None, listed.split("\0")))
        state.change_files(NUMBER, [file(name) for name in names])
        for commit in (self.head, self.merge):
            state.compared[commit] = [file(name) for name in names]
        self.checkout(self.merge, depth=depth)

    def items(self, *items: Mapping[str, object], depth: int = 2) -> "Job":
        """The pull request changes the document to these items."""
        self.change({"evals/desk.json": gates.document(*items)}, depth=depth)
        return self

    @property
    def comments(self) -> list[str]:
        return self.github.state.bodies(NUMBER)

    @property
    def check_runs(self) -> list[dict[str, Any]]:
        return list(self.github.state.check_runs.values())

    @property
    def annotations(self) -> list[dict[str, Any]]:
        return [one for found in self.github.state.annotations.values() for one in found]


@dataclass(slots=True, kw_only=True)
class Step:
    """One use of the action, which runs as a process of its own."""

    cwd: Path
    runner: Path
    environ: dict[str, str]

    def run(self, *argv: str) -> Result:
        """To its end, as a process."""
        arguments = argv or ("action",)
        return self.result(commands.run(*arguments, cwd=self.cwd, environ=self.environ))

    def inside(self) -> Result:
        """To its end, in this process: the same, and cheaper."""
        return self.result(commands.inside("action", cwd=self.cwd, environ=self.environ))

    def without_waiting(self) -> Result:
        """As `inside`, but what GitHub is waited for takes no time."""
        at = [1000.0]

        def sleep(seconds: float) -> None:
            at[0] += seconds

        clock = Clock(sleep=sleep, monotonic=lambda: at[0], now=time.time, chance=lambda: 0.5)
        ended = commands.inside(
            cwd=self.cwd, environ=self.environ, main=lambda argv: action.main(argv, clock=clock)
        )
        return self.result(ended)

    def start(self) -> "Popen[bytes]":
        """And don't wait for it; `end` does."""
        return commands.start("action", cwd=self.cwd, environ=self.environ)

    def end(self, process: "Popen[bytes]") -> Result:
        return self.result(commands.end(process, cwd=self.cwd))

    def result(self, ended: Ended) -> Result:
        """What is found after a process of this step has ended."""
        output, summary = self.runner / "output", self.runner / "summary"
        blocks = _BLOCK.findall(output.read_text()) if output.exists() else []
        path = self.cwd / "mergebar-report/report.json"
        return Result(
            ended=ended,
            outputs={name: value for name, _, value in blocks},
            summary=summary.read_text() if summary.exists() else "",
            report=commands.report(path) if path.exists() else None,
        )


@contextmanager
def job(folder: Path, *, config: str = gates.CONFIG, **files: str) -> Iterator[Job]:
    """A repository whose pull request 7 has no commits yet, and a runner for it."""
    with ExitStack() as stack:
        github = stack.enter_context(GitHubServer())
        service = stack.enter_context(ArtifactService())
        origin = gates.repository(folder / "origin", passing("so far"), config=config, **files)
        origin.git("config", "uploadpack.allowAnySHA1InWant", "true")
        made = Job(github=github, service=service, origin=origin, folder=folder)
        made.base = origin.head()
        names = origin.git("ls-files").splitlines()
        tree = {name: (origin.path / name).read_bytes() for name in names}
        github.state.commit(made.base, tree=tree)
        origin.branch("change")
        yield made


def payload_of(path: Path) -> Any:
    """An event file, to be changed and written again."""
    return json.loads(path.read_text())
