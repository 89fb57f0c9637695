"""How a plan is run, and what is said while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from mergebar.model.configuration import BudgetConfig, Config
from mergebar.untrusted.redaction import Redactor

_REPLAY = "replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Bounds and repeats. The agent named `None` scores again what documents carry.

    `concurrency` is how many cases each agent gets at once, 1 where nothing is said.
    `judge_runs` are the votes on a check, `confirm_failures` further ones before it fails.
    `replayed` names the agents whose answers are recorded; `judge_replayed` likewise.
    `sessions` is how many sessions each artifact group may run at once. Without `budget` there is
    no bound on calls and minutes. `redactor` takes secrets out of what is said of an answer.
    """

    concurrency: Mapping[str | None, int] = field(default_factory=dict)
    judge_concurrency: int = 8
    judge_runs: int = 1
    confirm_failures: int = 0
    replayed: frozenset[str | None] = frozenset()
    judge_replayed: bool = False
    sessions: tuple[int, ...] = ()
    budget: BudgetConfig | None = None
    redactor: Redactor = field(default_factory=Redactor)

    @classmethod
    def of(cls, config: Config) -> "RunOptions":
        """The options that a configuration implies."""
        judge = config.judge
        replayed = {agent.name for agent in config.agents if agent.type == _REPLAY}
        concurrency: dict[str | None, int] = {
            agent.name: agent.concurrency for agent in config.agents
        }
        sessions = tuple(
            group.sessions.concurrency if group.sessions else 1 for group in config.artifacts
        )
        if judge is None:
            return cls(
                concurrency=concurrency,
                replayed=frozenset({None, *replayed}),
                sessions=sessions,
                budget=config.budget,
            )
        return cls(
            concurrency=concurrency,
            sessions=sessions,
            judge_concurrency=judge.concurrency,
            judge_runs=judge.runs,
            confirm_failures=judge.confirm_failures,
            replayed=frozenset({None, *replayed}),
            judge_replayed=judge.type == _REPLAY,
            budget=config.budget,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteProgress:
    """A suite of which everything was put down just now."""

    path: str
    done: int
    failed: int
    errors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run has come, counted in runs of checks; skipped ones are in neither number.

    `before` of them were measured by the run that this one goes on with. `running` are calls that
    are waited for, `throttled` the replies so far that said to slow down. `finished` is the suite
    that is done with this step. `beat`: nothing happened, but it's time to say so.
    """

    done: int
    total: int
    failed: int
    errors: int
    before: int = 0
    running: int = 0
    throttled: int = 0
    finished: SuiteProgress | None = None
    beat: bool = False
