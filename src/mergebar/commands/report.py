"""`mergebar report`: the path of a report.json in, the same report in another format out."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace

from mergebar.commands import arguments, stored_reports, streams, workspace
from mergebar.errors import ExitCode
from mergebar.model.problems import Problem
from mergebar.model.reports import Report
from mergebar.report import comment, csv, findings, html, junit, summary
from mergebar.report.presenting import Presentation
from mergebar.untrusted import terminal

EXAMPLE = """\
examples:
  mergebar report .mergebar/report.json
  mergebar report .mergebar/report.json --format html > report.html
  mergebar report .mergebar/report.json --format junit > junit.xml

exit codes: 0 it is drawn; 2 it can't be read
"""
_PLAIN = Presentation()
FORMATS: Mapping[str, Callable[[Report], str]] = {
    "markdown": lambda report: comment.draw(report, _PLAIN) + "\n",
    "summary": lambda report: summary.draw(report, _PLAIN) + "\n",
    "html": lambda report: html.draw(report, _PLAIN),
    "junit": junit.draw,
    "sarif": findings.draw,
    "csv": csv.draw,
}


def main(argv: list[str]) -> int:
    """Draw it and return 0; or say why it can't be read, and return 2. Nothing runs.

    JUnit says it too: who collects the file would take an empty one for no failure.
    """
    parsed = arguments.parse(_parser(), argv)
    if isinstance(parsed, int):
        return parsed
    report = stored_reports.read(parsed.file, workspace.here())
    if isinstance(report, Problem):
        streams.tell(stored_reports.said(report))
        if parsed.format == "junit":
            streams.deliver(terminal.guard(junit.missing(f"{report.path}: {report.message}")))
        return ExitCode.INVALID
    doubts = stored_reports.doubts(report, parsed.file)
    for doubt in doubts:
        streams.tell(terminal.line(f"mergebar: {doubt.message}") + "\n")
    report = replace(report, warnings=(*doubts, *report.warnings))
    drawn = FORMATS[parsed.format](report)
    guarded = terminal.json_text if parsed.format == "sarif" else terminal.guard
    streams.deliver(guarded(drawn))
    return ExitCode.PASSED


def _parser() -> argparse.ArgumentParser:
    made = arguments.parser("report", "Draw a report.json again; nothing runs.", EXAMPLE)
    made.add_argument("file", metavar="FILE", help="the report.json")
    made.add_argument("--format", choices=tuple(FORMATS), default="markdown")
    return made
