"""Values for tests, small and typed: each builder fills in what the test at hand doesn't care for."""

from collections.abc import Sequence

from mergebar.model.configuration import (
    AgentConfig,
    Config,
    DocumentGroup,
    GatePolicy,
    JudgeConfig,
    Match,
    Rule,
)
from mergebar.model.conversations import Answer, ErrorClass, Failure
from mergebar.model.documents import (
    Case,
    CaseKind,
    Declared,
    Document,
    EvaluatorUse,
    Origin,
    Severity,
    Turn,
)
from mergebar.model.plans import (
    CheckKind,
    Estimate,
    Plan,
    PlannedCase,
    PlannedCheck,
    PlannedSuite,
    Skip,
    SuiteKind,
    Withholding,
)
from mergebar.model.problems import Level, Location, Problem
from mergebar.model.results import (
    CallCounts,
    CheckResult,
    Conversation,
    Outcome,
    Results,
    RunResult,
)
from mergebar.model.text import JsonObject

PATH = "evals/a.json"


def location(path: str = PATH, line: int | None = 1) -> Location:
    return Location(path=path, line=line, column=1 if line else None)


def problem(
    message: str = "it is broken",
    *,
    level: Level = Level.ERROR,
    rule: str = "schema/required",
    path: str | None = PATH,
    line: int | None = 3,
) -> Problem:
    return Problem(level=level, rule=rule, message=message, path=path, line=line, column=1)


# --- documents


def use(
    name: str = "ExactMatch",
    *,
    threshold: float | None = None,
    options: JsonObject | None = None,
    path: str = PATH,
) -> EvaluatorUse:
    """An evaluator on a turn."""
    return EvaluatorUse(
        name=name,
        options=options or {},
        threshold=threshold,
        origin=Origin.ITEM,
        location=location(path, 7),
    )


def turn(
    prompt: str = "How do I reset it?",
    *,
    index: int = 0,
    evaluators: Sequence[str | EvaluatorUse] = ("ExactMatch",),
    expected: str | None = "Hold the button.",
    context: str | None = None,
    declared: Declared | None = None,
    tags: Sequence[str] = (),
    stored: str | None = None,
    path: str = PATH,
) -> Turn:
    """A turn; `stored` is the text of an answer that the document itself carries."""
    return Turn(
        index=index,
        prompt=prompt,
        expected_response=expected,
        context=context,
        evaluators=tuple(
            use(one, path=path) if isinstance(one, str) else one for one in evaluators
        ),
        declared=declared or Declared(),
        tags=tuple(tags),
        stored=None if stored is None else Answer(response=stored),
        location=location(path, 5),
    )


def case(
    key: str = "reset", *turns: Turn, index: int = 0, runs: int | None = None, path: str = PATH
) -> Case:
    """A case of the given turns, by default a single one; two or more make a thread."""
    given = turns or (turn(path=path),)
    return Case(
        key=key,
        label=key,
        kind=CaseKind.SINGLE if len(given) == 1 else CaseKind.THREAD,
        index=index,
        turns=given,
        runs=runs,
        location=location(path, 4),
    )


def document(path: str = PATH, *cases: Case, problems: Sequence[Problem] = ()) -> Document:
    """A valid document of the given cases, by default one."""
    given = cases or (case(path=path),)
    return Document(
        path=path, version="1.7.0", cases=given, source={"items": []}, problems=tuple(problems)
    )


# --- configuration


def agent_config(
    name: str = "support",
    type: str = "command",  # noqa: A002 - the key's own name
    *,
    sources: Sequence[str] | None = ("prompts/**",),
    options: JsonObject | None = None,
    concurrency: int = 4,
) -> AgentConfig:
    return AgentConfig(
        name=name,
        type=type,
        sources=None if sources is None else tuple(sources),
        concurrency=concurrency,
        timeout_s=30,
        attempts=1,
        output_limit=1_000_000,
        cache=False,
        options={"command": ["python3", "agent.py"]} if options is None else options,
        location=location("mergebar.yml", 3),
    )


def judge_config(
    type: str = "openai",  # noqa: A002 - the key's own name
    *,
    runs: int = 1,
    confirm_failures: int = 0,
    options: JsonObject | None = None,
) -> JudgeConfig:
    return JudgeConfig(
        type=type,
        model="gpt-5-mini",
        runs=runs,
        confirm_failures=confirm_failures,
        concurrency=8,
        timeout_s=30,
        attempts=1,
        options=options or {},
        location=location("mergebar.yml", 10),
    )


def group(
    *paths: str,
    agent: str | None = "support",
    runs: int = 1,
    min_pass_rate: float | None = None,
    implied: bool = False,
) -> DocumentGroup:
    return DocumentGroup(
        paths=paths or ("evals/**/*.json",),
        agent=agent,
        runs=runs,
        min_pass_rate=min_pass_rate,
        location=location("mergebar.yml", 20),
        implied=implied,
    )


def rule(
    match: Match | None = None,
    *,
    severity: Severity | None = None,
    weight: float | None = None,
    must_pass: bool = False,
    enforce: bool = False,
) -> Rule:
    return Rule(
        match=match or Match(),
        severity=severity,
        weight=weight,
        must_pass=must_pass,
        enforce=enforce,
        location=location("mergebar.yml", 30),
    )


def config(
    *,
    agents: Sequence[AgentConfig] | None = None,
    judge: JudgeConfig | None = None,
    documents: Sequence[DocumentGroup] | None = None,
    rules: Sequence[Rule] = (),
    gate: GatePolicy | None = None,
    path: str | None = "mergebar.yml",
    repository_code: bool = True,
) -> Config:
    """A configuration with one command agent and one group, unless said otherwise."""
    return Config(
        path=path,
        digest="0" * 64,
        agents=(agent_config(),) if agents is None else tuple(agents),
        judge=judge,
        documents=(group(),) if documents is None else tuple(documents),
        rules=tuple(rules),
        gate=gate or GatePolicy(),
        repository_code=repository_code,
    )


# --- plans


def check(
    name: str = "ExactMatch",
    *,
    suite: str = PATH,
    case: str = "reset",
    turn: int = 0,
    agent: str | None = "support",
    severity: Severity = Severity.ERROR,
    weight: float = 1,
    must_pass: bool = False,
    gating: bool | None = None,
    group: int | None = 0,
    threshold: float | None = None,
    options: JsonObject | None = None,
    skip: Withholding | None = None,
) -> PlannedCheck:
    """A planned check; it gates when its severity is error, unless said otherwise."""
    return PlannedCheck(
        id=f"{suite}::{case}::{turn}::{name}",
        suite=suite,
        case=case,
        turn=turn,
        name=name,
        kind=CheckKind.EVALUATOR,
        agent=agent,
        evaluator=use(name, threshold=threshold, options=options, path=suite),
        severity=severity,
        weight=weight,
        must_pass=must_pass,
        gating=must_pass or severity is Severity.ERROR if gating is None else gating,
        group=group,
        definition="0" * 64,
        location=location(suite, 7),
        skip=skip,
    )


def planned_case(
    of: Case | None = None,
    *checks: PlannedCheck,
    suite: str = PATH,
    agent: str | None = "support",
    runs: int = 1,
    skip: Withholding | None = None,
) -> PlannedCase:
    """A case with the given checks, by default one for each evaluator of each of its turns."""
    given = of or case(path=suite)
    return PlannedCase(
        suite=suite,
        case=given,
        agent=agent,
        runs=runs,
        checks=checks or _checks_of(given, suite=suite, agent=agent),
        skip=skip,
    )


def _checks_of(of: Case, *, suite: str, agent: str | None) -> tuple[PlannedCheck, ...]:
    return tuple(
        check(
            one.name,
            suite=suite,
            case=of.key,
            turn=each.index,
            agent=agent,
            threshold=one.threshold,
            options=one.options,
        )
        for each in of.turns
        for one in each.evaluators
    )


def suite(
    path: str = PATH,
    *cases: PlannedCase,
    affected: bool = True,
    reason: str = "affected: everything was asked for",
    problems: Sequence[Problem] = (),
) -> PlannedSuite:
    return PlannedSuite(
        path=path,
        kind=SuiteKind.DOCUMENT,
        affected=affected,
        reason=reason,
        problems=tuple(problems),
        document=document(path, *(one.case for one in cases)),
        cases=cases,
    )


def plan(*suites: PlannedSuite) -> Plan:
    return Plan(suites=suites, estimate=Estimate(agent_calls=0, judge_calls=0))


# --- results


def failure(
    message: str = "429 Too Many Requests", error_class: ErrorClass = ErrorClass.THROTTLED
) -> Failure:
    return Failure(error_class=error_class, message=message)


def passed(of: PlannedCheck | None = None, *, score: float = 1) -> CheckResult:
    return _measured(of or check(), Outcome.PASS, score, "as expected")


def failed(of: PlannedCheck | None = None, *, score: float = 0) -> CheckResult:
    return _measured(of or check(), Outcome.FAIL, score, "not as expected")


def needs_review(of: PlannedCheck | None = None) -> CheckResult:
    return _measured(of or check(), Outcome.NEEDS_REVIEW, 0.5, "a person has to say")


def _measured(of: PlannedCheck, outcome: Outcome, score: float, reason: str) -> CheckResult:
    run = RunResult(outcome=outcome, score=score, threshold=of.evaluator.threshold, reason=reason)
    return CheckResult(check=of, outcome=outcome, score=score, reason=reason, runs=(run,))


def errored(of: PlannedCheck | None = None, *, error: Failure | None = None) -> CheckResult:
    why = error or failure()
    run = RunResult(outcome=Outcome.ERROR, reason=why.message, error=why)
    return CheckResult(
        check=of or check(),
        outcome=Outcome.ERROR,
        score=None,
        reason=why.message,
        runs=(run,),
        error=why,
    )


def skipped(of: PlannedCheck | None = None, kind: Skip = Skip.DECLINED) -> CheckResult:
    reason = "skipped by its author" if kind is Skip.DECLINED else "something is missing"
    return CheckResult(
        check=of or check(),
        outcome=Outcome.SKIPPED,
        score=None,
        reason=reason,
        runs=(),
        skip=kind,
    )


def results(
    *checks: CheckResult, conversations: Sequence[Conversation] = (), complete: bool = True
) -> Results:
    return Results(
        checks=checks,
        conversations=tuple(conversations),
        calls=CallCounts(),
        complete=complete,
    )
