"""What the stages are given, and what they give back."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from mergebar import comparing, running
from mergebar.journal import Journal
from mergebar.model.changes import Changes
from mergebar.model.comparisons import Baseline
from mergebar.model.configuration import AgentConfig, Config, JudgeConfig
from mergebar.model.conversations import Agent
from mergebar.model.evaluations import Evaluator
from mergebar.model.judgements import Judge
from mergebar.model.plans import Plan
from mergebar.model.problems import Problem
from mergebar.model.reports import Report, ReportRunInfo, ReportWarning
from mergebar.planning import Declaring, PlanOptions
from mergebar.reading.schema_faults import Explain
from mergebar.reviews import Review
from mergebar.untrusted.redaction import Redactor

Read: TypeAlias = Callable[[str], "bytes | Problem | None"]
"""A repository-relative path in; the file's bytes there, `None` where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A commit that this tree is held against: what changed since, and what was there.

    `read` is `None`, and `config` too, where the commit or its configuration isn't known.
    `artifacts` are those of this tree, with what they were.
    """

    changes: Changes
    read: Read | None = None
    config: Config | None = None
    artifacts: tuple[Declaring, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The baseline. `since` is its commit, `None` where that is the base of the change itself.

    Unless it `excuses`, it is of another history, and what failed there needn't have failed here.
    """

    report: Report
    baseline: Baseline
    since: Origin | None = None
    excuses: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a run is about. `paths` are repository-relative documents.

    `base` is the base of the change, `compared` the baseline if there is one, `branch` what people
    call it. `problems` are of no suite. `run` is what the report states of the run itself, with
    the times still empty; `note` goes into the headline, `remarks` into the comparison.
    `reviews` are people's verdicts that count here.
    """

    config: Config
    paths: tuple[str, ...]
    base: Origin
    options: PlanOptions
    run: ReportRunInfo
    compared: Compared | None = None
    policies: comparing.Policies | None = None
    branch: str = "the base"
    note: str | None = None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[ReportWarning, ...] = ()
    remarks: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What the stages may touch. Adapters are made only for what the plan really needs.

    `pulse` returns whenever it is time to say how far the run is. `journal` opens that of a plan.
    """

    read: Callable[[str], bytes | Problem]
    explain: Explain
    agent: Callable[[AgentConfig | None], Agent]
    judge: Callable[[JudgeConfig], Judge]
    evaluator: Callable[[str], Evaluator]
    sessions: Callable[[], running.Sessions]
    clock: Callable[[], float]
    now: Callable[[], datetime]
    redactor: Redactor = field(default_factory=Redactor)
    progress: Callable[[running.Progress], None] | None = None
    pulse: Callable[[], Awaitable[object]] | None = None
    journal: Callable[[Plan], Journal | None] = lambda _plan: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A report, and each measured document with its results, by the name of its file.

    The journal is still open: it goes when the report is safe.
    """

    report: Report
    documents: Mapping[str, bytes]
    journal: Journal | None = None
