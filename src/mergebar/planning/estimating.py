"""Planned cases in; how many calls they take if nothing has to be asked twice out."""

from collections.abc import Iterable

from mergebar.model.configuration import Config
from mergebar.model.plans import Estimate, PlannedCase
from mergebar.planning.casting import is_judged

_REPLAY = "replay"


def estimate(cases: Iterable[PlannedCase], *, config: Config) -> Estimate:
    """Count calls: what is replayed takes none, and `confirm_failures` can't be foreseen."""
    live = {agent.name for agent in config.agents if agent.type != _REPLAY}
    votes = config.judge.runs if config.judge and config.judge.type != _REPLAY else 0
    put = [case for case in cases if case.skip is None]
    return Estimate(
        agent_calls=sum(case.runs * len(case.case.turns) for case in put if case.agent in live),
        judge_calls=sum(case.runs * votes * _judged(case) for case in put),
    )


def _judged(case: PlannedCase) -> int:
    return sum(1 for check in case.checks if check.skip is None and is_judged(check.evaluator))
