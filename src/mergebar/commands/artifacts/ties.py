"""The artifacts of a repository in; the digests of what each is made of, for manifests, out."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence

from mergebar import identity
from mergebar.commands.watching import unwatched
from mergebar.commands.workspace import Place
from mergebar.edge import file_digests
from mergebar.model.artifacts import Artifact, ArtifactType
from mergebar.model.configuration import ArtifactGroup
from mergebar.model.scenarios import Tie
from mergebar.suites import discovery

_ALL = ("**",)


class Tying:
    """Reads each file once. `ignored` says which paths git doesn't watch, asked once."""

    def __init__(self, place: Place, ignored: Callable[[], frozenset[str]]) -> None:
        self._place = place
        self._ask = ignored
        self._ignored: frozenset[str] | None = None
        self._files: dict[str, str] = {}

    def of(self, artifact: Artifact, group: ArtifactGroup) -> Tie:
        """What a session of today is recorded with."""
        own = frozenset((artifact.path, *artifact.sidecars))
        return Tie(
            body=artifact.body_digest,
            folder=self._folder(artifact, own),
            sources=self._sources(group.sources, own),
        )

    def _folder(self, artifact: Artifact, own: frozenset[str]) -> str | None:
        """The other files of a skill; by their paths within it, so that it may move."""
        folder = posixpath.dirname(artifact.path)
        if artifact.identity.type is not ArtifactType.SKILL or not folder:
            return None
        inside = discovery.find(self._place.top / folder, _ALL)
        paths = {f"{folder}/{path}": path for path in inside}
        return self._digest((path for path in paths if path not in own), named=paths.__getitem__)

    def _sources(self, patterns: Sequence[str], own: frozenset[str]) -> str | None:
        """`None` where the group names none."""
        if not patterns:
            return None
        paths = map(self._place.reported, discovery.find(self._place.cwd, patterns))
        return self._digest((path for path in paths if path not in own), named=str)

    def _digest(self, paths: Iterable[str], *, named: Callable[[str], str]) -> str:
        return identity.digest({named(path): self._content(path) for path in self._kept(paths)})

    def _kept(self, paths: Iterable[str]) -> Iterator[str]:
        """What lies here alone would make every session stale elsewhere."""
        for path in paths:
            if self._ignored is None:
                self._ignored = self._ask()
            if not unwatched.is_by_product(path) and not unwatched.is_among(path, self._ignored):
                yield path

    def _content(self, path: str) -> str:
        if path not in self._files:
            self._files[path] = file_digests.of(self._place.top / path)
        return self._files[path]
