"""A repository's root and the paths of artifacts in, all of them read and compared out."""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mergebar.model.artifacts import Artifact
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.reading.schema_faults import Explain
from mergebar.suites.artifacts import (
    discovery,
    gathering,
    imports,
    precedence,
    reading,
    siblings,
)
from mergebar.suites.artifacts.bundles import Bundles
from mergebar.suites.artifacts.gathering import Desk, Read
from mergebar.suites.artifacts.options import Installed, none_installed
from mergebar.suites.artifacts.sidecar_names import Beside


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The artifacts in the order of their paths; `problems` are those of no artifact."""

    artifacts: tuple[Artifact, ...]
    problems: tuple[Problem, ...] = ()


def everything(
    root: Path,
    *,
    explain: Explain,
    folder: str = "",
    also: Iterable[str] = (),
    strict: bool = False,
    installed: Installed = none_installed,
) -> Survey:
    """All artifacts where hosts look for them, in a folder below the root, and those of `also`.

    A link that can't be followed is one of them, and can't be read.
    """
    found = discovery.find(root, folder=folder)
    wanted = (*found.paths, *found.lost, *also)
    read = survey(
        root,
        wanted,
        explain=explain,
        folder=folder,
        whole=True,
        strict=strict,
        installed=installed,
    )
    lost = tuple(_orphan(path) for path in found.orphans)
    return replace(read, problems=(*lost, *read.problems))


def survey(  # noqa: PLR0913 - where, what and with whose help
    root: Path,
    paths: Iterable[str],
    *,
    explain: Explain,
    folder: str = "",
    whole: bool = False,
    strict: bool = False,
    read: Read | None = None,
    installed: Installed = none_installed,
) -> Survey:
    """Read artifacts by their paths relative to `root`, each taken at its word.

    manni.config.yaml is looked for in `folder` and then above it, up to the root. `whole`: these
    are all artifacts that there are, so a sidecar's entry for another is wrong. `read` reads a
    file; without it, only what lies below `root` is read. `installed` is asked about graders that
    aren't built in.
    """
    wanted = tuple(sorted(set(paths)))
    others = frozenset(wanted)
    known = gathering.find_collections(root, folder)
    desk = Desk(root=root, known=known, read=read or gathering.reader(root))
    artifacts = []
    of_sidecars: list[Problem] = []
    for path in wanted:
        artifact, more = _read(
            desk, path, others, explain=explain, strict=strict, installed=installed
        )
        artifacts.append(artifact)
        of_sidecars += more
    of_sidecars += desk.orphans(wanted) if whole else ()
    if read is None:  # what another state of the tree is called, no session asks
        beside = Beside(root=root)
        of_sidecars += (
            one for path in wanted for one in beside.misnamed(path, read=desk.opened.keys())
        )
        bundles = Bundles(read=desk.read)
        artifacts = [replace(one, identity=bundles.identity(one)) for one in artifacts]
        artifacts = precedence.settle(
            artifacts, lambda path: os.path.lexists(root / path), folder=folder
        )
    return Survey(
        artifacts=_with(artifacts, siblings.compare(artifacts)),
        problems=tuple(dict.fromkeys((*desk.known.problems, *of_sidecars))),
    )


def _read(
    desk: Desk,
    path: str,
    others: frozenset[str],
    *,
    explain: Explain,
    strict: bool,
    installed: Installed,
) -> tuple[Artifact, Sequence[Problem]]:
    gathered = desk.gather(path)
    if isinstance(gathered, Problem):
        return reading.unreadable(path, gathered), ()
    artifact = reading.read(
        gathered.data,
        path=path,
        explain=explain,
        sidecars=gathered.sources,
        strict=strict,
        installed=installed,
    )

    def open_file(imported: str) -> bytes | None:
        if imported in others:
            return None  # it is read for itself
        data = desk.read(imported)
        return data if isinstance(data, bytes) else None

    lost = imports.check(artifact, gathered.data, open_file)
    suite = artifact.is_suite or is_invalid(gathered.problems)
    evals = () if is_invalid(gathered.problems) else artifact.evals
    problems = (*artifact.problems, *gathered.problems, *lost)
    return replace(artifact, problems=problems, is_suite=suite, evals=evals), gathered.shared


def _with(artifacts: Sequence[Artifact], problems: Iterable[Problem]) -> tuple[Artifact, ...]:
    """Each problem with the artifact at its path."""
    by_path: defaultdict[str | None, list[Problem]] = defaultdict(list)
    for problem in problems:
        by_path[problem.path].append(problem)
    return tuple(
        replace(artifact, problems=(*artifact.problems, *by_path[artifact.path]))
        if artifact.path in by_path
        else artifact
        for artifact in artifacts
    )


def _orphan(path: str) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule="artifact/orphan",
        message=(
            "no artifact lies beside this sidecar, so what it declares is lost: rename it like its "
            "artifact, or remove it"
        ),
        path=path,
        line=1,
        column=1,
    )
