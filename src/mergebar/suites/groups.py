"""The document groups of a config in, the files of each and what is wrong with the choice out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mergebar.model.configuration import DocumentGroup
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
    return Grouped(files=files, problems=tuple(_problems(selection, groups)))


def _problems(selection: Selection, groups: Sequence[DocumentGroup]) -> Iterator[Problem]:
    for index, pattern in selection.unmatched:
        if groups[index].implied:
            continue
        message = (
            f"`documents[{index}].paths`: {quoted(pattern)} matches no file: correct it, or remove "
            "it if there is nothing to check any more"
        )
        yield _error("config/no-match", message, groups[index].location)
    for path, first, second in selection.twice:
        message = (
            f"{quoted(path)} is in two groups, `documents[{first}]` and `documents[{second}]`: "
            f'exclude it from one of them, with `"!{path}"`'
        )
        yield _error("config/two-groups", message, groups[second].location)


def _error(rule: str, message: str, at: Location) -> Problem:
    return Problem(
        level=Level.ERROR, rule=rule, message=message, path=at.path, line=at.line, column=at.column
    )
