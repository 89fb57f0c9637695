"""A commit in; what this tree changes since it, and what was there, out."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from mergebar import config, plugins
from mergebar.commands.bases.base_files import Base
from mergebar.commands.bases.policies import Unread
from mergebar.commands.bases.remote import Remote
from mergebar.commands.watching import own_output
from mergebar.commands.workspace import Place
from mergebar.config import locating
from mergebar.edge import changes
from mergebar.edge.events import Event
from mergebar.edge.git import Git
from mergebar.model.changes import Changes
from mergebar.model.configuration import Config
from mergebar.model.problems import Level, Problem
from mergebar.pipeline import Origin
from mergebar.planning import Declaring

_SHOWN = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What an origin is looked at with. `name` is the configuration that was asked for.

    `effective` is what else the command line makes of a configuration, and `declare` finds the
    artifacts with what they were.
    """

    place: Place
    event: Event
    git: Git
    remote: Remote
    name: str | None
    output: str
    effective: Callable[[Config], Config]
    declare: Callable[[Changes, Base], tuple[Declaring, ...]]


def at(base: Base, found: Changes, setting: Setting, artifacts: tuple[Declaring, ...]) -> Origin:
    """The base of a change, whose changes and artifacts are known."""
    return Origin(
        changes=found,
        read=None if base.commit is None else reader(base),
        config=configuration(base, found, setting),
        artifacts=artifacts,
    )


def since(base: Base, setting: Setting) -> Origin:
    """Another commit, for which that has to be found out."""
    found = _changes(base.commit, setting)
    return at(base, found, setting, setting.declare(found, base))


def reader(base: Base) -> Callable[[str], bytes | Problem | None]:
    """Reads files as of the commit."""

    def read(path: str) -> bytes | Problem | None:
        if base.commit is None:
            return None
        data = base.file(base.commit, path)
        if not isinstance(data, Unread):
            return data
        message = f"`{path}` of `{base.commit[:_SHOWN]}` can't be read: {data.reason}"
        return Problem(level=Level.NOTICE, rule="config/base", message=message, path=path)

    return read


def is_untouched(found: Changes, setting: Setting) -> bool:
    """Whether no configuration is among what changed; not where that isn't known."""
    touched = {name for one in found.files for name in (one.path, one.old_path)}
    return not found.everything and touched.isdisjoint(_paths(setting))


def _paths(setting: Setting) -> list[str]:
    named = [setting.name] if setting.name else locating.PLACES
    return [setting.place.reported(path) for path in named]


def configuration(base: Base, found: Changes, setting: Setting) -> Config | None:
    """The configuration as of the commit, where it changed since; `None` where it can't be known.

    A base without one had the defaults.
    """
    if base.commit is None or is_untouched(found, setting):
        return None
    paths = _paths(setting)
    read = reader(base)
    for path in paths:
        data = read(path)
        if isinstance(data, Problem):
            return None
        if data is not None:
            parsed = config.parse(
                data, path=path, explain=plugins.explain, installed=plugins.installed
            )
            return None if parsed.config is None else setting.effective(parsed.config)
    return setting.effective(config.default())


def _changes(commit: str | None, setting: Setting) -> Changes:
    if commit is None:
        return Changes(everything=True, reason="the baseline doesn't say which commit it is of")
    preferred: tuple[changes.Strategy, ...] = ()
    tested = setting.event.tested
    if setting.remote.strategies is not None and tested is not None:
        asked = replace(setting.event, pull_request=None, base=commit, head=tested)
        preferred = setting.remote.strategies(asked)
    answer = changes.since(commit, setting.git, setting.event, fallback=preferred)
    if isinstance(answer, changes.Miss):
        reason = f"can't tell what changed since the baseline's `{commit[:_SHOWN]}`"
        return Changes(everything=True, reason=f"{reason}: {answer.reason}")
    return own_output.excluded(answer.changes, setting.place, output=setting.output)
