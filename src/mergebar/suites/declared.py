"""Extensions of a document, thread, item or turn in, what they declare for mergebar out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from mergebar.model.bounds import MOST_WEIGHT
from mergebar.model.documents import Declared, Severity
from mergebar.model.text import Json
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import quoted
from mergebar.suites import misspelt
from mergebar.suites.findings import Finding, Pointer, error, warning

NAMESPACE = "io.github.mergebar"
RULE = "document/extension"
MAX_RUNS = 100

NOTHING = Declared()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    accepts: Callable[[Json], bool]
    wanted: str


def _is_name(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_weight(value: Json) -> bool:
    # Zero is refused as in artifact evals: a check without weight would be a silent skip.
    # The upper bound is compared as written: a huge whole number cannot become a float.
    return _is_number(value) and 0 < value <= MOST_WEIGHT


def _is_runs(value: Json) -> bool:
    return _is_number(value) and value in range(1, MAX_RUNS + 1)


def _is_number(value: Json) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_severity(value: Json) -> bool:
    return isinstance(value, str) and value in set(Severity)


_SETTINGS: Mapping[str, _Setting] = {
    "id": _Setting(accepts=_is_name, wanted="a string that is not blank"),
    "severity": _Setting(accepts=_is_severity, wanted="`error`, `warning` or `notice`"),
    "weight": _Setting(accepts=_is_weight, wanted=f"a number above 0 and at most {MOST_WEIGHT:,}"),
    "runs": _Setting(accepts=_is_runs, wanted=f"a whole number from 1 to {MAX_RUNS}"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where something is declared: `name` for messages, and what has no meaning there, and why.

    `written` are keys that a run wrote into a document with results: nobody declares them.
    """

    name: str
    written: frozenset[str] = frozenset()
    useless: Mapping[str, str] = field(default_factory=dict)


DOCUMENT = Scope(
    name="metadata.extensions",
    written=frozenset({"runner"}),
    useless={"id": "an id names one case: declare it in the item's own `extensions`"},
)
CASE = Scope(name="extensions")
TURN = Scope(
    name="extensions",
    useless={
        "id": "an id names a whole case: declare it in the thread's `extensions`",
        "runs": "a thread is put as a whole: declare `runs` in the thread's `extensions`",
    },
)


def read(extensions: Json, *, scope: Scope, above: Declared) -> Declared:
    """What is declared here and makes sense; what isn't, `above` says."""
    own = extensions.get(NAMESPACE) if isinstance(extensions, dict) else None
    if not isinstance(own, dict):
        return above
    said = {
        name: value
        for name, value in own.items()
        if name in _SETTINGS and name not in scope.useless and _SETTINGS[name].accepts(value)
    }
    return _merge(said, above)


def check(extensions: Json, pointer: Pointer, *, scope: Scope, found: list[Finding]) -> None:
    """What can't be read, and what means nothing here."""
    if not isinstance(extensions, dict):
        return
    found.extend(
        misspelt.of_extensions(extensions, pointer, namespace=NAMESPACE, settings=_SETTINGS)
    )
    if NAMESPACE not in extensions:
        return
    place = (*pointer, NAMESPACE)
    own = extensions[NAMESPACE]
    if not isinstance(own, dict):
        message = f"`{NAMESPACE}` must be an object with {_listed()}"
        found.append(error(RULE, message, place))
        return
    for name, value in own.items():
        finding = _fault(name, value, (*place, name), scope)
        if finding is not None:
            found.append(finding)


def _fault(name: str, value: Json, place: Pointer, scope: Scope) -> Finding | None:
    setting = _SETTINGS.get(name)
    if name in scope.written:
        return None
    if setting is None:
        near = nearest(name, _SETTINGS)
        hint = f"did you mean `{near}`?" if near else f"known are {_listed()}"
        message = f"`{NAMESPACE}` has no key {quoted(name)}: {hint}"
        return error(RULE, message, place, on_key=True)
    if not setting.accepts(value):
        return error(RULE, f"`{name}` of `{NAMESPACE}` must be {setting.wanted}", place)
    if name in scope.useless:
        message = f"`{name}` means nothing here: {scope.useless[name]}"
        return warning(RULE, message, place, on_key=True)
    return None


def _merge(said: Mapping[str, Json], above: Declared) -> Declared:
    name, severity = said.get("id"), said.get("severity")
    weight, runs = said.get("weight"), said.get("runs")
    return Declared(
        id=name if isinstance(name, str) else above.id,
        severity=Severity(severity) if isinstance(severity, str) else above.severity,
        weight=float(weight) if isinstance(weight, int | float) else above.weight,
        runs=int(runs) if isinstance(runs, int | float) else above.runs,
    )


def _listed() -> str:
    names = [f"`{name}`" for name in _SETTINGS]
    return ", ".join(names[:-1]) + " and " + names[-1]
