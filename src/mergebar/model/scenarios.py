"""A session that evals are held against: one that was recorded, or one to run now."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """`key` names it in identities: a trace's path below its glob's root, or a prompt's name.

    `trace` is the file of a recorded session; one to run now has a `prompt` instead, which is the
    file with its words, and `words`. Both paths are repository-relative. `group` is an index into
    the config's artifact groups. `bodies` are the digests of the artifacts' texts that a manifest
    says it was recorded with, by path; `None` without a manifest.
    """

    key: str
    group: int
    trace: str | None = None
    prompt: str | None = None
    words: str = ""
    bodies: Mapping[str, str] | None = None

    @property
    def path(self) -> str:
        """The file that stands for it."""
        return self.trace or self.prompt or ""
