"""A report in, one HTML file out that needs nothing else: no request, no server, no other file."""

import base64
import hashlib
import urllib.parse
from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from mergebar.model.configuration import Mode, Responses
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import counting, evaluator_lines, figures, html_rows, picture, quoting, svg
from mergebar.report.counting import Fate
from mergebar.report.presenting import Presentation
from mergebar.report.remedies import remedy
from mergebar.report.selecting import Selection, select
from mergebar.untrusted import characters, html
from mergebar.untrusted.html import Html

_SHOWN = 500
_FEW = 12
_TEXT, _NAME = 2_000, 200
_PARTS = {
    Fate.PASSED: "pass",
    Fate.FAILED: "fail",
    Fate.UNMEASURED: "error",
    Fate.REVIEW: "review",
    Fate.DECLINED: "skip",
    Fate.ELSEWHERE: "skip",
}
_WORDS = {
    DecisionOutcome.PASSED: ("✓", "Passed"),
    DecisionOutcome.FAILED: ("✕", "Failed"),
    DecisionOutcome.NEEDS_REVIEW: ("?", "Needs review"),
    DecisionOutcome.COULD_NOT_EVALUATE: ("!", "Could not evaluate"),
    DecisionOutcome.INVALID: ("✕", "Invalid"),
}


def draw(report: Report, presentation: Presentation) -> str:
    """The whole page. `responses` decides on reasons that may quote as for the artifact."""
    selection = select(report)
    style, script = _source("report.css"), _source("report.js")
    page = _Page(report, presentation, selection)
    return _environment().get_template("report.html.j2").render(
        **page.told(),
        style=Html(style),
        script=Html(script),
        policy=Html(
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )  # fmt: skip


class _Page:
    """What the template says."""

    def __init__(self, report: Report, presentation: Presentation, selection: Selection) -> None:
        self._report = report
        self._presentation = presentation
        self._selection = selection
        self._difference = selection.difference

    def told(self) -> Mapping[str, object]:
        report, selection = self._report, self._selection
        sign, word = _WORDS[report.decision.outcome]
        rows = picture.rows(report, selection.lines)
        columns = evaluator_lines.columns(selection.lines)
        return {
            "title": f"{word}: {report.decision.headline}",
            "sign": sign,
            "word": word,
            "key": self._presentation.key,
            "advise": report.run.mode == Mode.ADVISE and report.decision.exit_code != 0,
            "reported": self._presentation.reported,
            "report": report,
            "selection": selection,
            "difference": self._difference,
            "comparison": report.comparison,
            "loosened": report.comparison.loosened if report.comparison else (),
            "edited": report.comparison.edited if report.comparison else (),
            "notes": report.comparison.notes if report.comparison else (),
            "todo": remedy(report, selection),
            "picture": svg.draw(rows) if rows else None,
            "outcomes": svg.bar(_outcomes(report)),
            "counts": figures.outcomes(report),
            "facts": self._facts(),
            "columns": columns,
            "heads": evaluator_lines.heads(columns),
            "data": html.data(
                html_rows.draw(report, self._difference, self._presentation.responses)
            ),
            "root": self._root(),
            "shown": _SHOWN,
            "few": _FEW,
            "figures": figures,
            "line": _line,
            "prose": _prose,
            "place": self._place,
            "movement": self._movement,
            "marks": self._marks,
            "reason": self._reason,
        }

    def _facts(self) -> tuple[str, ...]:
        """One line on what ran, and by what."""
        report = self._report
        suites = figures.counted(len(report.suites), "suite")
        said = [f"{len(self._selection.ran):,} of {suites} affected", *figures.calls(report.usage)]
        said += (text.replace("`", "") for text in figures.deployed(report))
        judge = report.run.judge
        if judge is not None:
            name = judge.provider if judge.model is None else f"{judge.provider} {judge.model}"
            said.append(f"judge {name}")
        said.append(figures.baseline(report.comparison).replace("`", ""))
        if report.run.commit:
            said.append(f"commit {figures.commit(report.run.commit)}")
        if report.run.policy == "base":
            said.append("policy of the base")
        if not report.run.trusted:
            said.append("untrusted run, without secrets")
        return (*said, f"mergebar {report.mergebar_version}", report.run.finished_at)

    def _root(self) -> str:
        """Where files of the tested commit are shown; empty where that isn't known."""
        repository, commit = self._presentation.repository_url, self._report.run.commit
        if repository is None or commit is None:
            return ""
        return f"{repository}/blob/{urllib.parse.quote(commit, safe='', errors='replace')}/"

    def _place(self, path: str | None, line: int | None = None, column: int | None = None) -> Html:
        if path is None:
            return Html("–")
        shown = html.text(_line(figures.place(path, line, column)))
        if not self._root():
            return Html(f"<code>{shown}</code>")
        anchor = "" if line is None else f"#L{line}"
        file = urllib.parse.quote(path, safe="/", errors="replace")
        address = html.text(f"{self._root()}{file}{anchor}")
        return Html(f'<a href="{address}" rel="noreferrer"><code>{shown}</code></a>')

    def _movement(self, check: ReportCheck) -> Html:
        change = self._difference.by_check.get(check.id) if self._difference else None
        was, now = figures.movement(check, change)
        shown = f"<b>{html.text(now)}</b>"
        return Html(f"{html.text(was)} → {shown}" if was else shown)

    def _marks(self, check: ReportCheck) -> tuple[str, ...]:
        change = self._difference.by_check.get(check.id) if self._difference else None
        kind = (change.change.value.replace("-", " "),) if change and not check.carried else ()
        return (*kind, *figures.marks(check, change))

    def _reason(self, check: ReportCheck) -> Html:
        none = self._presentation.responses is Responses.NONE
        shown = Responses.NONE if none else Responses.EVERYWHERE
        return _prose(characters.reveal(quoting.reason(check, shown), limit=_TEXT))


def _outcomes(report: Report) -> tuple[tuple[int, str], ...]:
    counts = counting.count(report)
    return tuple((counts[one], name) for one, name in _PARTS.items())


def _line(text: str) -> str:
    return characters.line(text, limit=_NAME)


def _prose(text: str) -> Html:
    """What stands between backticks is code, unless one of them is left over."""
    parts = [html.text(part) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return Html(html.text(text))
    return Html("".join(
        f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts)
    ))  # fmt: skip


def _digest(source: str) -> str:
    """As a content security policy names what it allows."""
    digest = hashlib.sha256(source.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _source(name: str) -> str:
    environment = _environment()
    source, _, _ = PackageLoader("mergebar").get_source(environment, name)
    return source


@cache
def _environment() -> Environment:
    """Whatever isn't HTML already is escaped on its way out."""
    return Environment(  # noqa: S701 - `finalize` escapes, and makes hidden characters visible too
        loader=PackageLoader("mergebar"),
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _finalize(value: object) -> str:
    return value if isinstance(value, Html) else html.text(str(value))
