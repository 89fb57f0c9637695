"""The problems of suites in, what a code scanner is to be told of them out: SARIF 2.1.0."""

from collections.abc import Sequence

from mergebar.model.problems import Problem
from mergebar.model.reports import ReportProblem
from mergebar.report import problems as told
from mergebar.report import sarif
from mergebar.report.problems import CheckedSuite
from mergebar.report.sarif import Finding


def draw(suites: Sequence[CheckedSuite], problems: Sequence[Problem], *, version: str) -> str:
    """`version` is our own."""
    findings = [finding(problem) for problem in told.every(suites, problems)]
    return sarif.text(sarif.log(findings, version=version, category="mergebar-check"))


def finding(problem: Problem | ReportProblem) -> Finding:
    """The same one again as long as it is said of the same file."""
    return Finding(
        rule=problem.rule,
        level=str(problem.level),
        message=problem.message,
        path=problem.path,
        line=problem.line,
        column=problem.column,
        key=f"{problem.path}\n{problem.message}",
    )
