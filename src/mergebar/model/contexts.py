"""What an adapter gets besides its configuration: where it stands, and every effect that it has."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mergebar.model.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Time and chance. `clock` only ever grows; `now` is seconds since 1970; `random` is in [0, 1).

    All are in seconds. `calling.REAL` is the real one.
    """

    sleep: Callable[[float], Awaitable[object]]
    random: Callable[[], float]
    clock: Callable[[], float]
    now: Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentContext:
    """Where an agent adapter works: `root` is the working directory, `environ` the environment.

    `redact` takes secrets out of a text: what is quoted in part is redacted before it is cut.
    `limits` are shared with everyone else who is called in this run; `None` for one of its own.
    """

    root: Path
    environ: Mapping[str, str]
    timing: Timing
    redact: Callable[[str], str] = str
    limits: Limits | None = None


def _unheard(line: str) -> None:
    del line


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeContext:
    """Where a judge provider works: `root` is the working directory.

    `tell` writes a line into the log of the run, for whoever looks there. `limits` are as above.
    """

    root: Path
    environ: Mapping[str, str]
    timing: Timing
    tell: Callable[[str], None] = _unheard
    limits: Limits | None = None
