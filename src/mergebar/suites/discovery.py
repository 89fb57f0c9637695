"""A folder and globs in, the suites' paths out: relative to the folder, posix, sorted."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from mergebar.patterns import GlobSet, trimmed
from mergebar.suites.walking import SKIPPED, Walk

EVERY_JSON = ("**/*.json",)
"""What may be a document below a folder; only what `looks_like_document` counts."""

_MAGIC = re.compile(r"[*?\[\\!]")
_SNIFFED = 256 * 1024
# What documents have near their start, by shape; other JSON has `items` too, so that alone says
# nothing, and a package may depend on one named `prompt`. A schema of documents names all keys.
_ANOTHER = re.compile(
    rb'"individual_results"\s*:|"\$schema"\s*:\s*"https?://json-schema\.org/', re.IGNORECASE
)
_ITEMS = re.compile(rb'"items"\s*:')
_BESIDE = re.compile(rb'"(?:schemaVersion|prompt|turns|default_evaluators)"\s*:')
_PROMPTS = re.compile(rb'"prompts"\s*:\s*\[')
_PROMPT = re.compile(rb'"prompt"\s*:')


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The files of each group, in the order of the groups.

    `unmatched` are (group, pattern) that select no file; `twice` are (path, group, other group).
    `lost` are, for each group, the links that a glob selects, and that lead out of the root or
    nowhere.
    """

    groups: tuple[tuple[str, ...], ...]
    unmatched: tuple[tuple[int, str], ...]
    twice: tuple[tuple[str, int, int], ...]
    lost: tuple[tuple[str, ...], ...] = ()


def find(root: Path, patterns: Sequence[str], *, skip: Iterable[str] = ()) -> tuple[str, ...]:
    """Files below `root` that the globs select. `skip` are further folders, relative to `root`.

    A symbolic link is followed only to what lies below `root` and isn't found already.
    """
    return _found(root, patterns, skip)[0]


def _found(
    root: Path, patterns: Sequence[str], skip: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files, and the links that can't be followed although a glob selects them."""
    globs = GlobSet(patterns)
    skipped = frozenset(skip)
    walk = Walk(root=os.path.realpath(root), skips=partial(_is_skipped, skipped))
    found: dict[str, str] = {}
    linked: dict[str, str] = {}
    for start in _starts(patterns):
        for path, real in () if _is_skipped(skipped, start) else walk.files(start):
            if globs.matches(path):
                (found if real is None else linked)[path] = real or path
    reached = set(found)
    for path, real in sorted(linked.items()):
        if real not in reached:
            reached.add(real)
            found[path] = path
    names = {name for name in (one.rpartition("/")[2] for one in patterns) if _is_plain(name)}
    lost = (
        path
        for path in walk.lost
        if globs.matches(path)
        or any(globs.matches(f"{path}/{name}") and _may_hold(root / path) for name in names)
    )
    return tuple(sorted(found)), tuple(sorted(lost))


def _may_hold(link: Path) -> bool:
    """Whether a link that isn't followed leads to a folder, or may have; nowhere says its name."""
    return link.is_dir() or not (os.path.isfile(link) or link.suffix)  # noqa: PTH113 - a circle


def _is_skipped(skipped: frozenset[str], path: str) -> bool:
    return path in skipped or not SKIPPED.isdisjoint(path.split("/"))


def _is_plain(name: str) -> bool:
    return bool(name) and _MAGIC.search(name) is None


def select(root: Path, groups: Sequence[Sequence[str]], *, skip: Iterable[str] = ()) -> Selection:
    """The files of each group, which pattern of theirs matches nothing, and what is in two."""
    skipped = tuple(skip)
    selected = [_found(root, patterns, skipped) for patterns in groups]
    files = tuple(paths for paths, _ in selected)
    lost = tuple(links for _, links in selected)
    owner: dict[str, int] = {}
    twice = []
    for index, paths in enumerate(files):
        for path in paths:
            first = owner.setdefault(path, index)
            if first != index:
                twice.append((path, first, index))
    unmatched = tuple(
        (index, pattern)
        for index, patterns in enumerate(groups)
        for pattern in patterns
        if not pattern.startswith("!") and not _selects(pattern, [*files[index], *lost[index]])
    )
    return Selection(groups=files, unmatched=unmatched, twice=tuple(twice), lost=lost)


def looks_like_document(path: Path) -> bool:
    """Whether a JSON file seems to be an eval document: by its start, without parsing it.

    One that can't be read counts, so that somebody says so.
    """
    try:
        with path.open("rb") as file:
            return starts_like_document(file.read(_SNIFFED))
    except OSError:
        return True


def starts_like_document(data: bytes) -> bool:
    """The same for the text of a file.

    What is empty, broken or in the wrong encoding counts when it could have been one: it is said
    to be wrong rather than passed over.
    """
    start = data[:_SNIFFED]
    # UTF-16 is refused later, by name; here it reads like ASCII with holes.
    text = start.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if not text:
        return True
    if text.startswith(b"["):
        return _PROMPT.search(text) is not None
    if _ANOTHER.search(text):
        return False
    return bool(_PROMPTS.search(text) or (_ITEMS.search(text) and _BESIDE.search(text)))


def _selects(pattern: str, paths: Iterable[str]) -> bool:
    glob = GlobSet((pattern,))
    return any(glob.matches(path) for path in paths)


def _starts(patterns: Iterable[str]) -> list[str]:
    """The folders to walk: the longest beginnings without wildcards, and none inside another."""
    starts = {start(pattern) for pattern in patterns if not pattern.startswith("!")}
    if "" in starts:
        return [""]
    return sorted(
        start for start in starts if not any(start.startswith(f"{other}/") for other in starts)
    )


def start(pattern: str) -> str:
    """`evals/**/*.json` begins at `evals`; a pattern that matches at any depth, at the root."""
    glob = trimmed(pattern)
    if "/" not in glob.rstrip("/"):
        return ""
    segments = glob.strip("/").split("/")
    literal: list[str] = []
    for segment in segments:
        if _MAGIC.search(segment) or segment == "..":
            break
        literal.append(segment)
    return "/".join(literal)
