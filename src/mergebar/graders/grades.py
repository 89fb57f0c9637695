"""What a deterministic grader found in, its grade out."""

from collections.abc import Iterable, Sequence

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Basis, Grade, Remark
from mergebar.model.plans import Skip, Withholding
from mergebar.model.results import Outcome


def grade(
    findings: Iterable[str],
    *,
    fine: str,
    notices: Iterable[str | None] = (),
    quotes: bool = False,
    basis: Basis | None = None,
) -> Grade:
    """A pass with the reason `fine`, or a fail with what is wrong; the eval's severity decides."""
    wrong = tuple(findings)
    return Grade(
        outcome=Outcome.FAIL if wrong else Outcome.PASS,
        reason="; ".join(wrong) if wrong else fine,
        findings=tuple(Remark(message=one) for one in wrong),
        notices=tuple(one for one in notices if one is not None),
        quotes=quotes,
        basis=basis,
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
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def happened(done: str, number: int) -> str:
    """`was called twice`, `was never called`."""
    return f"was {done} {times(number)}" if number else f"was never {done}"


def bounds(number: int, *, least: int | None, most: int | None, what: str) -> Sequence[str]:
    """What is wrong with a count; `what` is the end of "3 …"."""
    if least is not None and number < least:
        return (f"{number:,} {what}, and at least {least:,} are wanted",)
    if most is not None and number > most:
        return (f"{number:,} {what}, and at most {most:,} are allowed",)
    return ()


def is_decided(number: int, *, least: int | None, most: int | None) -> bool:
    """Whether a count that may be larger than is known stays on its side of both bounds."""
    if most is not None:
        return number > most
    return number >= (1 if least is None else least)


def basis(*, decided: bool, nested: bool) -> Basis:
    """What was seen, if that decides; else the chains that were looked at."""
    if decided:
        return Basis.SEEN
    return Basis.BRANCHES if nested else Basis.CHAINS
