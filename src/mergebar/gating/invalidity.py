"""What static validation found, as findings: the configuration and suites."""

from collections.abc import Iterator

from mergebar.gating import wording
from mergebar.gating.facts import Facts
from mergebar.gating.findings import Finding
from mergebar.model.problems import Level, Problem


def config(facts: Facts) -> Iterator[Finding]:
    for problem in _errors(facts.config_problems):
        yield Finding(message=wording.placed(problem))


def suites(facts: Facts) -> Iterator[Finding]:
    yield from _invalid(facts, affected=True)


def unaffected_suites(facts: Facts) -> Iterator[Finding]:
    yield from _invalid(facts, affected=False)


def _invalid(facts: Facts, *, affected: bool) -> Iterator[Finding]:
    for suite in sorted(facts.suites, key=lambda suite: suite.path):
        errors = _errors(suite.problems)
        if errors and suite.affected is affected:
            what = "is invalid" if affected else "is invalid, and not affected"
            count = wording.counted(len(errors), "error")
            yield Finding(message=f"`{suite.path}` {what} ({count}): {wording.placed(errors[0])}")


def _errors(problems: tuple[Problem, ...]) -> list[Problem]:
    errors = [problem for problem in problems if problem.level is Level.ERROR]
    return sorted(
        errors, key=lambda one: (one.path or "", one.line or 0, one.column or 0, one.message)
    )
