"""The bytes of mergebar.reviews.yml in, the verdicts out, or every problem with its place."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from mergebar.model.problems import Level, Location, Problem, is_invalid, together
from mergebar.model.text import Json
from mergebar.reading import accepting, schemas, yaml_text
from mergebar.reading.schema_faults import Explain
from mergebar.reading.yaml_text import YamlText
from mergebar.reviews.values import Judgement, Key, Review

SCHEMA = "reviews.v1.json"
_PREFIX = "config"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """`reviews` is empty where one of the problems is an error: nothing of it counts then."""

    reviews: tuple[Review, ...]
    problems: tuple[Problem, ...]


def parse(data: bytes, *, path: str, explain: Explain) -> Parsed:
    """Read a file of verdicts; an empty one holds none."""
    text = yaml_text.parse(data, path=path, prefix=_PREFIX, read_past=True)
    if isinstance(text, tuple):
        return Parsed(reviews=(), problems=text)
    if text.value is None:
        return Parsed(reviews=(), problems=text.problems)
    problems = together(text.problems, _faults(text, path, explain))
    if is_invalid(problems):
        return Parsed(reviews=(), problems=problems)
    reviews = tuple(_reviews(text, path))
    problems = (*problems, *_twice(reviews))
    return Parsed(reviews=() if is_invalid(problems) else reviews, problems=problems)


@cache
def _accepts() -> Callable[[Json], bool]:
    return accepting.accepts(schemas.load(SCHEMA))


def _faults(text: YamlText, path: str, explain: Explain) -> Iterator[Problem]:
    if _accepts()(text.value):
        return
    for fault in explain(schemas.load(SCHEMA), text.value):
        line, column = text.positions.locate(fault.pointer, key=fault.on_key)
        yield Problem(
            level=Level.ERROR,
            rule=f"{_PREFIX}/{fault.rule.rpartition('/')[2]}",
            message=fault.message,
            path=path,
            line=line,
            column=column,
        )


def _reviews(text: YamlText, path: str) -> Iterator[Review]:
    listed = text.value.get("reviews") if isinstance(text.value, dict) else None
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(entry, dict):
            line, column = text.positions.locate(("reviews", index))
            yield Review(
                suite=_text(entry, "suite"),
                eval=_text(entry, "eval"),
                session=_text(entry, "session"),
                digest=_text(entry, "digest"),
                verdict=Judgement(_text(entry, "verdict")),
                by=_text(entry, "by"),
                note=_text(entry, "note"),
                location=Location(path=path, line=line, column=column),
            )


def _text(entry: Mapping[str, Json], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _twice(reviews: Sequence[Review]) -> Iterator[Problem]:
    first: dict[tuple[Key, str], Review] = {}
    for review in reviews:
        known = first.setdefault((review.key, review.digest), review)
        if known is not review:
            yield Problem(
                level=Level.ERROR,
                rule=f"{_PREFIX}/duplicate-review",
                message=(
                    f"`{review.eval}` has two verdicts on the same session: remove one; the first "
                    f"is in line {known.location.line}"
                ),
                path=review.location.path,
                line=review.location.line,
                column=review.location.column,
            )
