"""A grader that a package brings in; the same one, whose faults are failures of its evals, out."""

from dataclasses import dataclass
from typing import cast

from mergebar.calling import guarding
from mergebar.calling.guarding import Raised
from mergebar.errors import RAISED_BY_PACKAGES
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding

_METHODS = ("demands", "grade")


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
        if isinstance(found, Grade | Failure | Withholding):
            return found
        return self._other("grade", found)

    def _other(self, method: str, found: object) -> Failure:
        return _failure(self.name, f"gave back a `{type(found).__name__}` from `{method}`")


def _failure(name: str, what: str, error_class: ErrorClass = ErrorClass.EVALUATOR) -> Failure:
    message = f"the installed grader `{name}` {what}: repair or uninstall its package"
    return Failure(error_class=error_class, message=message)
