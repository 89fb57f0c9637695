"""Measurements in as they come, what there is to say of them out: to whoever watches the run."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from mergebar.model.plans import Withholding
from mergebar.model.results import Outcome, RunResult
from mergebar.running.options import Progress, SuiteProgress


class Watch:
    """Counts for the whole run and for each suite. `load` gives running and throttled calls."""

    __slots__ = ("_load", "_now", "_suites", "_tell", "_total")

    def __init__(
        self, tell: Callable[[Progress], None] | None, *, load: Callable[[], tuple[int, int]]
    ) -> None:
        self._tell = tell
        self._load = load
        self._now = Progress(done=0, total=0, failed=0, errors=0)
        self._total: Counter[str] = Counter()
        self._suites: dict[str, SuiteProgress] = {}

    def begin(self, wanted: Iterable[str], before: Iterable[tuple[str, RunResult]]) -> None:
        """`wanted` has the suite of each run of a check, `before` what is known of them already."""
        self._total.update(wanted)
        self._now = replace(self._now, total=self._total.total())
        known = list(before)
        for suite, result in known:
            self._count(suite, result)
        if known:
            self._now = replace(self._now, before=len(known))
            self._say(self._now)

    def put_down(self, suite: str, result: RunResult | Withholding) -> None:
        """One run of a check has come to something."""
        if self._tell is None:
            return
        self._count(suite, result)
        done = self._suites[suite]
        last = done.done == self._total[suite]
        self._say(replace(self._now, finished=done) if last else self._now)

    def beat(self) -> None:
        """Say how far it is, though nothing has happened."""
        self._say(replace(self._now, beat=True))

    def _count(self, suite: str, result: RunResult | Withholding) -> None:
        failed = isinstance(result, RunResult) and result.outcome is Outcome.FAIL
        error = isinstance(result, RunResult) and result.outcome is Outcome.ERROR
        now, of = self._now, self._suites.get(suite)
        self._now = replace(
            now, done=now.done + 1, failed=now.failed + failed, errors=now.errors + error
        )
        of = of or SuiteProgress(path=suite, done=0, failed=0, errors=0)
        self._suites[suite] = replace(
            of, done=of.done + 1, failed=of.failed + failed, errors=of.errors + error
        )

    def _say(self, progress: Progress) -> None:
        if self._tell is not None:
            running, throttled = self._load()
            self._tell(replace(progress, running=running, throttled=throttled))
