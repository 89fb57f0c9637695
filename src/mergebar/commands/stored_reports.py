"""The path of a report.json in, the report out, or what is wrong with it."""

from mergebar.commands.workspace import Place
from mergebar.model.problems import Problem
from mergebar.model.reports import Report
from mergebar.report import json_report
from mergebar.untrusted import terminal

RULE = "report/unreadable"


def read(path: str, place: Place) -> Report | Problem:
    """A report of whatever origin: nothing of it is believed to be harmless."""
    data = place.read(path, rule=RULE, limit=json_report.SIZE_LIMIT)
    return data if isinstance(data, Problem) else json_report.load(data, path=path)


def said(problem: Problem) -> str:
    """One line of a message."""
    return terminal.line(f"mergebar: {problem.path}: {problem.message}") + "\n"
