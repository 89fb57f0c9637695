"""`mergebar compare`: the paths of two reports in, the difference that the comment shows out."""

import argparse
import dataclasses
import os
from collections.abc import Iterator
from datetime import datetime

from mergebar import comparing
from mergebar.commands import arguments, garbage_collection, stored_reports, streams, workspace
from mergebar.comparing import renamed_suites
from mergebar.errors import ExitCode
from mergebar.model.changes import Change, Status
from mergebar.model.comparisons import Baseline, Renamed
from mergebar.model.problems import Problem
from mergebar.model.reports import Report
from mergebar.report import comparison
from mergebar.report.presenting import Presentation
from mergebar.report.terminal_lines import Style
from mergebar.untrusted import terminal as guarding

EXAMPLE = """\
examples:
  mergebar compare main/report.json .mergebar/report.json
  mergebar compare before.json after.json --format markdown

exit codes: 0 whatever changed; 2 a report can't be read
"""


def main(argv: list[str]) -> int:
    """Print the difference and return 0; or say what can't be read, and return 2."""
    parsed = arguments.parse(_parser(), argv)
    if isinstance(parsed, int):
        return parsed
    with garbage_collection.paused():
        return _compare(parsed)


def _compare(parsed: argparse.Namespace) -> int:
    place = workspace.here()
    base, head = (stored_reports.read(path, place) for path in (parsed.base, parsed.head))
    if isinstance(base, Problem) or isinstance(head, Problem):
        wrong = [one for one in (base, head) if isinstance(one, Problem)]
        streams.tell("".join(dict.fromkeys(map(stored_reports.said, wrong))))
        return ExitCode.INVALID
    doubts = [
        doubt.message
        for one, path in ((base, parsed.base), (head, parsed.head))
        for doubt in stored_reports.doubts(one, path)
    ]
    for doubt in dict.fromkeys(doubts):
        streams.tell(guarding.line(f"mergebar: {doubt}") + "\n")
    say = streams.write if parsed.format == "text" else streams.deliver
    say(_drawn(compared(base, head), parsed.format))
    return ExitCode.PASSED


def compared(base: Report, head: Report) -> Report:
    """The second report with its comparison with the first one, in place of any other."""
    baseline = Baseline(commit=base.run.commit, age_s=_between(base, head), source="file")
    renamed = tuple(_renamed(base, head))
    circumstances = comparing.Circumstances(files=renamed, listed=False)
    found = comparing.compare(base, head, baseline=baseline, circumstances=circumstances)
    remarks = renamed_suites.remarks(base, head, renames=comparing.renames_of(renamed))
    noted = dataclasses.replace(found, notes=(*found.notes, *remarks))
    return dataclasses.replace(head, comparison=noted)


def _renamed(base: Report, head: Report) -> Iterator[Change]:
    """What git told of renames when either report was made, as far as it is about these two."""
    old, new = ({check.suite for check in one.checks} for one in (base, head))
    told = [(one.was, one.now) for one in _renames(head)]
    told += [(one.now, one.was) for one in _renames(base)]
    for was, now in dict.fromkeys(told):
        if was in old - new and now in new - old:
            yield Change(path=now, status=Status.RENAMED, old_path=was)


def _renames(report: Report) -> tuple[Renamed, ...]:
    return report.comparison.renamed if report.comparison is not None else ()


def _between(base: Report, head: Report) -> float | None:
    """Seconds from one run to the other; `None` where they are in another order, or not dated."""
    try:
        before, after = (datetime.fromisoformat(one.run.finished_at) for one in (base, head))
        seconds = (after - before).total_seconds()
    except (ValueError, TypeError):  # a date that is none, or one without a time zone
        return None
    return seconds if seconds >= 0 else None


def _parser() -> argparse.ArgumentParser:
    made = arguments.parser("compare", "What the second report changes against the first.", EXAMPLE)
    made.add_argument("base", metavar="A", help="the report.json to compare with")
    made.add_argument("head", metavar="B", help="the report.json that is compared")
    made.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    return made


def _drawn(report: Report, form: str) -> str:
    if form == "json":
        return guarding.json_text(comparison.json_text(report))
    if form == "markdown":
        return guarding.guard(comparison.markdown(report, Presentation()))
    style = Style(width=arguments.width(), colour=arguments.coloured(os.environ))
    return comparison.text(report, style)
