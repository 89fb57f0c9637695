"""`cost`: what the whole session cost, as the trace itself states it. Nothing is ever priced."""

from collections.abc import Iterator

from mergebar.graders import gaps, grades, options
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Basis, Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability, Session, TokenUsage
from mergebar.reading.sentences import counted

_USD, _TOKENS = "maxUsd", "maxTokens"


def create() -> Grader:
    """The grader."""
    return Cost()


class Cost:
    """Holds each bound against what is known; exactly as much is still allowed."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """What one bound needs is asked for below: the other one may do without it."""
        del declared
        return Demands(whole=True)

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Both bounds, as far as they can be checked."""
        del means
        usd = options.amount(declared.options, _USD)
        tokens = options.amount(declared.options, _TOKENS)
        if usd is None and tokens is None:
            return grades.misdeclared(f"`cost` needs `{_USD}` or `{_TOKENS}`: add one")
        session = seen.session
        spent, used = _spent(session), _used(session)
        unchecked = [
            f"`{name}` couldn't be checked: {session.title} doesn't record {what.value}"
            for name, bound, known, what in (
                (_USD, usd, spent, Capability.COST),
                (_TOKENS, tokens, used, Capability.USAGE),
            )
            if bound is not None and known is None
        ]
        checked = (usd is not None and spent is not None) or (
            tokens is not None and used is not None
        )
        if not checked:
            return grades.withheld("; ".join(unchecked))
        wrong = [*_over_usd(spent, usd), *_over_tokens(used, tokens)]
        if tokens is not None and not wrong and not _is_whole(session.usage):
            what = "some replies came without figures"
            return grades.withheld(gaps.so_far(_fine(spent, used), what))
        return grades.grade(
            wrong,
            fine=_fine(spent, used),
            notices=[*unchecked, *_notices(session, of_tokens=tokens is not None)],
            basis=Basis.SEEN if wrong else _basis(session),
        )


def _basis(session: Session) -> Basis:
    """What the trace states itself holds for all that came before it."""
    stated = session.usage is not None and session.usage.stated
    return Basis.LAST if stated else Basis.MAIN


def _is_whole(usage: TokenUsage | None) -> bool:
    """Whether each reply of which the tokens were summed up has figures."""
    return usage is None or usage.complete or usage.stated


def _spent(session: Session) -> float | None:
    return session.usage.cost_usd if session.usage is not None else None


def _used(session: Session) -> int | None:
    usage = session.usage
    if usage is None or Capability.USAGE not in session.capabilities:
        return None
    return None if usage.stated and not usage.complete else usage.total


def _over_usd(spent: float | None, most: float | None) -> Iterator[str]:
    if spent is not None and most is not None and spent > most:
        yield f"the session cost ${spent:.4f}, and at most ${most:.4f} are allowed"


def _over_tokens(used: int | None, most: float | None) -> Iterator[str]:
    if used is not None and most is not None and used > most:
        yield (
            f"the session used {counted(used, 'token')} (input that wasn't cached, and "
            f"output), and at most {most:,.0f} are allowed"
        )


def _fine(spent: float | None, used: int | None) -> str:
    parts = [] if spent is None else [f"${spent:.4f}"]
    parts += [] if used is None else [f"{counted(used, 'token')} without the cache's"]
    return f"the session cost {' and '.join(parts)}"


def _notices(session: Session, *, of_tokens: bool) -> Iterator[str | None]:
    """A cost that the trace itself states is that of the whole run, whoever worked for it."""
    if session.usage is not None and not session.usage.complete:
        yield "some replies came without figures: the session cost more than is known"
    besides = session.subagent_usage
    stated = session.usage is not None and session.usage.stated
    if besides is not None and (of_tokens or not stated):
        yield f"tokens of sub-agents aren't counted; they used {_besides(besides)}"


def _besides(usage: TokenUsage) -> str:
    cost = "" if usage.cost_usd is None else f" and cost ${usage.cost_usd:.4f}"
    return f"{counted(usage.total, 'token')}{cost}"
