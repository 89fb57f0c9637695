"""A change's configuration in; the one that decides, whose policy that is, and what to say out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from mergebar import config, plugins
from mergebar.commands.workspace import Place, Settled
from mergebar.config import locating, policy
from mergebar.edge.events import Event
from mergebar.model.configuration import Config
from mergebar.model.problems import Level, Problem

_EVENTS = frozenset({"pull_request", "merge_group"})

BaseFile: TypeAlias = Callable[[str, str], "bytes | Unread | None"]
"""A commit and a repository-relative path in; the file's bytes there, `None` where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why a file of the base couldn't be read, as a clause."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The configuration that holds. `note` belongs in the headline where the policy is the head's
    although the base should have one.
    """

    config: Config
    policy: str = "head"
    note: str | None = None
    problems: tuple[Problem, ...] = ()


def hold(
    settled: Settled,
    *,
    name: str | None,
    place: Place,
    event: Event,
    base: str | None,
    base_file: BaseFile,
) -> Held:
    """On a pull request and in the merge queue the base decides; elsewhere what is checked out.

    `name` is the configuration that was asked for, relative to the working directory.
    """
    head = settled.config or Config(path=None, digest="")
    if event.name not in _EVENTS:
        return Held(config=head)
    if base is None:
        return _unheld(head, "the base commit isn't known")
    for path in _paths(name, place):
        data = base_file(base, path)
        if isinstance(data, Unread):
            return _unread(head, path, data)
        if data is not None:
            return _combined(head, data, path)
    return _unheld(head, f"the base has no `{place.reported(name or locating.PLACES[0])}`")


def _paths(name: str | None, place: Place) -> Iterator[str]:
    for path in [name] if name else locating.PLACES:
        yield place.reported(path)


def _combined(head: Config, data: bytes, path: str) -> Held:
    parsed = config.parse(data, path=path, explain=plugins.explain, installed=plugins.installed)
    if parsed.config is None:
        return _unheld(head, f"`{path}` of the base is invalid")
    combined = policy.combine(head, parsed.config)
    return Held(config=combined.config, policy="base", problems=combined.differences)


def _unread(head: Config, path: str, why: Unread) -> Held:
    """The headline says that it is so; a warning says why."""
    short = f"`{path}` of the base can't be read"
    warning = Problem(
        level=Level.WARNING,
        rule="config/base-unreadable",
        message=f"{short}, so that this change is held to its own policy: {why.reason}",
        path=path,
    )
    return replace(_unheld(head, short), problems=(warning,))


def _unheld(head: Config, reason: str) -> Held:
    return Held(config=head, note=f"policy of this change: {reason}")
