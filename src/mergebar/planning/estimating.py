"""Planned cases in; how many calls they take if nothing has to be asked twice out."""

from collections.abc import Iterable

from mergebar.model.configuration import Config
from mergebar.model.plans import Estimate, PlannedCase
from mergebar.planning.casting import is_judged
from mergebar.planning.declaring import votes

_REPLAY = "replay"


def estimate(cases: Iterable[PlannedCase], *, config: Config) -> Estimate:
    """Count calls: what is replayed takes none, and `confirm_failures` can't be foreseen."""
    live = {agent.name for agent in config.agents if agent.type != _REPLAY}
    put = [case for case in cases if case.skip is None]
    asked = config.judge if config.judge and config.judge.type != _REPLAY else None
    each = asked.runs if asked else 0
    return Estimate(
        agent_calls=sum(case.runs * len(case.case.turns) for case in put if case.agent in live)
        + len(_sessions(put)),
        judge_calls=sum(case.runs * each * _judged(case) for case in put)
        + (sum(_votes(case) for case in put) if asked else 0),
    )


def _sessions(cases: Iterable[PlannedCase]) -> set[tuple[int, str]]:
    """The sessions to run now: one serves all artifacts of its group."""
    found = (case.scenario for case in cases)
    return {(one.group, one.path) for one in found if one is not None and one.trace is None}


def _votes(case: PlannedCase) -> int:
    """How often the judge is asked about the evals of a session."""
    wanted = (check.declared for check in case.checks if check.skip is None)
    return sum(votes(declared) for declared in wanted if declared is not None)


def _judged(case: PlannedCase) -> int:
    return sum(
        1
        for check in case.checks
        if check.declared is None and check.skip is None and is_judged(check.evaluator)
    )
