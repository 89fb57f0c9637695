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
    """A session says which skill it used by name alone."""
    first: dict[tuple[ArtifactType, str], Artifact] = {}
    for artifact in artifacts:
        known_as = artifact.identity.references[:1]
        for name in known_as:
            known = first.setdefault((artifact.identity.type, name), artifact)
            if known is artifact or not (known.is_suite or artifact.is_suite):
                continue
            yield Problem(
                level=Level.WARNING,
                rule="artifact/same-name",
                message=(
                    f"`{known.path}` is called {quoted(name)} too: a session that names it doesn't "
                    "say which of the two it used; rename one"
                ),
                path=artifact.path,
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
