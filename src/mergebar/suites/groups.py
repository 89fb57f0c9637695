"""The groups of a config in, the files of each and what is wrong with the choice out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mergebar.model.configuration import ArtifactGroup, DocumentGroup
from mergebar.model.problems import Level, Location, Problem
from mergebar.reading.sentences import quoted
from mergebar.suites import discovery
from mergebar.suites.discovery import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """`files` are those of each group, in the order of the config, relative to the root."""

    files: tuple[tuple[str, ...], ...]
    problems: tuple[Problem, ...]


def resolve(root: Path, groups: Sequence[DocumentGroup], *, skip: Iterable[str] = ()) -> Grouped:
    """A glob that matches nothing is an error, and so is a file that two groups claim.

    An implied group holds what looks like an eval document; there may be none.
    """
    selection = discovery.select(root, [group.paths for group in groups], skip=skip)
    files = tuple(
        tuple(path for path in paths if discovery.looks_like_document(root / path))
        if group.implied
        else paths
        for group, paths in zip(groups, selection.groups, strict=True)
    )
    return Grouped(files=files, problems=tuple(_problems(selection, groups, "documents")))


def resolve_artifacts(root: Path, groups: Sequence[ArtifactGroup]) -> Grouped:
    """The same for the artifacts of groups that somebody configured."""
    selection = discovery.select(root, [group.paths for group in groups])
    problems = tuple(_problems(selection, groups, "artifacts"))
    return Grouped(files=selection.groups, problems=problems)


def resolve_evidence(
    root: Path, patterns: Sequence[str], *, key: str, location: Location
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """The files that one key's globs select: traces, or prompts. `key` is how people write it."""
    selection = discovery.select(root, [patterns])
    problems = tuple(
        _error("config/no-match", f"`{key}`: {_no_match(pattern)}", location)
        for _, pattern in selection.unmatched
    )
    lost = tuple(_lost(path, key, "config/unreadable") for _, path in selection.lost)
    return selection.groups[0], (*problems, *lost)


def _problems(
    selection: Selection, groups: Sequence[DocumentGroup] | Sequence[ArtifactGroup], section: str
) -> Iterator[Problem]:
    for index, pattern in selection.unmatched:
        if groups[index].implied:
            continue
        message = f"`{section}[{index}].paths`: {_no_match(pattern)}"
        yield _error("config/no-match", message, groups[index].location)
    for index, path in selection.lost:
        if not groups[index].implied:
            yield _lost(
                path, f"{section}[{index}].paths", f"{section.removesuffix('s')}/unreadable"
            )
    for path, first, second in selection.twice:
        message = (
            f"{quoted(path)} is in two groups, `{section}[{first}]` and `{section}[{second}]`: "
            f'exclude it from one of them, with `"!{path}"`'
        )
        yield _error("config/two-groups", message, groups[second].location)


def _lost(path: str, key: str, rule: str) -> Problem:
    message = (
        f"`{path}`, which `{key}` selects, is a symbolic link that leads out of the folder where "
        "mergebar works, or nowhere: it is not read; put the file itself here"
    )
    return Problem(level=Level.ERROR, rule=rule, message=message, path=path)


def _no_match(pattern: str) -> str:
    return (
        f"{quoted(pattern)} matches no file: correct it, or remove it if there is nothing to check "
        "any more"
    )


def _error(rule: str, message: str, at: Location) -> Problem:
    return Problem(
        level=Level.ERROR, rule=rule, message=message, path=at.path, line=at.line, column=at.column
    )
