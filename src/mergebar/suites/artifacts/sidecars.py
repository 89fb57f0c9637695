"""The text of a sidecar in, the `metadata` that it holds for an artifact out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading import yaml_text
from mergebar.reading.positions import Written
from mergebar.reading.quoted_places import NOWHERE
from mergebar.reading.sentences import kind, quoted
from mergebar.reading.yaml_text import YamlText
from mergebar.suites.artifacts.declarations import Source

MAX_BYTES = 1024 * 1024
MAX_ALIASES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """A file of `metadata` by the paths of artifacts, or of that of one artifact alone."""

    path: str
    value: dict[str, Json]
    positions: Written
    problems: tuple[Problem, ...] = ()

    @property
    def is_bare(self) -> bool:
        """Whether it holds `metadata` itself, for the artifact beside it."""
        return "metadata" in self.value

    def source(self, names: Sequence[str], *, beside: bool) -> Source | None:
        """Its `metadata` for the artifact that is known by these names."""
        if beside and self.is_bare:
            return Source(path=self.path, root=self.value, positions=self.positions)
        for name in names:
            own = self.value.get(name)
            if isinstance(own, dict) and "metadata" in own:
                return Source(path=self.path, root=own, positions=self.positions, prefix=(name,))
        return None

    def orphans(self, names: Iterable[str]) -> tuple[Problem, ...]:
        """Its entries that are for none of these."""
        known = set(names)
        return tuple(
            self._problem(
                key,
                f"{quoted(key)} names no artifact, so what stands here is lost: correct the path, "
                "or remove the entry",
            )
            for key in self.value
            if key not in known
        )

    def outside(self, key: str, configuration: str) -> Problem:
        """An entry for an artifact that isn't one of those that the sidecar is for."""
        message = (
            f"{quoted(key)} is not among the `paths` of its collection in `{configuration}`, so "
            "what stands here is not read: add it there"
        )
        return self._problem(key, message, level=Level.WARNING)

    def _problem(self, key: str, message: str, *, level: Level = Level.ERROR) -> Problem:
        line, column = self.positions.locate((key,), key=True)
        return Problem(
            level=level,
            rule="artifact/orphan",
            message=message,
            path=self.path,
            line=line,
            column=column,
        )


def parse(data: bytes, *, path: str) -> Sidecar:
    """Read a sidecar; one that can't be read is empty, and says why."""
    parsed = yaml_text.parse(
        data, path=path, prefix="artifact", limit=MAX_BYTES, most_aliases=MAX_ALIASES
    )
    if not isinstance(parsed, YamlText):
        return broken(path, *parsed)
    if parsed.value is None:
        return Sidecar(path=path, value={}, positions=parsed.positions, problems=(_empty(path),))
    if not isinstance(parsed.value, dict):
        message = f"the file is {kind(parsed.value)}: it must be an object, by paths of artifacts"
        problem = Problem(
            level=Level.ERROR,
            rule="artifact/sidecar",
            message=message,
            path=path,
            line=1,
            column=1,
        )
        return broken(path, problem)
    problems = parsed.problems
    return Sidecar(path=path, value=parsed.value, positions=parsed.positions, problems=problems)


def _empty(path: str) -> Problem:
    return Problem(
        level=Level.WARNING,
        rule="artifact/empty-sidecar",
        message="this sidecar is empty, so it declares nothing: fill it in, or remove it",
        path=path,
        line=1,
        column=1,
    )


def broken(path: str, *problems: Problem) -> Sidecar:
    """One that can't be read."""
    return Sidecar(path=path, value={}, positions=NOWHERE, problems=problems)
