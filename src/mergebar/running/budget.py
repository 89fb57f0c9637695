"""What a run may take in; a claim before each call, and the failure of what is left, out."""

from collections.abc import Iterator

from mergebar.model.configuration import BudgetConfig
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.plans import Estimate
from mergebar.reading.sentences import counted

MINUTES = "budget.minutes"


class Allowance:
    """Calls of one kind. What is claimed counts as made; `None` as limit is no limit."""

    __slots__ = ("_claimed", "_key", "_limit", "_noun")

    def __init__(self, noun: str, key: str, limit: int | None) -> None:
        self._noun = noun
        self._key = key
        self._limit = limit
        self._claimed = 0

    def claim(self, calls: int) -> Failure | None:
        """Take so many calls together, or none of them."""
        if self._limit is not None and self._claimed + calls > self._limit:
            return _spent(
                f"the budget of {counted(self._limit, self._noun)} (`{self._key}`) is used up"
            )
        self._claimed += calls
        return None

    def made_before(self, calls: int) -> None:
        """Calls of the run that this one goes on with."""
        self._claimed += calls


def agents(budget: BudgetConfig | None) -> Allowance:
    """The calls of all agents together; sessions that are run are among them."""
    limit = None if budget is None else budget.agent_calls
    return Allowance("agent call", "budget.agent_calls", limit)


def judge(budget: BudgetConfig | None) -> Allowance:
    """The calls of the judge."""
    limit = None if budget is None else budget.judge_calls
    return Allowance("judge call", "budget.judge_calls", limit)


def out_of_time(budget: BudgetConfig) -> Failure:
    """What becomes of all that the minutes didn't suffice for."""
    minutes = f"{budget.minutes:g} minute{'' if budget.minutes == 1 else 's'}"
    return _spent(f"the budget of {minutes} (`{MINUTES}`) is used up")


def exceeded(estimate: Estimate, budget: BudgetConfig) -> tuple[str, ...]:
    """By how much a plan takes more than it may; empty where it fits."""
    return tuple(
        f"the plan takes {counted(calls, noun)}, "
        f"{calls - limit:,} more than `{key}: {limit}` allows"
        for noun, key, calls, limit in _amounts(estimate, budget)
        if calls > limit
    )


def refusal(estimate: Estimate, budget: BudgetConfig) -> Failure | None:
    """The failure of every check of a plan that takes too much; `None` where it fits."""
    over = exceeded(estimate, budget)
    if not over:
        return None
    return _spent(f"{'; '.join(over)}: raise the budget, or run fewer suites, tags or runs")


def _amounts(estimate: Estimate, budget: BudgetConfig) -> Iterator[tuple[str, str, int, int]]:
    yield "agent call", "budget.agent_calls", estimate.agent_calls, budget.agent_calls
    yield "judge call", "budget.judge_calls", estimate.judge_calls, budget.judge_calls


def _spent(message: str) -> Failure:
    return Failure(error_class=ErrorClass.BUDGET, message=message)
