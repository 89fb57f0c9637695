"""An artifact's bytes, path and sidecars in, the artifact with all its problems out.

It never raises, and reads no other file: whoever knows of sidecars hands them in.
"""

from collections.abc import Iterator, Mapping, Sequence

from mergebar import identity
from mergebar.model.artifacts import Artifact, DeclaredEval, Identity
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.text import Json
from mergebar.reading import front_matter
from mergebar.reading.front_matter import FrontMatter
from mergebar.reading.quoted_places import NOWHERE
from mergebar.reading.schema_faults import Explain
from mergebar.suites.artifacts import (
    building,
    entries,
    keys,
    literals,
    places,
    provenance,
    schema,
    scopes,
    strictness,
    surprises,
)
from mergebar.suites.artifacts.declarations import (
    EVALS,
    OWN_KEYS,
    PROVENANCE,
    Entry,
    Source,
    to_problem,
)
from mergebar.suites.artifacts.declarations import entries as entries_of
from mergebar.suites.artifacts.options import Installed, none_installed
from mergebar.suites.findings import Finding

_LIST_ONLY = ".toml"
"""Commands that some hosts keep in a format without front matter."""


def read(
    data: bytes,
    *,
    path: str,
    explain: Explain,
    sidecars: Sequence[Source] = (),
    strict: bool = False,
    installed: Installed = none_installed,
) -> Artifact:
    """Read an artifact; `explain` is called only when the schema refuses it.

    `installed` is asked about graders that aren't built in. `sidecars` are the places elsewhere
    that hold its `metadata`. `strict` holds it to the strict form of the vocabulary too.
    """
    front = _front(data, path)
    value = front.value or {}
    own = Source(path=path, root=value, positions=front.positions)
    known = _identity(path, value)
    sources = (*((own,) if "metadata" in value else ()), *sidecars)
    problems = [*front.problems, *_misnamed(path), *_several(sources)]
    problems += _placed(keys.check_root(value), own)
    evals: tuple[DeclaredEval, ...] = ()
    if len(sources) == 1:
        found, problems_of_source = _examine(
            sources[0], known, explain, strict=strict, installed=installed
        )
        problems += problems_of_source
        if not is_invalid(problems):
            evals = building.build(found, sources[0])
    return Artifact(
        path=path,
        identity=known,
        evals=evals,
        is_suite=front.may_declare or any("evals" in source.metadata for source in sources),
        body_digest=_body_digest(front, data),
        problems=_in_order(problems, path),
        skip=any(source.metadata.get("eval-skip") is True for source in sources),
        scope=scopes.read(known, value),
        sidecars=tuple(source.path for source in sidecars),
    )


def _in_order(problems: Sequence[Problem], path: str) -> tuple[Problem, ...]:
    """Those of the artifact itself first."""
    return tuple(sorted(problems, key=lambda at: (at.path != path, at.line or 0, at.column or 0)))


def _front(data: bytes, path: str) -> FrontMatter:
    if path.endswith(_LIST_ONLY):
        return FrontMatter(value={}, positions=NOWHERE, body=data.decode(errors="replace"))
    return front_matter.read(data, path=path)


def _identity(path: str, value: Mapping[str, Json]) -> Identity:
    alias = value.get("name")
    return places.with_alias(places.take(path), alias if isinstance(alias, str) else "")


def _misnamed(path: str) -> Iterator[Problem]:
    if places.is_misnamed_skill(path):
        yield Problem(
            level=Level.WARNING,
            rule="artifact/file-name",
            message="hosts look for `SKILL.md`, in capitals, and may not find this file: rename it",
            path=path,
        )


def unreadable(path: str, problem: Problem) -> Artifact:
    """What is known of an artifact whose bytes can't be had."""
    known = places.take(path)
    return Artifact(
        path=path,
        identity=known,
        evals=(),
        is_suite=True,
        body_digest=identity.digest(None),
        problems=(problem,),
    )


def _several(sources: Sequence[Source]) -> Iterator[Problem]:
    """Never merged, and none of them wins: nobody could tell what was declared."""
    if len(sources) < 2:  # noqa: PLR2004 - that is what several means
        return
    first, *others = (source.locate(("metadata",), on_key=True) for source in sources)
    for at in others:
        yield Problem(
            level=Level.ERROR,
            rule="artifact/declared-twice",
            message=(
                f"`metadata` of this artifact is in `{first.path}`, line {first.line}, and again "
                f"in `{at.path}`, line {at.line}: keep one of them"
            ),
            path=at.path,
            line=at.line,
            column=at.column,
        )


def _examine(
    source: Source, known: Identity, explain: Explain, *, strict: bool, installed: Installed
) -> tuple[tuple[Entry, ...], list[Problem]]:
    against = schema.check(source, explain)
    broken = schema.broken(against)
    found = tuple(entries_of(source.metadata))
    sound = () if EVALS in broken else tuple(each for each in found if each.pointer not in broken)
    rest: list[Finding] = [
        *keys.check_metadata(source.metadata),
        *entries.check(found, sound=sound, installed=installed),
        *surprises.check(sound, source),
        *literals.check(sound),
    ]
    if PROVENANCE not in broken:
        rest += provenance.check(source.root, source.metadata, found)
    if strict:
        rest += strictness.check(source.root, sound, kind=known.type, installed=installed)
    return found, _placed((*against, *rest), source)


def _placed(found: Sequence[Finding] | Iterator[Finding], source: Source) -> list[Problem]:
    return [to_problem(finding, source) for finding in found]


def _body_digest(front: FrontMatter, data: bytes) -> str:
    """Over what an agent is told; how the front matter is written down doesn't matter."""
    if front.value is None:
        return identity.digest({"unread": data.decode("latin-1")})
    kept = {name: value for name, value in front.value.items() if name != "metadata"}
    metadata = front.value.get("metadata")
    if isinstance(metadata, dict):
        rest = {name: value for name, value in metadata.items() if name not in OWN_KEYS}
        if rest:
            kept["metadata"] = rest
    elif metadata is not None:
        kept["metadata"] = metadata
    return identity.digest({"front": kept, "body": front.body})
