"""Artifacts in; each without the names by which sessions mean another one (spec, section 2.3), out.

What is called so by its place comes before what calls itself so, and before what a plug-in brings.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from mergebar.model.artifacts import Artifact, ArtifactType

Exists = Callable[[str], bool]
"""Whether there is something at a path below the repository's root."""

_HOSTS = (".claude", ".github", ".agents", ".gemini", ".codex")
_PLACES: dict[ArtifactType, tuple[str, ...]] = {
    ArtifactType.SKILL: (
        *(f"{host}/skills/{{}}/SKILL.md" for host in _HOSTS),
        "skills/{}/SKILL.md",
        "src/skills/{}/SKILL.md",
    ),
    ArtifactType.AGENT: (
        ".claude/agents/{}.md",
        "agents/{}.md",
        ".github/agents/{}.md",
        ".github/agents/{}.agent.md",
        ".gemini/agents/{}.md",
    ),
    ArtifactType.SLASH_COMMAND: (".claude/commands/{}.md", ".github/prompts/{}.prompt.md"),
}


def settle(artifacts: Iterable[Artifact], exists: Exists, *, folder: str) -> list[Artifact]:
    """`folder` is where sessions work, relative to the root."""
    return [_settled(one, exists, folder) for one in artifacts]


def _settled(artifact: Artifact, exists: Exists, folder: str) -> Artifact:
    known = artifact.identity
    kept = tuple(
        name
        for name in known.references
        if not _may_yield(artifact, name)
        or not any(exists(path) for path in _others(artifact, name, folder))
    )
    if kept == known.references:
        return artifact
    return replace(artifact, identity=replace(known, references=kept))


def _may_yield(artifact: Artifact, name: str) -> bool:
    """Names with a plug-in's are its own; the name of its place a plug-in's artifact may yield."""
    if ":" in name or "/" in name:
        return False
    return name != artifact.name or any(":" in one for one in artifact.identity.references)


def _others(artifact: Artifact, name: str, folder: str) -> Iterator[str]:
    own = f"/{artifact.path}"
    above = (own.partition(mark)[0] for mark in ("/.", "/plugins/", "/skills/", "/agents/"))
    prefixes = {"", folder.strip("/").removesuffix("."), min(above, key=len).strip("/")}
    for prefix in sorted(prefixes):
        for place in _PLACES.get(artifact.identity.type, ()):
            path = f"{prefix}/{place.format(name)}" if prefix else place.format(name)
            if path != artifact.path:
                yield path
