"""The `artifacts` of an accepted configuration in, its groups out, every default filled."""

from mergebar.config import entry_places, values
from mergebar.config.findings import entries, mapping
from mergebar.config.values import Place
from mergebar.model.configuration import ArtifactGroup, SessionsConfig, Stale
from mergebar.model.problems import Location
from mergebar.model.text import Json


def build(config: dict[str, Json], definition: Json, place: Place) -> tuple[ArtifactGroup, ...]:
    """The configured groups; where none are, the one that is implied."""
    if "artifacts" not in config:
        return (implied(place(())),)
    groups = []
    for pointer, group in entries(config, "artifacts"):
        filled = values.filled(group, definition)
        groups.append(
            ArtifactGroup(
                paths=values.texts(filled["paths"]) or (),
                sources=values.texts(filled["sources"]) or (),
                traces=values.texts(filled["traces"]) or (),
                stale=Stale(values.text(filled["stale"])),
                sessions=_sessions(group, definition, place((*pointer, "sessions"))),
                location=place(pointer),
                places=entry_places.find(group, pointer, place).places,
            )
        )
    return tuple(groups)


def implied(location: Location) -> ArtifactGroup:
    """The artifacts of who configures none: those where hosts look for them."""
    return ArtifactGroup(
        paths=(),
        sources=(),
        traces=(),
        stale=Stale.BLOCK,
        sessions=None,
        location=location,
        implied=True,
    )


def _sessions(
    group: dict[str, Json], definition: Json, location: Location
) -> SessionsConfig | None:
    if "sessions" not in group:
        return None
    described = mapping(definition, "properties", "sessions")
    filled = values.filled(mapping(group, "sessions"), described)
    return SessionsConfig(
        command=values.texts(filled["command"]) or (),
        prompts=values.texts(filled["prompts"]) or (),
        env=values.texts(filled["env"]) or (),
        timeout_s=values.seconds(filled["timeout"]),
        concurrency=values.whole(filled["concurrency"]),
        location=location,
    )
