"""A session that evals are held against: one that was recorded, or one to run now."""

from collections.abc import Mapping
from dataclasses import dataclass

MANIFEST = ".manifest.json"
"""What is added to a trace's path for the file that ties it to artifacts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """The digests of what an artifact was made of at some time.

    `folder` covers the other files of a skill, `sources` those of its group; `None` isn't known.
    """

    body: str
    folder: str | None = None
    sources: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """`key` names it in identities: a trace's path below its glob's root, or a prompt's name.

    `trace` is the file of a recorded session; one to run now has a `prompt` instead, which is the
    file with its words, and `words`. Both paths are repository-relative. `group` is an index into
    the config's artifact groups. `ties` say of each artifact, by path, what it was made of when the
    session was recorded; `None` without a manifest. `fault` says why it can't be opened.
    """

    key: str
    group: int
    trace: str | None = None
    prompt: str | None = None
    words: str = ""
    ties: Mapping[str, Tie] | None = None
    fault: str | None = None

    @property
    def path(self) -> str:
        """The file that stands for it."""
        return self.trace or self.prompt or ""
