"""A gate whose history is written as a table: what main had, what a change does, what comes of it.

The agent answers from `answers.json`, by the prompt; what it doesn't know, it calls unknown.
"""

import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support import commands, repositories
from support.commands import Ended
from support.repositories import Repository

AGENT = """\
import json, pathlib, sys
asked = json.loads(sys.stdin.readline())
said = json.loads(pathlib.Path("answers.json").read_text()).get(asked["prompt"], "unknown")
print(json.dumps(said if isinstance(said, dict) else {"response": said}))
"""

CONFIG: Mapping[str, Any] = {
    "version": 1,
    "agents": {
        "desk": {
            "type": "command",
            "command": [sys.executable, "-I", "-S", "agent.py"],
            "sources": ["agent.py", "answers.json"],
        }
    },
    "documents": [{"paths": ["evals/*.json"], "agent": "desk"}],
}

BROKEN = {"error": {"class": "throttled", "message": "too many"}}
DESK = "evals/desk.json"


def item(
    name: str,
    *,
    prompt: str | None = None,
    expected: str = "yes",
    evaluators: Mapping[str, object] | None = None,
    anonymous: bool = False,
    **own: object,
) -> dict[str, object]:
    """A case called `name`, whose prompt is its name too."""
    keys = own if anonymous else {"id": name, **own}
    return {
        "prompt": prompt or name,
        "expected_response": expected,
        "evaluators": {"ExactMatch": {}} if evaluators is None else evaluators,
        "evaluators_mode": "replace",
        **({"extensions": {"io.github.mergebar": keys}} if keys else {}),
    }


def document(*items: Mapping[str, object] | str, **root: object) -> str:
    """A document of these cases; a name stands for a plain one."""
    made = [item(one) if isinstance(one, str) else one for one in items]
    return json.dumps({"schemaVersion": "1.7.0", **root, "items": made}, indent=1)


def answers(**given: object) -> str:
    """What the agent says, by prompt."""
    return json.dumps(given)


def config(**changed: object) -> str:
    """The configuration with these keys in place of its own; YAML takes JSON."""
    return json.dumps({**CONFIG, **changed}, indent=1)


def agents(**changed: object) -> Mapping[str, object]:
    """The agent with these keys in place of its own."""
    return {"desk": {**CONFIG["agents"]["desk"], **changed}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of a change."""

    code: int
    report: Mapping[str, Any]
    ended: Ended

    @property
    def outcome(self) -> str:
        said: str = self.report["decision"]["outcome"]
        return said

    @property
    def headline(self) -> str:
        said: str = self.report["decision"]["headline"]
        return said

    @property
    def measured(self) -> str:
        """The cases that were put here, by their short names."""
        return _names(one for one in self.report["checks"] if not one["carried"])

    @property
    def carried(self) -> str:
        return _names(one for one in self.report["checks"] if one["carried"])

    def changed(self, kind: str) -> str:
        """The cases of which a check has this change."""
        found = self.report["comparison"]["changes"]
        return " ".join(
            dict.fromkeys(_name(one["check"]) for one in found if one["change"] == kind)
        )

    @property
    def changes(self) -> dict[str, str]:
        kinds = sorted({one["change"] for one in self.report["comparison"]["changes"]})
        return {kind: self.changed(kind) for kind in kinds if kind != "carried"}

    @property
    def loosened(self) -> list[str]:
        return [one["kind"] for one in self.report["comparison"]["loosened"]]

    @property
    def edited(self) -> list[str]:
        return [one["kind"] for one in self.report["comparison"]["edited"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """A repository, and outside of it the report of its base commit."""

    here: Repository
    folder: Path = field(repr=False)

    @property
    def stored(self) -> Path:
        return self.folder / "base.json"

    def measure(self, *options: str) -> Ran:
        """Run all of main, and keep the report as the baseline."""
        ran = self.run("--all", *options)
        shutil.copyfile(self.folder / "out/report.json", self.stored)
        return ran

    def change(self, files: Mapping[str, str | None], *moves: tuple[str, str]) -> str:
        """Commit to the branch `change`."""
        if self.here.git("branch", "--show-current") == "main":
            self.here.branch("change")
        for old, new in moves:
            (self.here.path / new).parent.mkdir(parents=True, exist_ok=True)
            self.here.git("mv", old, new)
        return self.here.commit(files)

    def compare(self, *options: str) -> Ran:
        """Run what the change affects, against the stored baseline."""
        return self.run("--base", "main", "--baseline", "../base.json", *options)

    def run(self, *options: str, environ: Mapping[str, str] | None = None) -> Ran:
        arguments = ("run", "--output", "../out", *options)
        ended = commands.inside(*arguments, cwd=self.here.path, environ=environ)
        report = commands.report(self.folder / "out/report.json")
        return Ran(code=ended.code, report=report, ended=ended)

    def explained(self, *options: str) -> list[str]:
        """The lines of a plan."""
        return commands.inside("plan", *options, cwd=self.here.path).stdout.splitlines()

    def plan(self, *options: str) -> Mapping[str, Any]:
        ended = commands.inside("plan", "--json", *options, cwd=self.here.path)
        found: Mapping[str, Any] = json.loads(ended.stdout)
        return found


def desk(folder: Path, files: Mapping[str, str] | None = None) -> Desk:
    """Two cases that pass, one that fails, and the files given instead or besides."""
    contents = {
        ".gitignore": ".mergebar/\n",
        "agent.py": AGENT,
        "answers.json": answers(a="yes", b="yes", c="no"),
        "mergebar.yml": config(),
        DESK: document("a", "b", "c"),
        **(files or {}),
    }
    made = repositories.start(folder / "here", contents)
    return Desk(here=made, folder=folder)


def copied(desk: Desk, folder: Path) -> Desk:
    """The same desk elsewhere, to go another way from here."""
    shutil.copytree(desk.folder, folder, dirs_exist_ok=True, symlinks=True)
    return Desk(here=Repository(folder / "here"), folder=folder)


def _names(checks: Iterable[Mapping[str, Any]]) -> str:
    return " ".join(dict.fromkeys(_name(one["id"]) for one in checks))


def _name(check: str) -> str:
    """`a` for a case of the desk's own document, `other/a` for another's."""
    suite, case, *_ = check.split("::")
    return case if suite == DESK else f"{Path(suite).stem}/{case}"
