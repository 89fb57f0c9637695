"""A place in, what `init` finds there out: suites, sessions, workflows. Nothing is run."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mergebar import plugins, traces
from mergebar.catalogue import evaluators
from mergebar.commands.starting import scalars
from mergebar.commands.workspace import Place
from mergebar.model.documents import Document
from mergebar.model.problems import Problem, is_invalid
from mergebar.model.sessions import Session
from mergebar.reading import files
from mergebar.suites import artifacts, discovery, documents
from mergebar.suites.artifacts import remarks

WORKFLOWS = ".github/workflows"

_REPORTS = "mergebar-report"
_TRACES = (
    "**/*.jsonl",
    "**/traces/**/*.json",
    "**/sessions/**/*.json",
    "**/transcripts/**/*.json",
)
_WORKFLOW_LIMIT = 1024 * 1024
_GATE = re.compile(rb"mergebar/mergebar(?:@|:)|\bmergebar (?:run|action)\b")
_BRANCH = re.compile(r"ref: refs/(?:remotes/origin|heads)/([A-Za-z0-9][A-Za-z0-9_./-]{0,99})\s*")
_USUAL = ("main", "master")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Paths relative to the working directory, but `gates`, which are workflows of the repository.

    Each document is `stored` if it holds all its answers, else `asked`. `broken` are files that
    are invalid or can't be named; `bare` are artifacts without evals. `judged`: a check needs a
    judge. `branch` is the one that everything is merged to; `versioned`: git knows the folder.
    """

    asked: tuple[str, ...] = ()
    stored: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    judged: bool = False
    branch: str = _USUAL[0]
    versioned: bool = True

    @property
    def has_suites(self) -> bool:
        """Whether there is anything to measure."""
        return bool(self.asked or self.stored or self.artifacts)


def look(place: Place) -> Found:
    """Look at everything below the working directory."""
    read = {path: _document(place, path) for path in _candidates(place)}
    good = {path: one for path, one in read.items() if one and not is_invalid(one.problems)}
    stored = tuple(path for path, one in good.items() if _holds_answers(one))
    asked = tuple(path for path, one in good.items() if not _holds_answers(one))
    survey = artifacts.everything(
        place.top, explain=plugins.explain, installed=plugins.graders_installed, folder=place.prefix
    )
    mine = [place.local(one) for one in survey.artifacts]
    broken = [one for one in mine if not scalars.is_text(one.path) or is_invalid(one.problems)]
    sound = [one for one in mine if one.is_suite and one not in broken]
    return Found(
        asked=asked,
        stored=stored,
        artifacts=tuple(one.path for one in sound),
        bare=tuple(one.path for one in mine if not one.is_suite and one not in broken),
        traces=tuple(_traces(place, frozenset(read))),
        broken=(
            *(path for path in read if path not in good),
            *(one.path for one in broken),
        ),
        gates=tuple(_gates(place.top)),
        judged=any(map(_is_judged, good.values())) or any(map(remarks.asks_judge, sound)),
        branch=_branch(place.top),
        versioned=(place.top / ".git").exists(),
    )


def _candidates(place: Place) -> Iterator[str]:
    for path in discovery.find(place.cwd, discovery.EVERY_JSON, skip=(_REPORTS,)):
        if discovery.looks_like_document(place.cwd / path):
            yield path


def _document(place: Place, path: str) -> Document | None:
    data = place.read(place.reported(path))
    if isinstance(data, Problem) or not scalars.is_text(path):
        return None
    return documents.read(data, path=path, explain=plugins.explain)


def _holds_answers(document: Document) -> bool:
    turns = [turn for case in document.cases for turn in case.turns]
    return bool(turns) and all(turn.stored is not None for turn in turns)


def _is_judged(document: Document) -> bool:
    names = {use.name for case in document.cases for turn in case.turns for use in turn.evaluators}
    return any(spec.judged for spec in map(evaluators.find, names) if spec is not None)


def _traces(place: Place, documented: frozenset[str]) -> Iterator[str]:
    for path in discovery.find(place.cwd, _TRACES, skip=(_REPORTS,)):
        if path in documented or not scalars.is_text(path):
            continue
        if isinstance(traces.read(place.cwd / path), Session):
            yield path


def _gates(top: Path) -> Iterator[str]:
    """Workflows that run mergebar already."""
    for path in discovery.find(top, (f"{WORKFLOWS}/*.yml", f"{WORKFLOWS}/*.yaml")):
        data = files.read(top, path, limit=_WORKFLOW_LIMIT)
        if isinstance(data, bytes) and _GATE.search(data):
            yield path


def _branch(top: Path) -> str:
    """What the remote says, else a usual name that there is, else the branch that is out."""
    git = top / ".git"
    said = _pointed(git / "refs/remotes/origin/HEAD")
    if said:
        return said
    usual = [name for name in _USUAL if (git / "refs/heads" / name).is_file()]
    return next(iter(usual), _pointed(git / "HEAD") or _USUAL[0])


def _pointed(file: Path) -> str | None:
    """The branch that a reference points at, if its name means itself in a workflow."""
    data = files.read(file.parent, file.name, limit=4096)
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else ""
    match = _BRANCH.fullmatch(text)
    return match[1] if match else None
