"""The groups of a config in, the files of each and what is wrong with the choice out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mergebar.model.configuration import AgentConfig, ArtifactGroup, DocumentGroup
from mergebar.model.problems import Level, Location, Problem
from mergebar.reading.sentences import quoted
from mergebar.suites import discovery
from mergebar.suites.discovery import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """`files` are those of each group, in the order of the config, relative to the root.

    A link that can't be followed is among them: whoever reads it says why, of that file alone.
    """

    files: tuple[tuple[str, ...], ...]
    problems: tuple[Problem, ...]


def resolve(root: Path, groups: Sequence[DocumentGroup]) -> Grouped:
    """A glob that matches nothing is an error, and so is a file that two groups claim.

    An implied group holds what looks like an eval document; there may be none.
    """
    selection = discovery.select(root, [group.paths for group in groups])
    files = tuple(
        tuple(path for path in paths if discovery.looks_like_document(root / path))
        if group.implied
        else _sorted(paths, lost)
        for group, paths, lost in zip(groups, selection.groups, selection.lost, strict=True)
    )
    return Grouped(files=files, problems=tuple(_problems(selection, groups, "documents")))


def resolve_artifacts(root: Path, groups: Sequence[ArtifactGroup]) -> Grouped:
    """The same for the artifacts of groups that somebody configured."""
    selection = discovery.select(root, [group.paths for group in groups])
    problems = tuple(_problems(selection, groups, "artifacts"))
    files = tuple(map(_sorted, selection.groups, selection.lost))
    return Grouped(files=files, problems=problems)


def resolve_evidence(
    root: Path, patterns: Sequence[str], *, key: str, group: ArtifactGroup
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """The files that one key's globs select: traces, or prompts. `key` is how people write it.

    A link that can't be followed is among them.
    """
    selection = discovery.select(root, [patterns])
    problems = tuple(
        _error(
            "config/no-match",
            f"`{key}`: {_no_match(pattern)}",
            glob_place(pattern, patterns, key=key, of=group),
        )
        for _, pattern in selection.unmatched
    )
    return _sorted(selection.groups[0], selection.lost[0]), problems


def _sorted(paths: Sequence[str], lost: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted((*paths, *lost))) if lost else tuple(paths)


def _problems(
    selection: Selection, groups: Sequence[DocumentGroup] | Sequence[ArtifactGroup], section: str
) -> Iterator[Problem]:
    for index, pattern in selection.unmatched:
        if groups[index].implied:
            continue
        key, group = f"{section}[{index}].paths", groups[index]
        at = glob_place(pattern, group.paths, key=key, of=group)
        yield _error("config/no-match", f"`{key}`: {_no_match(pattern)}", at)
    for path, first, second in selection.twice:
        message = (
            f"{quoted(path)} is in two groups, `{section}[{first}]` and `{section}[{second}]`: "
            f'exclude it from one of them, with `"!{path}"`'
        )
        yield _error("config/two-groups", message, groups[second].location)


def glob_place(
    pattern: str,
    patterns: Sequence[str],
    *,
    key: str,
    of: AgentConfig | DocumentGroup | ArtifactGroup,
) -> Location:
    """Where one glob of a list stands; the list or the entry, where it has no place of its own."""
    listed = of.places.get(f"{key}[{patterns.index(pattern)}]") if pattern in patterns else None
    return listed or of.places.get(key, of.location)


def _no_match(pattern: str) -> str:
    return (
        f"{quoted(pattern)} matches no file: correct it, or remove it if there is nothing to check "
        "any more"
    )


def _error(rule: str, message: str, at: Location) -> Problem:
    return Problem(
        level=Level.ERROR, rule=rule, message=message, path=at.path, line=at.line, column=at.column
    )
