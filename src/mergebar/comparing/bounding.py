"""A check on two sides in; the options of its evaluator or grader that ask for less, out.

Only where the direction is certain: nothing else that is asked may differ.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mergebar import identity
from mergebar.catalogue import defaults, easing
from mergebar.catalogue.easing import Easing
from mergebar.catalogue.graders import Bound
from mergebar.comparing.wording import number
from mergebar.model.comparisons import Loosening
from mergebar.model.definitions import Measured
from mergebar.model.plans import CheckKind
from mergebar.model.reports import ReportCheck
from mergebar.model.text import Json, JsonObject
from mergebar.reading.sentences import counted

_UNSET = "unset"
_SHORT = 12
_LEAST = 1
"""`tool-usage` without `min` wants one call: as much as this is no floor to lose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way in which one check is held to less."""

    kind: Loosening
    what: str
    was: str
    now: str


def ways(base: ReportCheck, head: ReportCheck) -> Iterator[Way]:
    """A higher ceiling, a lower floor, fewer terms, or a value that lets more through."""
    old, new = base.measured, head.measured
    if old is None or new is None or old.prompt != new.prompt or old.options == new.options:
        return
    known, usual = _known(head)
    if _rest(old, known) != _rest(new, known):
        return
    for name in sorted({*old.options, *new.options}):
        said = _easier(name, old.options.get(name), new.options.get(name), known, usual.get(name))
        if said is not None:
            was, now = said
            what = f"`{name}` of `{head.name}`"
            yield Way(kind=Loosening.THRESHOLD, what=what, was=was, now=now)


def _known(check: ReportCheck) -> tuple[Easing, JsonObject]:
    """Which options have a direction, and what they are where nobody says it."""
    if check.kind == CheckKind.GRADER:
        return easing.GRADERS, {}
    return easing.of_evaluator(check.name), defaults.of_evaluator(check.name)


def _rest(measured: Measured, known: Easing) -> Mapping[str, Json]:
    """Reports of earlier versions have one digest for a bound or a list: it is among the rest."""
    return {
        name: value
        for name, value in measured.options.items()
        if name not in known.choices
        and not (name in known.bounds and isinstance(value, int | float))
        and not (name in known.terms and isinstance(value, list))
    }


def _easier(name: str, was: Json, now: Json, known: Easing, usual: Json) -> tuple[str, str] | None:
    if name in known.bounds:
        return _wider(known.bounds[name], _or_usual(was, usual), _or_usual(now, usual))
    if name in known.terms:
        return _fewer(was, now)
    return _milder(known.choices[name], was, now, usual) if name in known.choices else None


def _or_usual(value: Json, usual: Json) -> float | None:
    chosen = usual if value is None else value
    return chosen if isinstance(chosen, int | float) else None


def _wider(bound: Bound, was: float | None, now: float | None) -> tuple[str, str] | None:
    if was is None:
        return None
    if bound is Bound.CEILING:
        wider = now is None or now > was
    else:
        wider = was > _LEAST if now is None else now < was
    return (number(was), _UNSET if now is None else number(now)) if wider else None


def _fewer(was: Json, now: Json) -> tuple[str, str] | None:
    before, after = ({str(one) for one in some} for some in (_texts(was), _texts(now)))
    if not after < before:
        return None
    return counted(len(before), "text"), counted(len(after), "text") if after else _UNSET


def _texts(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _milder(
    choices: tuple[tuple[Json, ...], tuple[Json, ...]], was: Json, now: Json, usual: Json
) -> tuple[str, str] | None:
    strict, mild = ({_digest(value): value for value in some} for some in choices)
    before, after = (_digest(usual) if value is None else value for value in (was, now))
    if before not in strict or after not in mild:
        return None
    return _shown(strict[str(before)]), _shown(mild[str(after)])


def _shown(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else f"`{value}`"


def _digest(value: Json) -> str:
    return identity.digest(value)[:_SHORT]
