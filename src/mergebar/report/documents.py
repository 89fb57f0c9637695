"""Eval documents and what was measured of them in, documents with results filled in out.

What stands in a document that was written here was measured by this run: results that the input
carried are left out, also where this run measured nothing. Everything else comes out as it went in.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from mergebar import statuses
from mergebar.model.configuration import Responses
from mergebar.model.conversations import Answer, Failure
from mergebar.model.documents import Case, CaseKind, Document
from mergebar.model.plans import Plan
from mergebar.model.reports import ReportJudge
from mergebar.model.results import CheckResult, Conversation, Results, RunResult
from mergebar.model.text import Json, JsonObject
from mergebar.report import cleaning, file_names, turn_results
from mergebar.report.turn_results import Filled, Shape
from mergebar.untrusted.redaction import Redactor

_Thing = TypeVar("_Thing")

FOLDER = "documents"
EXTENSION = "io.github.mergebar"

_BASE_MINOR = 7
_VERSION = re.compile(r"1\.(\d{1,6})\.\d+")
_OUTPUTS = frozenset({
    "response", "citations", "scores", "diagnostics", "status", "error", "summary",
    "conversation_id",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """Who measured, when (RFC 3339), and whom: what `metadata` says of the run."""

    version: str
    evaluated_at: str
    judge: ReportJudge | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured of one suite."""

    checks: tuple[CheckResult, ...]
    conversations: tuple[Conversation, ...]


def fill_all(
    plan: Plan, results: Results, *, stamp: Stamp, redactor: Redactor, responses: Responses
) -> dict[str, bytes]:
    """Every document of which something was measured, by the path of the file to write."""
    measured = _by_suite(results)
    documents = [
        suite.document
        for suite in plan.suites
        if suite.document is not None and suite.path in measured
    ]
    names = file_names.below(FOLDER, (document.path for document in documents))
    return {
        names[document.path]: fill(
            document,
            measured[document.path],
            stamp=stamp,
            redactor=redactor,
            responses=responses,
        )
        for document in documents
    }


def fill(
    document: Document,
    measured: Measured,
    *,
    stamp: Stamp,
    redactor: Redactor,
    responses: Responses,
) -> bytes:
    """The document with its results, of the version it declares, and at least 1.7.0.

    Of a case that was put several times, the first run that came out like the most of its checks
    is filled in. Under `responses: none` neither answers nor what may quote them are.
    """
    declared = str(document.source.get("schemaVersion", ""))
    match = _VERSION.fullmatch(declared)
    minor = max(int(match[1]), _BASE_MINOR) if match else _BASE_MINOR
    version = declared if match and int(match[1]) >= _BASE_MINOR else f"1.{_BASE_MINOR}.0"
    writer = _Writer(
        measured=measured, shape=Shape(minor=minor, responses=responses), redactor=redactor
    )
    root: dict[str, Json] = {
        **document.source,
        "schemaVersion": version,
        "metadata": _metadata(document, measured, stamp),
        "items": writer.items(document),
    }
    text = json.dumps(root, ensure_ascii=False, indent=2, allow_nan=False)
    return f"{text}\n".encode()


def _metadata(document: Document, measured: Measured, stamp: Stamp) -> dict[str, Json]:
    """The author's words, without another program's claim to these results."""
    given = cast("Mapping[str, Json]", document.source.get("metadata") or {})
    kept = {key: value for key, value in given.items() if key != "cliVersion"}
    agents = {one.check.agent for one in measured.checks} - {None}
    if len(agents) == 1:
        kept["agentName"] = agents.pop()
    extensions = dict(cast("Mapping[str, Json]", kept.get("extensions") or {}))
    ours = extensions.get(EXTENSION)
    extensions[EXTENSION] = {**(ours if isinstance(ours, dict) else {}), "runner": _runner(stamp)}
    return {**kept, "evaluatedAt": stamp.evaluated_at, "extensions": extensions}


def _runner(stamp: Stamp) -> dict[str, Json]:
    runner: dict[str, Json] = {"name": "mergebar", "version": stamp.version}
    if stamp.judge is not None:
        runner["judge"] = {
            "provider": stamp.judge.provider,
            "model": stamp.judge.model,
            "parameters": dict(stamp.judge.parameters),
        }
    return runner


def _by_suite(results: Results) -> dict[str, Measured]:
    checks: dict[str, list[CheckResult]] = {}
    for check in results.checks:
        checks.setdefault(check.check.suite, []).append(check)
    conversations: dict[str, list[Conversation]] = {}
    for conversation in results.conversations:
        conversations.setdefault(conversation.suite, []).append(conversation)
    return {
        path: Measured(checks=tuple(checks.get(path, ())), conversations=tuple(found))
        for path, found in conversations.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    measured: Measured
    shape: Shape
    redactor: Redactor

    def items(self, document: Document) -> list[Json]:
        """The items in their order, with the results of those that were put."""
        items = [_bare(item) for item in cast("list[Json]", document.source["items"])]
        put = _by_case(self.measured.conversations, lambda one: one.case)
        checks = _by_case(self.measured.checks, lambda one: one.check.case)
        for case in document.cases:
            if runs := put.get(case.key):
                own = checks.get(case.key, [])
                told = cleaning.clean(_telling(runs, own), self.redactor)
                items[case.index] = self._item(case, items[case.index], told, own)
        return items

    def _item(
        self, case: Case, item: Json, told: Conversation, checks: Sequence[CheckResult]
    ) -> Json:
        given = dict(cast("JsonObject", item))
        filled = [
            turn_results.fill(asked, self._runs_of(checks, turn=index, run=told.run), self.shape)
            if _was_reached(told, index)
            else Filled(fields={}, status=None)
            for index, asked in enumerate(told.turns)
        ]
        if case.kind is CaseKind.SINGLE and "turns" not in given:
            return {**given, **filled[0].fields}
        turns = cast("list[Json]", given["turns"])
        given["turns"] = [
            {**cast("JsonObject", turn), **one.fields}
            for turn, one in zip(turns, filled, strict=True)
        ]
        return {**given, **self._thread(told, filled)}

    def _thread(self, told: Conversation, filled: Sequence[Filled]) -> dict[str, Json]:
        fields: dict[str, Json] = {}
        named = [
            turn.answer.conversation_id for turn in told.turns if isinstance(turn.answer, Answer)
        ]
        if known := next((name for name in reversed(named) if name), None):
            fields["conversation_id"] = known
        if summary := statuses.of_thread(one.status for one in filled):
            fields["summary"] = dict(summary.record())
        return fields

    def _runs_of(
        self, checks: Iterable[CheckResult], *, turn: int, run: int
    ) -> dict[str, RunResult]:
        return {
            one.check.name: cleaning.clean(one.runs[run], self.redactor)
            for one in checks
            if one.check.turn == turn and run < len(one.runs)
        }


def _by_case(things: Iterable[_Thing], case: Callable[[_Thing], str]) -> dict[str, list[_Thing]]:
    grouped: dict[str, list[_Thing]] = {}
    for thing in things:
        grouped.setdefault(case(thing), []).append(thing)
    return grouped


def _bare(item: Json) -> Json:
    """An item without results, at every depth that has them."""
    if not isinstance(item, dict):
        return item
    kept = {key: value for key, value in item.items() if key not in _OUTPUTS}
    turns = kept.get("turns")
    if isinstance(turns, list):
        kept["turns"] = [_bare(turn) for turn in turns]
    return kept


def _telling(runs: Sequence[Conversation], checks: Sequence[CheckResult]) -> Conversation:
    """The first run in which the most checks came out as they did over all runs."""
    return max(
        sorted(runs, key=lambda one: one.run),
        key=lambda one: sum(_came_out(check, one.run) for check in checks),
    )


def _was_reached(told: Conversation, turn: int) -> bool:
    """Put, or ended by an earlier failure; else the run was cut short, which is no result."""
    return told.turns[turn].answer is not None or any(
        isinstance(one.answer, Failure) for one in told.turns[:turn]
    )


def _came_out(check: CheckResult, run: int) -> bool:
    return run < len(check.runs) and check.runs[run].outcome is check.outcome
