"""The folders that a run's report goes to in; a report there from its start, whatever comes, out.

An earlier run's makes way for one without a verdict. That gets why this run was refused, and else
what it measured; who is killed leaves it as it is.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from mergebar.commands import known_secrets
from mergebar.commands.runs import gate
from mergebar.edge import earlier_reports, output_files
from mergebar.errors import StopError
from mergebar.report import cleaning, empty_reports
from mergebar.report.presenting import Presentation
from mergebar.untrusted.redaction import Redactor

Write = Callable[[Path, Mapping[str, bytes]], object]


@dataclass(slots=True, kw_only=True)
class Placeholder:
    """`begun`: the folders are known to be fit for reports. `over`: what was measured is there."""

    folders: tuple[Path, ...]
    environ: Mapping[str, str]
    trusted: bool
    write: Write = output_files.write
    begun: bool = field(default=False)
    over: bool = field(default=False)

    def replace(self) -> None:
        """Let no earlier run's report stand for this one's."""
        for folder in self.folders:
            if earlier_reports.withdraw(folder):
                self.write(folder, self._unfinished())

    def begin(self) -> None:
        """From now on nothing but a kill keeps this run from writing its report."""
        for folder in self.folders:
            earlier_reports.withdraw(folder)
            self.write(folder, self._unfinished())
        self.begun = True

    @contextmanager
    def refusing(self, *, anew: bool = True) -> Iterator[None]:
        """Whatever is refused inside of the block is what the report says, and its exports.

        Not `anew`: only where there is a report already.
        """
        try:
            yield
        except StopError as stop:
            if not self.over:
                self.refuse(stop.message, anew=anew)
            raise

    def refuse(self, message: str, *, anew: bool) -> None:
        """Write that the run was refused, where nothing of anybody else is in the way."""
        report = empty_reports.refused(message, now=_now(), trusted=self.trusted)
        files = gate.files(
            cleaning.clean(report, Redactor(known_secrets.of(self.environ))), {}, Presentation()
        )
        for folder in self.folders:
            fit = earlier_reports.is_ours(folder) if anew else earlier_reports.is_there(folder)
            if self.begun or fit:
                earlier_reports.withdraw(folder)
                self.write(folder, files)

    def _unfinished(self) -> Mapping[str, bytes]:
        report = empty_reports.unfinished(now=_now(), trusted=self.trusted)
        return {gate.REPORT: gate.files(report, {}, Presentation())[gate.REPORT]}


def within(folder: Path, top: Path) -> tuple[Path, ...]:
    """The folder as it really is; none where a link leads out of the repository."""
    lexical, real = Path(os.path.abspath(folder)), Path(os.path.realpath(folder))  # noqa: PTH100 - follows no link
    leads_out = lexical.is_relative_to(top) and not real.is_relative_to(top)
    return () if leads_out else (real,)


def named_output(argv: list[str], default: str) -> str:
    """The output folder of a command line that is wrong otherwise."""
    named = default
    for at, word in enumerate(argv):
        if word == "--output" and at + 1 < len(argv):
            named = argv[at + 1]
        elif word.startswith("--output="):
            named = word.partition("=")[2]
    return named


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
