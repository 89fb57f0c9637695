"""The cases of a document in; planned cases with their planned checks out."""

from collections.abc import Iterator
from dataclasses import replace

from mergebar import catalogue, identity
from mergebar.catalogue import defaults
from mergebar.model.configuration import Config
from mergebar.model.documents import Case, Declared, Document, EvaluatorUse, Origin, Turn
from mergebar.model.plans import CheckKind, PlannedCase, PlannedCheck, Withholding
from mergebar.planning import measuring, skipping
from mergebar.planning.affected import Causes
from mergebar.planning.declaring import JUDGED
from mergebar.planning.narrowing import shared_skip
from mergebar.planning.options import PlanOptions
from mergebar.planning.placing import Placement, selected
from mergebar.planning.stakes import Stakes, Subject


def is_judged(use: EvaluatorUse) -> bool:
    """Whether this evaluator asks the judge; a name that isn't built in asks nobody."""
    spec = catalogue.find(use.name)
    return spec is not None and spec.judged


def asks_judge(check: PlannedCheck) -> bool:
    """Whether a check asks the judge."""
    if check.declared is not None:
        return check.declared.grader == JUDGED
    return is_judged(check.evaluator)


class DocumentCases:
    """Plans the cases of one document after another under one configuration."""

    __slots__ = ("_config", "_options", "_stakes")

    def __init__(self, config: Config, *, options: PlanOptions) -> None:
        self._config = config
        self._options = options
        self._stakes = Stakes(config, prefix=options.prefix)

    def plan(
        self, document: Document, placement: Placement, causes: Causes
    ) -> tuple[PlannedCase, ...]:
        """The selected cases in document order, each with its checks in the order of its turns.

        Unaffected ones are among them: their `cause` is empty.
        """
        skip = skipping.of_case(placement.agent, config=self._config, options=self._options)
        return tuple(
            self._case(document.path, case, placement, skip, causes)
            for case in selected(document.cases, tags=self._options.tags)
        )

    def _case(
        self,
        suite: str,
        case: Case,
        placement: Placement,
        skip: Withholding | None,
        causes: Causes,
    ) -> PlannedCase:
        runs = self._runs(case, placement)
        checks = tuple(self._checks(suite, case, placement, runs, causes))
        return PlannedCase(
            suite=suite,
            case=case,
            agent=placement.agent.name if placement.agent else None,
            runs=runs,
            checks=checks,
            skip=skip or shared_skip(checks),
        )

    def _runs(self, case: Case, placement: Placement) -> int:
        if self._options.runs is not None:
            return self._options.runs
        if case.runs is not None:
            return case.runs
        return placement.settings.runs if placement.settings else 1

    def _checks(
        self, suite: str, case: Case, placement: Placement, runs: int, causes: Causes
    ) -> Iterator[PlannedCheck]:
        for turn in case.turns:
            prompts = tuple(each.prompt for each in case.turns[: turn.index + 1])
            for use in turn.evaluators:
                check = self._check(suite, case, turn, use, placement, prompts, runs)
                cause = causes.of(case, judged=is_judged(use))
                yield replace(check, cause=cause) if cause else check

    def _check(
        self,
        suite: str,
        case: Case,
        turn: Turn,
        use: EvaluatorUse,
        placement: Placement,
        prompts: tuple[str, ...],
        runs: int,
    ) -> PlannedCheck:
        agent = placement.agent.name if placement.agent else None
        subject = _subject(suite, case, turn, use, agent)
        stake = self._stakes.of(subject, declared=turn.declared)
        return PlannedCheck(
            id=identity.check_id(suite=suite, case=case.key, turn=turn.index, name=use.name),
            suite=suite,
            case=case.key,
            turn=turn.index,
            name=use.name,
            kind=subject.kind,
            agent=agent,
            evaluator=use,
            severity=stake.severity,
            weight=stake.weight,
            must_pass=stake.must_pass,
            gating=stake.gating,
            group=placement.group,
            definition=_definition(turn, use, prompts),
            location=use.location if use.origin is Origin.ITEM else turn.location,
            tags=turn.tags,
            skip=skipping.of_check(judged=is_judged(use), options=self._options),
            measured=measuring.parts(
                turn, use, prompts=prompts, runs=runs, judge=self._config.judge
            ),
        )


def _subject(suite: str, case: Case, turn: Turn, use: EvaluatorUse, agent: str | None) -> Subject:
    return Subject(
        path=suite,
        kind=CheckKind.EVALUATOR,
        evaluator=use.name,
        agent=agent,
        tags=turn.tags,
        ids=_ids(case, turn.declared),
    )


def _definition(turn: Turn, use: EvaluatorUse, prompts: tuple[str, ...]) -> str:
    return identity.definition(
        prompts=prompts,
        expected_response=turn.expected_response,
        context=turn.context,
        evaluator=use.name,
        options=defaults.without(use.options, defaults.of_evaluator(use.name)),
        threshold=use.threshold,
    )


def _ids(case: Case, declared: Declared) -> tuple[str, ...]:
    return (case.key,) if declared.id is None else (case.key, declared.id)
