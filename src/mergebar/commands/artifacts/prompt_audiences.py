"""The prompts and artifacts of a group in; what prompts say of artifacts that don't exist out."""

from collections.abc import Iterable, Iterator, Sequence

from mergebar.commands.workspace import Place
from mergebar.model.artifacts import Artifact
from mergebar.model.problems import Level, Problem
from mergebar.model.scenarios import Scenario
from mergebar.model.text import Json
from mergebar.patterns import GlobSet
from mergebar.reading import front_matter
from mergebar.reading.front_matter import FrontMatter
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import quoted

KEY = "artifacts"
_LIMIT = 1024 * 1024


def check(
    place: Place, scenarios: Iterable[Scenario], artifacts: Sequence[Artifact]
) -> Iterator[Problem]:
    """`artifacts` are all those of the group, whether they declare evals or not."""
    for one in scenarios:
        if one.prompt is None or one.fault is not None:
            continue
        data = place.read(one.prompt, rule="config/prompt", limit=_LIMIT)
        if isinstance(data, Problem):
            continue
        front = front_matter.read(data, path=one.prompt)
        yield from _misspelt(front, one.prompt)
        yield from _unknown(front, one.prompt, artifacts)


def _misspelt(front: FrontMatter, path: str) -> Iterator[Problem]:
    for key in front.value or {}:
        if key != KEY and nearest(key, (KEY,)) is not None:
            message = f"{quoted(key)} is not read of a prompt: did you mean `{KEY}`?"
            yield _warning(front, path, message, (key,), on_key=True)


def _unknown(front: FrontMatter, path: str, artifacts: Sequence[Artifact]) -> Iterator[Problem]:
    value: Json = (front.value or {}).get(KEY)
    names = {name for one in artifacts for name in (one.name, *one.identity.references)}
    for index, wanted in enumerate(value if isinstance(value, list) else [value]):
        if not isinstance(wanted, str) or not wanted or wanted in names:
            continue
        if any(map(GlobSet((wanted,)).matches, (one.path for one in artifacts))):
            continue
        near = nearest(wanted, names)
        hint = f"did you mean {quoted(near)}?" if near else "write the name or path of one"
        message = f"{quoted(wanted)} is no artifact of the group of this prompt: {hint}"
        place = (KEY, index) if isinstance(value, list) else (KEY,)
        yield _warning(front, path, message, place)


def _warning(
    front: FrontMatter,
    path: str,
    message: str,
    place: tuple[str | int, ...],
    *,
    on_key: bool = False,
) -> Problem:
    line, column = front.positions.locate(place, key=on_key)
    return Problem(
        level=Level.WARNING,
        rule="config/prompt",
        message=message,
        path=path,
        line=line,
        column=column,
    )
