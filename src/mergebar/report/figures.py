"""Numbers in, the words that people read for them out."""

from collections.abc import Mapping

from mergebar.model.comparisons import ChangeKind, CheckChange, Comparison, Interval, Tally
from mergebar.model.reports import Report, ReportCalls, ReportCheck
from mergebar.reading.sentences import counted as counted
from mergebar.reading.sentences import duration, listed
from mergebar.report import counting
from mergebar.report.counting import Fate

_UNITS = ((1_000_000, "M"), (1_000, "k"))
_COMMIT = 7
_NOT_ASKED = frozenset({"error", "skipped"})
_SAME_BELOW = 0.05
_SOURCES = {"artifact": "an artifact", "file": "a file", "run": "a run of the base beside this one"}


def decimal(value: float, digits: int = 2) -> str:
    """At most that many decimals, and none that say nothing."""
    text = f"{value:.{digits}f}"
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if short == "-0" else short


def percent(rate: float | None) -> str:
    """One decimal, rounded down, so that 100 % is all of it; a dash where nothing is graded."""
    if rate is None:
        return "–"
    return f"{decimal(int(rate * 1000 + 1e-6) / 10, 1)} %"


def scale(number: int) -> str:
    """`999`, `51.3k`, `2.4M`."""
    for unit, name in _UNITS:
        if number >= unit:
            return f"{decimal(number / unit, 1)}{name}"
    return str(number)


def score(check: ReportCheck) -> str:
    """A score beside what it takes: `2 < 3`, `4 ≥ 3`; enough decimals to tell the two apart."""
    if check.score is None:
        return "–"
    if check.threshold is None:
        return decimal(check.score)
    for digits in range(2, 8):
        shown, needed = decimal(check.score, digits), decimal(check.threshold, digits)
        if shown != needed or check.score == check.threshold:
            return f"{shown} {'<' if check.score < check.threshold else '≥'} {needed}"
    return f"{decimal(check.score)} ≥ {decimal(check.threshold)}"


def movement(check: ReportCheck, change: CheckChange | None) -> tuple[str, str]:
    """Was and now: `("4", "2 < 3")`. Without anything to compare with there is no "was".

    Where either side has no score, outcomes stand for them.
    """
    if change is None or not change.comparable or change.base_outcome is None:
        return "", score(check)
    if check.score is None or change.base_score is None:
        return change.base_outcome, check.outcome
    for digits in range(2, 8):
        was = decimal(change.base_score, digits)
        if was != decimal(check.score, digits) or change.base_score == check.score:
            return was, score(check)
    return decimal(change.base_score, 8), score(check)


def is_incomparable(check: ReportCheck, change: CheckChange | None) -> bool:
    """Whether it came out here, and the baseline can't be held against it."""
    apart = change is not None and change.change is ChangeKind.NOT_COMPARABLE
    return apart and check.outcome in {"pass", "fail"}


def signed(points: float) -> str:
    """Percentage points with their sign, to one decimal; a minus is a minus and no hyphen."""
    if abs(points) < _SAME_BELOW:
        return "0"
    return f"{'+' if points > 0 else '−'}{decimal(abs(points), 1)}"


def difference(tally: Tally) -> str:
    """The difference of two rates in points, with where it lies: `−5 (−17 to +6)`."""
    if tally.delta is None:
        return "–"
    return f"{signed(tally.delta * 100)}{_between(tally.interval)}"


def _between(interval: Interval | None) -> str:
    if interval is None:
        return ""
    return f" ({signed(interval.low * 100)} to {signed(interval.high * 100)})"


def cases(tally: Tally) -> str:
    """How many cases could tell: those measured on both sides, and how many are carried besides."""
    return f"{tally.n:,} + {tally.carried:,}" if tally.carried else f"{tally.n:,}"


def commit(sha: str) -> str:
    """As many characters as people quote."""
    return sha[:_COMMIT]


def age(seconds: float) -> str:
    """In the largest unit that it fills."""
    said = duration(seconds)
    return f"{said} old" if said else "just now"


def baseline(comparison: Comparison | None) -> str:
    """What was compared with: its commit, its age and its source show how far to trust it."""
    found = comparison.baseline if comparison is not None else None
    if found is None:
        return "no baseline"
    name = "baseline" if found.commit is None else f"baseline `{commit(found.commit)}`"
    old = "" if found.age_s is None else f"{age(found.age_s)}, "
    return f"{name} ({old}from {_SOURCES.get(found.source, found.source)})"


def deployed(report: Report) -> tuple[str, ...]:
    """Which agents were measured as they stand at their address, if any were measured here."""
    asked = {
        one.agent for one in report.checks if not one.carried and one.outcome not in _NOT_ASKED
    }
    names = [name for name in report.run.deployed if name in asked]
    if not names:
        return ()
    noun, their = ("agent", "its address") if len(names) == 1 else ("agents", "their addresses")
    return (f"{noun} {listed(names)} measured as deployed at {their}",)


def runs(check: ReportCheck) -> str:
    """Every run of a check, by its score or else by its outcome: `4 · 2 · 5`."""
    return " · ".join(
        one.outcome if one.score is None else decimal(one.score) for one in check.runs
    )


def marks(check: ReportCheck, change: CheckChange | None = None) -> tuple[str, ...]:
    """What else is to be known of a check, and of its counterpart in the baseline."""
    flags: Mapping[str, bool] = {
        "must pass": check.must_pass,
        "flaky": check.flaky,
        "stale": check.stale,
        "replayed": check.replayed,
        "carried": check.carried,
    }
    here = tuple(name for name, is_set in flags.items() if is_set)
    there = () if change is None else change.marks
    return (*here, *(f"{mark} in the baseline" for mark in there if mark not in here))


def place(path: str | None, line: int | None, column: int | None = None) -> str:
    """`path:line:column`, as far as it is known."""
    return ":".join(str(part) for part in (path, line, column) if part is not None)


def outcomes(report: Report) -> tuple[tuple[int, str], ...]:
    """The counts that aren't zero, with their words."""
    counts = counting.count(report)
    return tuple((counts[one], one.value) for one in Fate if counts[one])


def calls(usage: ReportCalls) -> tuple[str, ...]:
    """What was called and used, as far as it is known."""
    said = [counted(usage.agent_calls, "agent call"), counted(usage.judge_calls, "judge call")]
    if usage.cache_hits:
        said.append(counted(usage.cache_hits, "cache hit"))
    tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
    if tokens:
        said.append(f"{scale(tokens)} tokens")
    if usage.cost_usd is not None:
        said.append(f"${usage.cost_usd:.2f}")
    return tuple(said)
