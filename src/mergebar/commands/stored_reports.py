"""The path of a report.json in, the report out, or what is wrong with it."""

from dataclasses import replace

from mergebar.commands.workspace import Place
from mergebar.model.problems import Problem
from mergebar.model.reports import Report, ReportWarning
from mergebar.report import contradictions, json_report
from mergebar.untrusted import terminal

RULE = "report/unreadable"


def read(path: str, place: Place) -> Report | Problem:
    """A report of whatever origin: nothing of it is believed to be harmless."""
    data = place.read(path, rule=RULE, limit=json_report.SIZE_LIMIT)
    if not isinstance(data, Problem):
        return json_report.load(data, path=path)
    # Documents can be split where they are too large, and reports can't.
    return replace(data, message=data.message.removesuffix(": split it"))


def doubts(report: Report, path: str) -> tuple[ReportWarning, ...]:
    """What in it contradicts the rest: it is drawn as it is, and that is said with it."""
    wrong = contradictions.find(report)
    return tuple(ReportWarning(message=f"`{path}` contradicts itself: {one}") for one in wrong)


def said(problem: Problem) -> str:
    """One line of a message."""
    return terminal.line(f"mergebar: {problem.path}: {problem.message}") + "\n"
