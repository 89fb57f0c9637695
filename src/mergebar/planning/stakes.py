"""A check in; what is at stake with it out: severity, weight, must-pass, and whether it gates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from mergebar.model.configuration import Config, Rule
from mergebar.model.documents import Declared, Severity
from mergebar.model.plans import CheckKind
from mergebar.patterns import GlobSet, TextGlob
from mergebar.planning.placing import relative

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What rules look at. `ids` are the names that the author and the plan have for the case.

    A check has either an evaluator or a grader.
    """

    path: str
    kind: CheckKind
    agent: str | None
    tags: tuple[str, ...]
    ids: tuple[str, ...]
    evaluator: str | None = None
    grader: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stake:
    """How much a check matters."""

    severity: Severity
    weight: float
    must_pass: bool
    gating: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A rule whose globs are compiled once."""

    rule: Rule
    path: GlobSet | None
    id: TextGlob | None


class Stakes:
    """Applies the rules of a configuration (product contract, section 5); globs compiled once."""

    __slots__ = ("_bar", "_prefix", "_rules")

    def __init__(self, config: Config, *, prefix: str) -> None:
        self._bar = config.gate.severity.rank
        self._prefix = prefix
        self._rules = tuple(compiled(rule) for rule in config.rules)

    def of(self, subject: Subject, *, declared: Declared) -> Stake:
        """Weigh one check: an enforced rule, else what the file says, else the last rule.

        Severity and weight are looked up apart: a rule that is silent on one leaves it to others.
        """
        if not self._rules:
            return self._without_rules(declared)
        rules = [one.rule for one in self._rules if matches(one, subject, prefix=self._prefix)]
        enforced = [rule for rule in rules if rule.enforce]
        must_pass = any(rule.must_pass for rule in rules)
        severity = _said(
            [rule.severity for rule in enforced],
            declared.severity,
            [rule.severity for rule in rules],
            Severity.ERROR,
        )
        weight = _said(
            [rule.weight for rule in enforced],
            declared.weight,
            [rule.weight for rule in rules],
            1.0,
        )
        return Stake(
            severity=Severity.ERROR if must_pass else severity,
            weight=weight,
            must_pass=must_pass,
            gating=must_pass or severity.rank >= self._bar,
        )

    def _without_rules(self, declared: Declared) -> Stake:
        severity = declared.severity or Severity.ERROR
        return Stake(
            severity=severity,
            weight=1.0 if declared.weight is None else declared.weight,
            must_pass=False,
            gating=severity.rank >= self._bar,
        )


def _said(enforced: Sequence[T | None], own: T | None, ruled: Sequence[T | None], default: T) -> T:
    """The first that says something; among rules, the last."""
    for said in (*reversed(enforced), own, *reversed(ruled)):
        if said is not None:
            return said
    return default


def compiled(rule: Rule) -> CompiledRule:
    """With its globs ready."""
    match = rule.match
    return CompiledRule(
        rule=rule,
        path=None if match.path is None else GlobSet((match.path,)),
        id=None if match.id is None else TextGlob(match.id),
    )


def matches(one: CompiledRule, subject: Subject, *, prefix: str) -> bool:
    """Whether every key that is set matches."""
    match = one.rule.match
    exact = (
        (match.kind, subject.kind.value),
        (match.evaluator, subject.evaluator),
        (match.grader, subject.grader),
        (match.agent, subject.agent),
    )
    if any(wanted is not None and wanted != given for wanted, given in exact):
        return False
    if match.tag is not None and match.tag not in subject.tags:
        return False
    return _at(one.path, subject.path, prefix=prefix) and _named(one.id, subject.ids)


def _at(globs: GlobSet | None, path: str, *, prefix: str) -> bool:
    local = relative(path, prefix=prefix)
    return globs is None or (local is not None and globs.matches(local))


def _named(glob: TextGlob | None, ids: Sequence[str]) -> bool:
    return glob is None or any(glob.matches(one) for one in ids)
