"""The text of manni.config.yaml in, the sidecars that it names for an artifact out.

Only what moves `metadata` out of artifacts is read; the rest of the file is its own tool's.
"""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json, JsonObject
from mergebar.patterns import GlobSet
from mergebar.reading import yaml_text
from mergebar.reading.sentences import quoted
from mergebar.reading.yaml_text import YamlText

FILE = "manni.config.yaml"

_PAGE = "{page}"
_OWNED = "metadata"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A sidecar that a collection names. `join` is a front-matter field, or `None` for paths."""

    file: str
    owns: bool | None
    join: str | None

    @property
    def per_page(self) -> bool:
        """Whether each artifact has a file of its own."""
        return _PAGE in self.file

    def path(self, artifact: str, *, base: str) -> str:
        """The sidecar of an artifact; `base` is the folder of the configuration."""
        if not self.per_page:
            return posixpath.normpath(posixpath.join(base, self.file))
        folder, _, name = artifact.rpartition("/")
        file = self.file.replace(_PAGE, name.rpartition(".")[0])
        return posixpath.normpath(posixpath.join(folder, file))


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Files that share sidecars."""

    globs: GlobSet
    manifests: tuple[Manifest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collections:
    """`base` is the folder of the file, relative to the root; empty at the root."""

    base: str = ""
    all: tuple[Collection, ...] = ()
    problems: tuple[Problem, ...] = ()

    def key(self, artifact: str) -> str | None:
        """The artifact's path as sidecars write it; `None` outside the folder."""
        if not self.base:
            return artifact
        prefix = f"{self.base}/"
        return artifact.removeprefix(prefix) if artifact.startswith(prefix) else None

    def shared(self) -> Iterator[tuple[str, Manifest]]:
        """The sidecars that hold `metadata` of several artifacts by their paths, with their paths.

        Those that only the artifacts themselves can say to hold it aren't among them.
        """
        for collection in self.all:
            for manifest in collection.manifests:
                if manifest.owns and not manifest.per_page and manifest.join is None:
                    yield manifest.path("", base=self.base), manifest

    def manifests(self, artifact: str, *, names_vocabulary: bool) -> tuple[Manifest, ...]:
        """The sidecars that own the `metadata` of an artifact.

        `names_vocabulary`: its front matter names the schema of artifacts' evals.
        """
        key = self.key(artifact)
        if key is None:
            return ()
        return tuple(
            manifest
            for collection in self.all
            if collection.globs.matches(key)
            for manifest in collection.manifests
            if manifest.owns or (manifest.owns is None and names_vocabulary)
        )


def parse(data: bytes, *, path: str) -> Collections:
    """Read the configuration; what isn't of its shape is passed over, for its own tool to say."""
    base = path.rpartition("/")[0]
    parsed = yaml_text.parse(data, path=path, prefix="artifact")
    if not isinstance(parsed, YamlText):
        return Collections(base=base, problems=parsed)
    root = parsed.value if isinstance(parsed.value, dict) else {}
    named = _collections_of_vocabulary(root)
    found: list[Collection] = []
    problems: list[Problem] = []
    for index, entry in _objects(root.get("collections")):
        manifests: list[Manifest] = []
        external = entry.get("externalMetadata")
        for number, own in _objects(external):
            file = own.get("file")
            if not isinstance(file, str) or not file:
                continue
            manifest = _manifest(own, file, external, is_named=entry.get("name") in named)
            if "://" not in file:
                manifests.append(manifest)
            elif manifest.owns is not False:
                place = ("collections", index, "externalMetadata", number, "file")
                line, column = parsed.positions.locate(place)
                problems.append(_address(file, path, line, column))
        globs = GlobSet(_texts(entry.get("paths")))
        found.append(Collection(globs=globs, manifests=tuple(manifests)))
    return Collections(base=base, all=tuple(found), problems=tuple(problems))


def _manifest(own: JsonObject, file: str, external: Json, *, is_named: bool) -> Manifest:
    join = own.get("join")
    return Manifest(
        file=file,
        owns=_owns(own, external, is_named=is_named),
        join=join if isinstance(join, str) and join != "path" else None,
    )


def _owns(own: JsonObject, external: Json, *, is_named: bool) -> bool | None:
    """`None`: only if the artifact itself names the vocabulary, which moves `metadata` out."""
    if "keys" in own:
        return _OWNED in _texts(own["keys"])
    if any(_OWNED in _texts(other.get("keys")) for _, other in _objects(external)):
        return False
    return True if is_named else None


def _collections_of_vocabulary(root: JsonObject) -> frozenset[Json]:
    meta = root.get("meta")
    overrides = meta.get("overrides") if isinstance(meta, dict) else None
    return frozenset(
        str(each.get("collection"))
        for _, each in _objects(overrides)
        if any(is_vocabulary(name) for name in _texts(each.get("schemas")))
    )


def is_vocabulary(name: str) -> bool:
    """Whether this is a name of the schema of artifacts' evals."""
    return ":artifact-evals:" in name or ":artifact-evals-strict:" in name


def _objects(value: Json) -> Iterator[tuple[int, JsonObject]]:
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, dict):
            yield index, each


def _texts(value: Json) -> Sequence[str]:
    if isinstance(value, str):
        return (value,)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _address(file: str, path: str, line: int, column: int) -> Problem:
    message = (
        f"{quoted(file)} is not fetched, and may declare evals: keep the sidecar in the repository"
    )
    return Problem(
        level=Level.ERROR,
        rule="artifact/sidecar-address",
        message=message,
        path=path,
        line=line,
        column=column,
    )
