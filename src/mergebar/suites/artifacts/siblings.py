"""All artifacts of a repository in, what is confusing about them together out."""

from collections.abc import Iterable, Iterator

from mergebar.model.artifacts import Artifact, ArtifactType
from mergebar.model.problems import Level, Problem
from mergebar.reading.sentences import quoted


def compare(artifacts: Iterable[Artifact]) -> Iterator[Problem]:
    """Problems of the later of two artifacts, by their order."""
    everything = tuple(artifacts)
    yield from _same_name(everything)
    yield from _same_path(everything)


def _same_name(artifacts: Iterable[Artifact]) -> Iterator[Problem]:
    """A session says which skill it used by name alone, and skills are typed like commands."""
    called: dict[tuple[ArtifactType, str], list[Artifact]] = {}
    for artifact in artifacts:
        kind = artifact.identity.type
        kind = ArtifactType.SKILL if kind is ArtifactType.SLASH_COMMAND else kind
        for name in artifact.identity.references:
            called.setdefault((kind, name), []).append(artifact)
    told: set[tuple[str, ...]] = set()
    for (_, name), alike in called.items():
        paths = tuple(one.path for one in alike)
        if len(alike) == 1 or paths in told or not any(one.is_suite for one in alike):
            continue
        told.add(paths)
        *others, last = paths
        listed = ", ".join(f"`{path}`" for path in others)
        verb = "is" if len(others) == 1 else "are"
        yield Problem(
            level=Level.WARNING,
            rule="artifact/same-name",
            message=(
                f"{listed} {verb} called {quoted(name)} too: a session that names it doesn't say "
                "which of them it used, and counts for each; rename all but one"
            ),
            path=last,
        )


def _same_path(artifacts: Iterable[Artifact]) -> Iterator[Problem]:
    first: dict[str, Artifact] = {}
    for artifact in artifacts:
        known = first.setdefault(artifact.path.casefold(), artifact)
        if known is not artifact:
            yield Problem(
                level=Level.WARNING,
                rule="artifact/same-path",
                message=(
                    f"the path differs from `{known.path}` in case only: on some systems the two "
                    "are one file; rename one"
                ),
                path=artifact.path,
            )
