"""Numbers in, the words that people read for them out."""

from collections.abc import Mapping

from mergebar.model.reports import ReportCalls, ReportCheck, Totals

_UNITS = ((1_000_000, "M"), (1_000, "k"))


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 check`, `2,400 checks`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


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


def marks(check: ReportCheck) -> tuple[str, ...]:
    """What else is to be known of a check."""
    flags: Mapping[str, bool] = {
        "must pass": check.must_pass,
        "flaky": check.flaky,
        "stale": check.stale,
        "replayed": check.replayed,
    }
    return tuple(name for name, is_set in flags.items() if is_set)


def place(path: str | None, line: int | None, column: int | None = None) -> str:
    """`path:line:column`, as far as it is known."""
    return ":".join(str(part) for part in (path, line, column) if part is not None)


def outcomes(totals: Totals) -> tuple[tuple[int, str], ...]:
    """The counts that aren't zero, with their words."""
    counts = (
        (totals.passed, "passed"),
        (totals.failed, "failed"),
        (totals.errors, "not measured"),
        (totals.needs_review, "to review"),
        (totals.skipped, "skipped"),
    )
    return tuple((number, word) for number, word in counts if number)


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
