"""Planned cases in; how many calls they take if nothing has to be asked twice out."""

from collections.abc import Iterable

from mergebar.model.configuration import Config
from mergebar.model.plans import Estimate, PlannedCase
from mergebar.planning.declaring import votes
from mergebar.planning.document_cases import is_judged

_REPLAY = "replay"


def estimate(cases: Iterable[PlannedCase], *, config: Config) -> Estimate:
    """Count calls: what is replayed takes none, and `confirm_failures` can't be foreseen."""
    live = {agent.name for agent in config.agents if agent.type != _REPLAY}
    put = [case for case in cases if case.skip is None]
    asked = config.judge if config.judge and config.judge.type != _REPLAY else None
    each = asked.runs if asked else 0
    return Estimate(
        agent_calls=sum(case.runs * len(case.case.turns) for case in put if case.agent in live)
        + sum(_sessions(put).values()),
        judge_calls=sum(case.runs * each * _judged(case) for case in put)
        + (sum(case.runs * _votes(case) for case in put) if asked else 0),
    )


def _sessions(cases: Iterable[PlannedCase]) -> dict[tuple[int, str], int]:
    """How often each session is run now: one serves all artifacts of its group."""
    return {
        (case.scenario.group, case.scenario.path): case.runs
        for case in cases
        if case.scenario is not None and case.scenario.trace is None
    }


def _votes(case: PlannedCase) -> int:
    """How often the judge is asked about the evals of one session."""
    wanted = (check.declared for check in case.checks if check.skip is None)
    return sum(votes(declared) for declared in wanted if declared is not None)


def _judged(case: PlannedCase) -> int:
    return sum(
        1
        for check in case.checks
        if check.declared is None and check.skip is None and is_judged(check.evaluator)
    )
