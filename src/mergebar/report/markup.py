"""A report and a level of detail in, one of our Markdown templates filled in out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from mergebar.model.configuration import Mode, Responses
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import figures, queue
from mergebar.report.diff_tables import Chart
from mergebar.report.differing import Incomparable
from mergebar.report.presenting import Presentation
from mergebar.report.remedies import remedy
from mergebar.report.selecting import Cause, Selection, select
from mergebar.report.tables import Pen
from mergebar.untrusted import markdown
from mergebar.untrusted.markdown import Markdown

_WORDS = {
    DecisionOutcome.PASSED: ("✅", "Passed"),
    DecisionOutcome.FAILED: ("❌", "Failed"),
    DecisionOutcome.NEEDS_REVIEW: ("👀", "Needs review"),
    DecisionOutcome.COULD_NOT_EVALUATE: ("⚠️", "Could not evaluate"),
    DecisionOutcome.INVALID: ("🚫", "Invalid"),
}
_HEADLINE = 300
_DEPLOYED = 200
_GROUNDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much is drawn: rows of what has to be acted on, of the rest, and of what passed; and how
    long a reason may be.
    """

    acting: int
    rest: int
    passed: int
    reason: int


def fit(
    template: str,
    report: Report,
    presentation: Presentation,
    *,
    details: Sequence[Detail],
    fits: Callable[[str], bool],
) -> str:
    """The most detailed drawing that fits; the last of `details` has to, whatever the report."""
    selection = select(report)
    drawn = ""
    for detail in details:
        drawn = _draw(template, report, presentation, selection=selection, detail=detail)
        if fits(drawn):
            break
    return drawn


def _draw(
    template: str,
    report: Report,
    presentation: Presentation,
    *,
    selection: Selection,
    detail: Detail,
) -> str:
    pen = Pen(
        report=report,
        presentation=presentation,
        reason=detail.reason,
        difference=selection.difference,
    )
    todo = remedy(report, selection)
    return _environment().get_template(template).render(
        headline=_headline(report, presentation),
        advise=report.run.mode == Mode.ADVISE and report.decision.exit_code != 0,
        score=_score(report),
        grounds=_grounds(selection, detail),
        reported=presentation.reported,
        report=report,
        selection=selection,
        decided=report.decision.outcome.value,
        pen=pen,
        detail=detail,
        counted=figures.counted,
        causes=_causes,
        declined=_declined,
        elsewhere_graded=_elsewhere_graded,
        warnings=_warnings(selection, pen, detail),
        todo=todo and Markdown(todo.sentence),
        command=todo and todo.command and markdown.block(todo.command, limit=1000, info="sh"),
        withheld=_withheld(report, presentation),
        ran=_ran(report, selection, presentation),
        elsewhere=_elsewhere(presentation),
        queue=queue.drawn(selection.reviews, most=detail.acting),
        **_compared(report, selection, pen, detail),
    )  # fmt: skip


def _compared(
    report: Report, selection: Selection, pen: Pen, detail: Detail
) -> Mapping[str, object]:
    """What templates say of the comparison, and of what there is of it without a baseline."""
    comparison = report.comparison
    return {
        "chart": Chart(pen=pen),
        "difference": selection.difference,
        "comparison": comparison,
        "compared": bool(comparison and comparison.evaluators),
        "loosened": comparison.loosened if comparison else (),
        "edited": comparison.edited if comparison else (),
        "notes": _notes(report, detail),
        "baseline": markdown.inline(figures.baseline(comparison), limit=120),
        "summed": selection.difference and selection.difference.summed(),
        "incomparable": _incomparable,
        "without": _without,
    }


def _headline(report: Report, presentation: Presentation) -> Markdown:
    icon, word = _WORDS[report.decision.outcome]
    gate = "" if presentation.key == "mergebar" else f"{markdown.inline(presentation.key)} · "
    said = markdown.inline(report.decision.headline, limit=_HEADLINE)
    return Markdown(f"{icon} {gate}{word}: {said}")


def _score(report: Report) -> Markdown:
    counts = [f"**{number:,}** {word}" for number, word in figures.outcomes(report)]
    if report.totals.carried:
        counts.append(f"**{report.totals.carried:,}** of them carried")
    rate = report.totals.pass_rate
    if rate is not None:
        plain = all(check.gating and check.weight == 1 for check in _graded(report))
        of = "" if plain else " over what gates"
        base = report.totals.base_pass_rate
        before = "" if base is None else f" (base {figures.percent(base)})"
        counts.append(f"pass rate **{figures.percent(rate)}**{before}{of}")
    return Markdown(" · ".join(counts))


def _graded(report: Report) -> list[ReportCheck]:
    return [check for check in report.checks if check.outcome in {"pass", "fail"}]


def _grounds(selection: Selection, detail: Detail) -> tuple[Markdown, ...]:
    texts = selection.grounds[:_GROUNDS]
    return tuple(markdown.inline(text, limit=detail.reason) for text in texts)


def _causes(causes: Sequence[Cause]) -> Markdown:
    """How many checks, and the most frequent causes; names of our own only."""
    total = sum(len(cause.checks) for cause in causes)
    classes: Counter[str] = Counter()
    for one in causes:
        classes[one.name] += len(one.checks) if one.example.error else 0
    named = [f"{number:,} {name}" for name, number in classes.most_common() if number]
    return Markdown(f"{total:,} not measured{': ' + ', '.join(named) if named else ''}")


def _incomparable(found: Sequence[Incomparable]) -> Markdown:
    total = sum(len(one.checks) for one in found)
    return Markdown(f"{figures.counted(total, 'check is', 'checks are')} not comparable")


def _without(found: Sequence[Incomparable]) -> Markdown:
    total = sum(len(one.checks) for one in found)
    return Markdown(f"{figures.counted(total, 'check is', 'checks are')} without a result here")


def _notes(report: Report, detail: Detail) -> tuple[Markdown, ...]:
    notes = report.comparison.notes if report.comparison else ()
    return tuple(markdown.inline(note, limit=detail.reason) for note in notes[:_GROUNDS])


def _declined(causes: Sequence[Cause]) -> str:
    return f"{sum(len(cause.checks) for cause in causes):,} declined"


def _elsewhere_graded(causes: Sequence[Cause]) -> str:
    return f"{sum(len(cause.checks) for cause in causes):,} graded on other sessions"


def _warnings(selection: Selection, pen: Pen, detail: Detail) -> tuple[Markdown, ...]:
    return tuple(
        Markdown(
            (f"{pen.place(one.path, one.line)}: " if one.path else "")
            + markdown.inline(one.message, limit=detail.reason)
        )
        for one in selection.warnings[: detail.rest]
    )


def _withheld(report: Report, presentation: Presentation) -> Markdown | None:
    """Why reasons are missing, where some are."""
    if presentation.responses is Responses.EVERYWHERE:
        return None
    if not any(check.quotes and check.outcome != "pass" for check in report.checks):
        return None
    if presentation.responses is Responses.NONE:
        return Markdown("Reasons that may quote a response are not shown (`report.responses`).")
    kept = "`report.html` and `report.json`"
    return Markdown(f"Reasons that may quote a response are in {kept} only.")


def _elsewhere(presentation: Presentation) -> Markdown:
    """Where the rows are that there is no room for."""
    file = "`report.json`"
    address = presentation.artifact_url
    return Markdown(f"in [{file}]({address})" if address else f"in {file}")


def _ran(report: Report, selection: Selection, presentation: Presentation) -> Markdown:
    said = [f"{len(selection.ran):,} of {figures.counted(len(report.suites), 'suite')} affected"]
    said += figures.calls(report.usage)
    said += (markdown.inline(text, limit=_DEPLOYED) for text in figures.deployed(report))
    judge = report.run.judge
    if judge is not None:
        name = judge.provider if judge.model is None else f"{judge.provider} {judge.model}"
        said.append(f"judge {markdown.code(name, limit=80)}")
    said.append(markdown.inline(figures.baseline(report.comparison), limit=120))
    if report.run.commit:
        said.append(f"commit {markdown.code(figures.commit(report.run.commit))}")
    if report.run.policy == "base":
        said.append("policy of the base")
    if not report.run.trusted:
        said.append("untrusted run, without secrets")
    said.append(f"mergebar {markdown.inline(report.mergebar_version, limit=40)}")
    if presentation.artifact_url:
        said.append(f"[report]({presentation.artifact_url})")
    if presentation.run_url:
        said.append(f"[log]({presentation.run_url})")
    return Markdown(" · ".join(said))


@cache
def _environment() -> Environment:
    """Whatever isn't Markdown already is escaped on its way out."""
    return Environment(  # noqa: S701 - Markdown: `finalize` escapes, entities alone would not do
        loader=PackageLoader("mergebar"),
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _finalize(value: object) -> str:
    return value if isinstance(value, Markdown) else markdown.inline(str(value))
