"""A response in; how many different sources its text cites, out."""

from collections.abc import Sequence

from mergebar.evaluators import citation_marks, requirements, scoring
from mergebar.evaluators.citation_marks import Mark
from mergebar.evaluators.measuring import Measured
from mergebar.model.conversations import Failure
from mergebar.model.evaluations import Evaluator, Evidence, Score
from mergebar.model.text import Json, JsonObject
from mergebar.reading.sentences import counted


def create() -> Evaluator:
    return Measured(name="Citations", measure=_measure)


def _measure(evidence: Evidence, options: JsonObject, threshold: float) -> Score | Failure:
    written = options.get("citation_format", citation_marks.DEFAULT_FORMAT)
    wanted = citation_marks.ALIASES.get(written, written) if isinstance(written, str) else ""
    if wanted not in (*citation_marks.FORMATS, citation_marks.MIXED):
        known = ", ".join(f"`{name}`" for name in (*citation_marks.FORMATS, citation_marks.MIXED))
        return requirements.misconfigured(
            f"`citation_format` is `{scoring.tidy(str(written), limit=40)}`, which `Citations` "
            f"doesn't know: use one of {known}"
        )
    marks = citation_marks.find(evidence.response, wanted)
    unique = _unique(marks)
    passed = scoring.meets(len(unique), threshold)
    reason = _reason(unique, marks, wanted, evidence, threshold=threshold)
    return Score(
        passed=passed,
        score=float(len(unique)),
        threshold=threshold,
        reason=reason,
        record={
            "count": len(unique),
            "result": scoring.result(passed=passed),
            "threshold": int(threshold) if threshold == int(threshold) else threshold,
            "format": _found(unique) or wanted,
            "citations": _listed(unique),
            "total": len(marks),
            "reason": reason,
        },
    )


def _unique(marks: Sequence[Mark]) -> list[Mark]:
    """The first mark of each reference, in the order of the text."""
    first: dict[tuple[str, str], Mark] = {}
    for mark in marks:
        first.setdefault((mark.format, mark.id), mark)
    return list(first.values())


def _found(marks: Sequence[Mark]) -> str:
    """The one format that was found, `mixed` for several, and nothing for none."""
    formats = {mark.format for mark in marks}
    return citation_marks.MIXED if len(formats) > 1 else next(iter(formats), "")


def _listed(unique: Sequence[Mark]) -> list[Json]:
    """A mark that shows a number keeps it as its index; the others are numbered as they come."""
    return [
        {
            "index": position if mark.number is None else mark.number,
            "text": scoring.tidy(mark.id),
            "format": mark.format,
            **({} if mark.source is None else {"source": scoring.tidy(mark.source)}),
        }
        for position, mark in enumerate(unique, start=1)
    ]


def _reason(
    unique: Sequence[Mark],
    marks: Sequence[Mark],
    wanted: str,
    evidence: Evidence,
    *,
    threshold: float,
) -> str:
    count = len(unique)
    reason = f"{counted(count, 'source')} cited"
    if len(marks) != count:
        reason += f", {len(marks)} times in all"
    reason += f" (`{wanted}`)"
    if not scoring.meets(count, threshold):
        reason += f", {threshold:g} wanted"
    return reason if unique else "; ".join([reason, *_elsewhere(evidence, wanted)])


def _elsewhere(evidence: Evidence, wanted: str) -> list[str]:
    """Where citations are to be found, when this format has none."""
    hints = []
    for name in citation_marks.FORMATS:
        marks = (
            ()
            if wanted in (name, citation_marks.MIXED)
            else citation_marks.find(evidence.response, name)
        )
        count = len({mark.id for mark in marks})
        if count:
            hints.append(f"`citation_format: {name}` would find {count}")
    count = len(evidence.citations)
    if count:
        hints.append(
            f"the agent names {counted(count, 'source')} beside its answer, which don't "
            "count: this evaluator reads the text"
        )
    return hints
