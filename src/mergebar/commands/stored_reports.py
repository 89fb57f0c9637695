"""The path of a report.json in, the report out, or what is wrong with it."""

from dataclasses import replace

from mergebar.commands import garbage_collection
from mergebar.commands.workspace import Place
from mergebar.model.problems import Problem
from mergebar.model.reports import Report, ReportWarning
from mergebar.report import contradictions, json_report
from mergebar.untrusted import terminal

RULE = "report/unreadable"
_SPLIT = ": split it"


def read(path: str, place: Place) -> Report | Problem:
    """A report of whatever origin: nothing of it is believed to be harmless."""
    data = content(path, place, rule=RULE)
    return data if isinstance(data, Problem) else load(data, path=path)


def load(data: bytes, *, path: str = "report.json") -> Report | Problem:
    """The report that these bytes are."""
    with garbage_collection.paused():
        return json_report.load(data, path=path)


def content(path: str, place: Place, *, rule: str) -> bytes | Problem:
    """The bytes of a file, by a path from where we are; one that is too large can't be split."""
    data = place.read(place.reported(path), rule=rule, limit=json_report.SIZE_LIMIT)
    if not isinstance(data, Problem):
        return data
    return replace(data, message=data.message.replace(_SPLIT, f": {json_report.SMALLER}"))


def doubts(report: Report, path: str) -> tuple[ReportWarning, ...]:
    """What in it contradicts the rest: it is drawn as it is, and that is said with it."""
    wrong = contradictions.find(report)
    return tuple(ReportWarning(message=f"`{path}` contradicts itself: {one}") for one in wrong)


def said(problem: Problem) -> str:
    """One line of a message."""
    return terminal.line(f"mergebar: {problem.path}: {problem.message}") + "\n"
