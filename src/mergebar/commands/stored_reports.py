"""The path of a report.json in, the report out, or what is wrong with it."""

from dataclasses import replace

from mergebar.commands.workspace import Place
from mergebar.model.problems import Problem
from mergebar.model.reports import Report
from mergebar.report import json_report
from mergebar.untrusted import terminal

RULE = "report/unreadable"


def read(path: str, place: Place) -> Report | Problem:
    """A report of whatever origin: nothing of it is believed to be harmless."""
    data = place.read(path, rule=RULE, limit=json_report.SIZE_LIMIT)
    if not isinstance(data, Problem):
        return json_report.load(data, path=path)
    # Documents can be split where they are too large, and reports can't.
    return replace(data, message=data.message.removesuffix(": split it"))


def said(problem: Problem) -> str:
    """One line of a message."""
    return terminal.line(f"mergebar: {problem.path}: {problem.message}") + "\n"
