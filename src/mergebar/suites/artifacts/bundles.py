"""The path of an artifact in, the plug-in whose folder it lies in out (spec, section 2.2).

A folder is a plug-in's where `.claude-plugin/plugin.json` lies in it; `places` knows of `plugins/`.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

from mergebar.model.artifacts import Artifact, ArtifactType, Identity
from mergebar.model.problems import Problem
from mergebar.reading import front_matter
from mergebar.suites.artifacts import places

MANIFEST = ".claude-plugin/plugin.json"

_OF_HOSTS = re.compile(r"(?:^|/)\.[^/]+\Z")
_FOLDERS = {
    ArtifactType.SKILL: re.compile(r"(?:(.*)/)?skills/[^/]+/[^/]+\Z"),
    ArtifactType.AGENT: re.compile(r"(?:(.*)/)?agents/[^/]+\Z"),
    ArtifactType.SLASH_COMMAND: re.compile(r"(?:(.*)/)?commands/.+\Z"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundles:
    """Looks each folder up once. `read` gives a file, or why it can't be had."""

    read: Callable[[str], bytes | Problem]
    names: dict[str, str | None] = field(default_factory=dict)

    def identity(self, artifact: Artifact) -> Identity:
        """The same, also called with the name of the plug-in before its own.

        What looks like rules may be a command or an agent, where its folder is a plug-in's.
        """
        identity = artifact.identity
        if identity.type is ArtifactType.PROJECT_RULES:
            return self._of_plugin(artifact)
        folder = _folder(artifact.path, identity.type)
        plugin = None if folder is None else self._name(folder)
        return identity if plugin is None else _called(identity, plugin)

    def _of_plugin(self, artifact: Artifact) -> Identity:
        for type_ in (ArtifactType.SLASH_COMMAND, ArtifactType.AGENT):
            folder = _folder(artifact.path, type_)
            plugin = None if folder is None else self._name(folder)
            if plugin is not None:
                return _called(self._alias(places.of_type(artifact.path, type_), artifact), plugin)
        return artifact.identity

    def _alias(self, identity: Identity, artifact: Artifact) -> Identity:
        data = self.read(artifact.path)
        front = {} if isinstance(data, Problem) else front_matter.read(data, path="").value
        alias = (front or {}).get("name")
        return places.with_alias(identity, alias if isinstance(alias, str) else "")

    def _name(self, folder: str) -> str | None:
        if folder not in self.names:
            self.names[folder] = self._looked_up(folder)
        return self.names[folder]

    def _looked_up(self, folder: str) -> str | None:
        """What the plug-in calls itself, else its folder; the repository itself has no other."""
        data = self.read(f"{folder}/{MANIFEST}" if folder else MANIFEST)
        if isinstance(data, Problem):
            return None
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            value = None
        named = value.get("name") if isinstance(value, dict) else None
        if isinstance(named, str) and named.strip() and ":" not in named:
            return named.strip()
        return folder.rpartition("/")[2] or None


def might_hold(path: str) -> set[str]:
    """The folders that make a command or an agent of a file, if they are a plug-in's."""
    if not path.endswith(".md"):
        return set()
    found = (_folder(path, type_) for type_ in (ArtifactType.SLASH_COMMAND, ArtifactType.AGENT))
    return {folder for folder in found if folder is not None}


def _folder(path: str, type_: ArtifactType) -> str | None:
    """The folder that would be the plug-in's; none for what lies at a host's own place."""
    pattern = _FOLDERS.get(type_)
    found = None if pattern is None else pattern.match(path)
    if found is None:
        return None
    folder = found[1] or ""
    return None if _OF_HOSTS.search(folder) else folder


def _called(identity: Identity, plugin: str) -> Identity:
    plain = [name for name in identity.references if ":" not in name]
    named = chain.from_iterable((f"{plugin}:{name}", name) for name in plain)
    return Identity(
        type=identity.type,
        name=identity.name,
        host=identity.host,
        references=tuple(dict.fromkeys((*named, *identity.references))),
        scoped=identity.scoped,
    )
