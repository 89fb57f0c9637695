"""The evals of an artifact and its sessions in; planned cases with their planned checks out."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from mergebar import identity, prompting
from mergebar.catalogue import defaults, graders
from mergebar.model.artifacts import Artifact, DeclaredEval
from mergebar.model.configuration import Config, Stale
from mergebar.model.definitions import Measured
from mergebar.model.documents import Case, CaseKind, Declared, EvaluatorUse, Origin
from mergebar.model.plans import CheckKind, PlannedCase, PlannedCheck, Skip, Withholding
from mergebar.model.problems import Location
from mergebar.model.scenarios import Scenario
from mergebar.model.text import Json
from mergebar.planning import skipping
from mergebar.planning.declaring import JUDGED, Declaring, votes
from mergebar.planning.narrowing import shared_skip
from mergebar.planning.options import PlanOptions
from mergebar.planning.stakes import Stakes, Subject

_LENGTH = 12
_LABEL = 30
_STALE = "recorded with the previous text of the artifact: record it again, or configure `sessions`"
_NOWHERE = Scenario(key="no-session", group=0)
_NO_SESSION = "no session used it: this run has neither `traces` nor `sessions` for this artifact"
_NO_PROMPT = "no session used it: `artifacts` in the prompts of its group name others"


class ArtifactCases:
    """Plans the evals of one artifact after another under one configuration."""

    __slots__ = ("_config", "_options", "_stakes")

    def __init__(self, config: Config, *, options: PlanOptions) -> None:
        self._config = config
        self._options = options
        self._stakes = Stakes(config, prefix=options.prefix)

    def plan(
        self,
        declaring: Declaring,
        *,
        causes: Mapping[str, str],
        is_stale: Callable[[Scenario], bool],
    ) -> tuple[PlannedCase, ...]:
        """A case for each session, with the evals in the order of their declaration.

        `causes` says, by key, why those are affected that are.
        """
        if not declaring.artifact.evals:
            return ()
        scenarios = declaring.scenarios or (_NOWHERE,)
        return tuple(
            self._case(declaring, scenario, index, causes, stale=is_stale(scenario))
            for index, scenario in enumerate(scenarios)
        )

    def _case(
        self,
        declaring: Declaring,
        scenario: Scenario,
        index: int,
        causes: Mapping[str, str],
        *,
        stale: bool,
    ) -> PlannedCase:
        skip = self._skip(declaring, scenario, stale=stale)
        runs = self._runs(scenario)
        checks = tuple(
            replace(check, cause=causes.get(declared.key, ""))
            for declared in declaring.artifact.evals
            for check in [
                self._check(
                    declaring.artifact, scenario, declared, stale=stale, skip=skip, runs=runs
                )
            ]
        )
        return PlannedCase(
            suite=declaring.path,
            case=Case(
                key=scenario.key,
                label=identity.label(scenario.key),
                kind=CaseKind.SESSION,
                index=index,
                turns=(),
                runs=None,
                location=Location(path=scenario.path or declaring.path),
            ),
            agent=None,
            runs=runs,
            checks=checks,
            skip=shared_skip(checks),
            scenario=scenario,
        )

    def _runs(self, scenario: Scenario) -> int:
        """What was recorded once can't be repeated."""
        return 1 if scenario.prompt is None else self._options.runs or 1

    def _skip(self, declaring: Declaring, scenario: Scenario, *, stale: bool) -> Withholding | None:
        """What keeps a whole session from being graded."""
        if not scenario.path:
            narrowed = declaring.group.sessions is not None
            return Withholding(kind=Skip.WITHHELD, reason=_NO_PROMPT if narrowed else _NO_SESSION)
        if stale and declaring.group.stale is Stale.BLOCK:
            return Withholding(kind=Skip.WITHHELD, reason=_STALE)
        if scenario.trace is None:
            return skipping.of_repository_code(config=self._config, options=self._options)
        return None

    def _check(
        self,
        artifact: Artifact,
        scenario: Scenario,
        declared: DeclaredEval,
        *,
        stale: bool,
        skip: Withholding | None,
        runs: int,
    ) -> PlannedCheck:
        said = Declared(id=declared.id, severity=declared.severity, weight=declared.weight)
        stake = self._stakes.of(_subject(artifact, scenario, declared), declared=said)
        own = skipping.of_eval(declared, artifact, config=self._config, options=self._options)
        return PlannedCheck(
            id=identity.check_id(
                suite=artifact.path, case=scenario.key, turn=None, name=declared.key
            ),
            suite=artifact.path,
            case=scenario.key,
            turn=None,
            name=declared.key,
            kind=CheckKind.GRADER,
            agent=None,
            evaluator=_use(declared),
            severity=stake.severity,
            weight=stake.weight,
            must_pass=stake.must_pass,
            gating=stake.gating,
            group=None,
            definition=declared.definition,
            location=declared.location,
            skip=own or skip,
            measured=_measured(declared, runs=runs),
            declared=declared,
            label=_label(declared, scenario),
            stale=stale,
        )


def _subject(artifact: Artifact, scenario: Scenario, declared: DeclaredEval) -> Subject:
    """What the rules of the configuration may match."""
    return Subject(
        path=artifact.path,
        kind=CheckKind.GRADER,
        grader=declared.grader,
        agent=None,
        tags=(),
        ids=tuple(dict.fromkeys((declared.key, declared.name, scenario.key))),
    )


def _use(declared: DeclaredEval) -> EvaluatorUse:
    return EvaluatorUse(
        name=declared.grader,
        options=declared.options,
        threshold=None,
        origin=Origin.ITEM,
        location=declared.location,
    )


def _label(declared: DeclaredEval, scenario: Scenario) -> str:
    """The session; before it the assertion, where the eval has no id to be called by."""
    if declared.id is not None or declared.assertion is None:
        return identity.label(scenario.key)
    text = identity.label(declared.assertion)
    short = text if len(text) <= _LABEL else text[: _LABEL - 1].rstrip() + "…"
    return identity.label(f"{short} · {scenario.key}")


def _measured(declared: DeclaredEval, *, runs: int) -> Measured:
    """What is measured, part by part; `prompt` stands for all that an eval says but its options."""
    options = {**defaults.without(declared.options, defaults.of_grader(declared.grader))}
    if declared.when:
        options["when"] = dict(declared.when)
    judged = declared.grader == JUDGED
    return Measured(
        prompt=(declared.question or declared.definition)[:_LENGTH],
        expected_response=None,
        context=None,
        options={
            name: value if _is_bound(declared.grader, name, value) else _short(value)
            for name, value in sorted(options.items())
        },
        judged=judged,
        judge_prompt=prompting.CLAIM_PROMPT_VERSION if judged else None,
        runs=runs,
        votes=votes(declared),
        confirm_failures=0,
    )


def _is_bound(grader: str, name: str, value: Json) -> bool:
    """Whether it is a number of which one can tell in which direction it asks for less."""
    spec = graders.GRADERS.get(grader)
    option = spec.option(name) if spec is not None else None
    return option is not None and option.bound is not None and type(value) in {int, float}


def _short(value: Json) -> str:
    return identity.digest(value)[:_LENGTH]
