"""A grader that a package brings in; the same one, whose faults are failures of its evals, out."""

import json
from dataclasses import dataclass
from types import UnionType
from typing import cast

from mergebar.calling import guarding
from mergebar.calling.guarding import Raised
from mergebar.errors import RAISED_BY_PACKAGES
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Basis, Demands, Grade, Grader, Means, Remark, Seen
from mergebar.model.judgements import Opinion
from mergebar.model.plans import Skip, Withholding
from mergebar.model.results import Outcome

_METHODS = ("demands", "grade")
_UNSOUND = "gave back a result that is none: a field of it isn't of its kind"
_GRADED = frozenset({Outcome.PASS, Outcome.FAIL, Outcome.NEEDS_REVIEW})


def guard(name: str, made: object) -> Grader | Failure:
    """Whether it is a grader at all is seen at once, and not while a session is open."""
    lacking = [each for each in _METHODS if not callable(getattr(made, each, None))]
    if lacking:
        named = " and ".join(f"`{each}`" for each in lacking)
        return _failure(name, f"has no {named}, as a `Grader` must", ErrorClass.CONFIG)
    return Guarded(name=name, grader=cast("Grader", made))


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """Somebody else's code, in our process: it may raise anything, and give back anything."""

    name: str
    grader: Grader

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """One that can't say what it needs is asked nevertheless, and fails then."""
        try:
            found: object = self.grader.demands(declared)
        except RAISED_BY_PACKAGES:
            return Demands()
        return found if isinstance(found, Demands) else Demands()

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """A fault of the package is none of the session."""
        try:
            demanded: object = self.grader.demands(declared)
            if not isinstance(demanded, Demands):
                return self._other("demands", demanded)
        except RAISED_BY_PACKAGES as error:
            return _failure(self.name, f"failed: {type(error).__name__}: {error}")
        found = await guarding.awaited(
            lambda: self.grader.grade(declared, seen, means=means), timeout_s=None
        )
        if isinstance(found, Raised):
            return _failure(self.name, f"failed: {found.words}")
        if not isinstance(found, Grade | Failure | Withholding):
            return self._other("grade", found)
        return found if _is_sound(found) else _failure(self.name, _UNSOUND)

    def _other(self, method: str, found: object) -> Failure:
        return _failure(self.name, f"gave back a `{type(found).__name__}` from `{method}`")


def _is_sound(found: Grade | Failure | Withholding) -> bool:
    """What a dataclass promises, Python doesn't hold anybody to."""
    if isinstance(found, Failure):
        return found.is_sound
    if isinstance(found, Withholding):
        return _are(Skip, found.kind) and _are(str, found.reason)
    waits = found.outcome is Outcome.NEEDS_REVIEW
    return (
        any(found.outcome is one for one in _GRADED)
        and _are(str, found.reason, found.look, *_each(found.notices))
        and _are(Remark, *_each(found.findings))
        and _are(str, *(one.message for one in found.findings))
        and _are(Opinion | Failure, *_each(found.opinions))
        and (_are(str, found.review) if waits else found.review is None)
        and (found.basis is None or _are(Basis, found.basis))
        and _can_be_written(found.record)
    )


def _are(kind: type | UnionType, *values: object) -> bool:
    return all(isinstance(value, kind) for value in values)


def _each(values: object) -> tuple[object, ...]:
    """What isn't a tuple is one thing of the wrong kind."""
    return values if isinstance(values, tuple) else (None,)


def _can_be_written(record: object) -> bool:
    try:
        json.dumps(record, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return isinstance(record, dict)


def _failure(name: str, what: str, error_class: ErrorClass = ErrorClass.EVALUATOR) -> Failure:
    message = f"the installed grader `{name}` {what}: repair or uninstall its package"
    return Failure(error_class=error_class, message=message)
