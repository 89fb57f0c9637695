"""An assembled run in, its report and the files of the report folder out; interrupts are heard."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from mergebar import gating, pipeline
from mergebar.commands import interrupts
from mergebar.commands.runs.assembling import Assembled
from mergebar.commands.runs.drawings import Drawings
from mergebar.errors import ExitCode
from mergebar.journal import Journal
from mergebar.model.configuration import Mode
from mergebar.model.problems import Problem
from mergebar.model.reports import Report, ReportWarning
from mergebar.report import comment, html, json_report, summary
from mergebar.report.presenting import Presentation

REPORT = "report.json"
PAGE = "report.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A report, the files to write by name, and what the process returns."""

    report: Report
    files: Mapping[str, bytes]
    exit_code: int
    problems: tuple[Problem, ...]
    journal: Journal | None = None

    def settle(self) -> None:
        """The report is safe: a complete run leaves nothing to go on with, another closes it."""
        if self.journal is None:
            return
        if self.report.run.complete:
            self.journal.remove()
        else:
            self.journal.close()


def run(assembled: Assembled, presentation: Presentation) -> Measured:
    """Run to the end, or to the first SIGINT, SIGTERM or SIGHUP: what was measured is kept.

    Afterwards they are held, until whoever asked has written the report and releases them.
    """
    finished = asyncio.run(_listening(assembled))
    report = finished.report
    mode = assembled.inputs.config.gate.mode
    return Measured(
        report=report,
        files=files(report, finished.documents, presentation),
        exit_code=_code(report, mode),
        problems=assembled.flush(),
        journal=finished.journal,
    )


def _code(report: Report, mode: Mode) -> int:
    """Who interrupts a run that has measured all has interrupted nothing."""
    cut_short = interrupts.PROCESS.heard and not report.run.complete
    return ExitCode.INTERRUPTED if cut_short else exit_code(report, mode)


def exit_code(report: Report, mode: Mode) -> int:
    """What the decision makes the process return."""
    return gating.process_exit_code(report.decision, mode=mode)


def files(
    report: Report, documents: Mapping[str, bytes], presentation: Presentation
) -> Mapping[str, bytes]:
    """The report folder; report.json is first, because everything else can be drawn from it.

    Nothing is drawn yet: a bug in a drawing must not cost what was measured.
    """
    return Drawings(
        {
            REPORT: lambda: json_report.dump(report),
            "comment.md": lambda: comment.draw(report, presentation).encode(),
            "summary.md": lambda: summary.draw(report, presentation).encode(),
            PAGE: lambda: html.draw(report, presentation).encode(),
            **{name: partial(documents.__getitem__, name) for name in documents},
        }
    )


def warnings(problems: tuple[Problem, ...]) -> tuple[ReportWarning, ...]:
    """Problems that come too late for the report."""
    return tuple(ReportWarning(message=one.message, path=one.path) for one in problems)


async def _listening(assembled: Assembled) -> pipeline.Finished:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    interrupts.PROCESS.hold(lambda: loop.call_soon_threadsafe(stop.set))
    try:
        return await pipeline.execute(assembled.inputs, assembled.effects, stop=stop)
    finally:
        interrupts.PROCESS.hold(interrupts.nothing)
