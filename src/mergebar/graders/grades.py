"""What a deterministic grader found in, its grade out."""

from collections.abc import Iterable, Sequence

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Grade, Remark
from mergebar.model.plans import Skip, Withholding
from mergebar.model.results import Outcome


def grade(
    findings: Iterable[str],
    *,
    fine: str,
    notices: Iterable[str | None] = (),
    quotes: bool = False,
) -> Grade:
    """A pass with the reason `fine`, or a fail with what is wrong; the eval's severity decides."""
    wrong = tuple(findings)
    return Grade(
        outcome=Outcome.FAIL if wrong else Outcome.PASS,
        reason="; ".join(wrong) if wrong else fine,
        findings=tuple(Remark(message=one) for one in wrong),
        notices=tuple(one for one in notices if one is not None),
        quotes=quotes,
    )


def withheld(reason: str) -> Withholding:
    """Something is missing."""
    return Withholding(kind=Skip.WITHHELD, reason=reason)


def declined(reason: str) -> Withholding:
    """Its author doesn't want it here."""
    return Withholding(kind=Skip.DECLINED, reason=reason)


def misdeclared(message: str) -> Failure:
    """The declaration is at fault."""
    return Failure(error_class=ErrorClass.CONFIG, message=message)


def times(number: int) -> str:
    """`once`, `twice`, `3 times`, `never`."""
    return ("never", "once", "twice")[number] if number < 3 else f"{number:,} times"  # noqa: PLR2004 - words end


def bounds(number: int, *, least: int | None, most: int | None, what: str) -> Sequence[str]:
    """What is wrong with a count; `what` is the end of "3 …"."""
    if least is not None and number < least:
        return (f"{number:,} {what}, and at least {least:,} are wanted",)
    if most is not None and number > most:
        return (f"{number:,} {what}, and at most {most:,} are allowed",)
    return ()
