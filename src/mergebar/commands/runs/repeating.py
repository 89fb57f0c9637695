"""What was asked for and on what occasion in; the words that ask the same at a shell out."""

from collections.abc import Iterator

from mergebar.commands.runs.invocations import Invocation, Surroundings
from mergebar.edge.changes import Found
from mergebar.model.changes import Scope
from mergebar.model.reports import ReportCommand


def command(invocation: Invocation, around: Surroundings, found: Found) -> ReportCommand:
    """On a command line as it was typed; elsewhere with the commit that the event was about."""
    words = list(_options(invocation))
    if around.event.name is None:
        words = [*_changed(invocation), *words, *_typed(invocation)]
    else:
        words = [*_changed(invocation), *words, *_happened(found)]
    return ReportCommand(
        folder=around.place.prefix,
        options=tuple(words),
        paths=invocation.paths,
    )


def _options(invocation: Invocation) -> Iterator[str]:
    """Each that changes what is measured, or with what it is compared."""
    values = (
        ("--config", invocation.config),
        ("--agent", invocation.agent),
        *(("--tag", tag) for tag in invocation.tags),
        ("--runs", None if invocation.runs is None else str(invocation.runs)),
        ("--baseline", invocation.baseline),
    )
    for name, value in values:
        if value is not None:
            # A value that looks like an option has to be tied to its own.
            yield from (f"{name}={value}",) if value.startswith("-") else (name, value)
    flags = (
        ("--no-judge", not invocation.judge),
        ("--replay", invocation.replay),
        ("--no-cache", not invocation.cache),
    )
    yield from (name for name, is_set in flags if is_set)


def _changed(invocation: Invocation) -> Iterator[str]:
    """First, because it takes all words up to the next option."""
    if invocation.changed is not None:
        yield "--changed"
        yield from (f"./{path}" if path.startswith("-") else path for path in invocation.changed)


def _typed(invocation: Invocation) -> Iterator[str]:
    if invocation.base is not None:
        yield from ("--base", invocation.base)
    if invocation.scope is not Scope.AUTO:
        yield f"--{invocation.scope}"
    elif invocation.paths and invocation.changed is not None:
        yield "--all"


def _happened(found: Found) -> Iterator[str]:
    if found.base is not None:
        yield from ("--base", found.base)
    if found.changes.everything:
        yield "--all"
