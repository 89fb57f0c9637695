"""A document and its declared version in, the keys and evaluators that came later out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mergebar import catalogue
from mergebar.model.text import Json
from mergebar.suites.findings import Finding, Pointer, error, warning
from mergebar.suites.versions import BASE, Version

RULE = "schema/newer-than-declared"

TOOL_CALL_EVALUATORS = ("ToolCallSelection", "ToolCallExecution")

# The minor that brought each key (spec, section 1.6). Keys that only results have are listed where
# an older schema refuses them; elsewhere they say nothing about how the document was written.
_ROOT = {"default_evaluators": 1, "default_allowed_tools": 11}
_TURN = {
    "evaluators": 1,
    "evaluators_mode": 1,
    "tags": 9,
    "allowed_tools": 11,
    "allowed_tools_mode": 11,
}
_THREAD = {"turns": 2, "tags": 9}
_ERRORED_CODE = 9
_MARKDOWN = 8
_EVALUATORS: Mapping[str, int] = {
    **{name: spec.since for name, spec in catalogue.EVALUATORS.items()},
    **dict.fromkeys(TOOL_CALL_EVALUATORS, 11),
}
# Where any key or text is accepted, a document of an older language can have these too.
_ANYWHERE = {"default_allowed_tools", "markdown", *TOOL_CALL_EVALUATORS}
_WORDS = tuple(
    (f'"{name}"'.encode(), since, name in _ANYWHERE)
    for known in (_ROOT, _TURN, _THREAD, _EVALUATORS, {"markdown": _MARKDOWN})
    for name, since in known.items()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One use of something at `pointer`, and the minor that brought it."""

    name: str
    since: int
    pointer: Pointer


def may_be_in(data: bytes, version: Version) -> bool:
    """Whether a text that its schema accepts could use what came after the declared version.

    A quick look, no proof: a name may be another key's, and one with an escape in it isn't seen,
    so a text with escapes always may.
    """
    if rb"\u" in data:
        return True
    words = (
        word
        for word, since, anywhere in _WORDS
        if since > version.minor and (anywhere or since <= version.language)
    )
    return any(word in data for word in words)


def features(root: Mapping[str, Json], *, after: int) -> tuple[Feature, ...]:
    """Everything in use that came after this minor; the document may be of any shape."""
    return tuple(feature for feature in _all(root) if feature.since > after)


def report(
    used: Iterable[Feature], version: Version, *, refused: frozenset[Pointer]
) -> Iterator[Finding]:
    """One finding per feature, at its first use: raising the version mends all uses at once.

    It is an error where the schema of the declared version refused a use, else a warning.
    """
    by_name: dict[str, list[Feature]] = {}
    for feature in used:
        by_name.setdefault(feature.name, []).append(feature)
    for name, uses in by_name.items():
        first = next((use for use in uses if use.pointer in refused), uses[0])
        make = error if first.pointer in refused else warning
        more = f" (used {len(uses)} times)" if len(uses) > 1 else ""
        message = (
            f"`{name}` came with schemaVersion 1.{first.since}.0, this document declares "
            f"{version.declared}{more}: raise it to 1.{first.since}.0"
        )
        yield make(RULE, message, first.pointer, on_key=True)


def refusals(
    used: Iterable[Feature], faults: Iterable[Pointer], *, language: int
) -> frozenset[Pointer]:
    """The uses that a schema fault lies in, of what the language of the schema can't know."""
    unknown = {use.pointer for use in used if use.since > language}
    hit = (fault[:length] for fault in faults for length in range(1, len(fault) + 1))
    return frozenset(prefix for prefix in hit if prefix in unknown)


def needed(root: Mapping[str, Json]) -> int:
    """The oldest minor, not below the base language, that knows all that is used."""
    return max((feature.since for feature in features(root, after=BASE)), default=BASE)


def _all(root: Mapping[str, Json]) -> Iterator[Feature]:
    yield from _keys(root, _ROOT, ())
    yield from _evaluators(root.get("default_evaluators"), ("default_evaluators",))
    items = root.get("items")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(item, dict):
            continue
        if "turns" in item:
            yield from _thread(item, ("items", index))
        else:
            yield from _turn(item, ("items", index))


def _thread(item: Mapping[str, Json], pointer: Pointer) -> Iterator[Feature]:
    yield from _keys(item, _THREAD, pointer)
    turns = item["turns"]
    for index, turn in enumerate(turns if isinstance(turns, list) else ()):
        if isinstance(turn, dict):
            yield from _turn(turn, (*pointer, "turns", index))


def _turn(turn: Mapping[str, Json], pointer: Pointer) -> Iterator[Feature]:
    yield from _keys(turn, _TURN, pointer)
    if "evaluators" in turn:
        yield from _evaluators(turn["evaluators"], (*pointer, "evaluators"))
    scores = turn.get("scores")
    for name, score in scores.items() if isinstance(scores, dict) else ():
        if isinstance(score, dict) and score.get("result") == "error" and "code" in score:
            place = (*pointer, "scores", name, "code")
            yield Feature(name="code", since=_ERRORED_CODE, pointer=place)


def _keys(value: Mapping[str, Json], known: Mapping[str, int], at: Pointer) -> Iterator[Feature]:
    for name in known.keys() & value.keys():
        yield Feature(name=name, since=known[name], pointer=(*at, name))


def _evaluators(value: Json, pointer: Pointer) -> Iterator[Feature]:
    for name, options in value.items() if isinstance(value, dict) else ():
        if name in _EVALUATORS:
            yield Feature(name=name, since=_EVALUATORS[name], pointer=(*pointer, name))
        if isinstance(options, dict) and options.get("citation_format") == "markdown":
            place = (*pointer, name, "citation_format")
            yield Feature(name="citation_format: markdown", since=_MARKDOWN, pointer=place)
