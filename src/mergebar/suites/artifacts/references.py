"""The name by which a session calls an artifact in, the artifact that is meant out."""

from collections.abc import Iterable
from dataclasses import dataclass

from mergebar.model.artifacts import Artifact, ArtifactType

_HOSTS = ("", "claude", "github", "agents", "gemini", "codex")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What is meant, the others of that name, and a name that differs in case only."""

    artifact: Artifact | None
    others: tuple[Artifact, ...] = ()
    near: str | None = None


def resolve(reference: str, kind: ArtifactType, artifacts: Iterable[Artifact]) -> Resolved:
    """By exact name: a plugin's only with its prefix first, then the shortest path.

    A command may be called that is a skill: whoever finds none asks again for the other type.
    """
    name = reference.removeprefix("/")
    candidates = [each for each in artifacts if each.identity.type is kind]
    found = [each for each in candidates if name in each.identity.references]
    if not found:
        folded = name.casefold()
        near = (
            own
            for each in candidates
            for own in each.identity.references
            if own.casefold() == folded
        )
        return Resolved(artifact=None, near=next(near, None))
    first, *others = sorted(found, key=lambda each: _rank(each, name))
    return Resolved(artifact=first, others=tuple(others))


def _rank(artifact: Artifact, name: str) -> tuple[bool, bool, int, int, str]:
    identity = artifact.identity
    in_plugin = any(":" in own for own in identity.references)
    host = _HOSTS.index(identity.host) if identity.host in _HOSTS else len(_HOSTS)
    return (
        in_plugin and ":" not in name,
        identity.name != name,
        artifact.path.count("/"),
        host,
        artifact.path,
    )
