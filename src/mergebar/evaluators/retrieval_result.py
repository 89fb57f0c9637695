"""What an agent found in; whether the expected texts are among it, word for word, out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from mergebar import catalogue
from mergebar.evaluators import requirements, retrieval, scoring
from mergebar.evaluators.measuring import Measured
from mergebar.evaluators.retrieval import Execution, Hit
from mergebar.model.conversations import Failure
from mergebar.model.evaluations import Evaluator, Evidence, Score
from mergebar.model.text import Json, JsonObject
from mergebar.reading.sentences import counted

DEFAULT_MAX_RANK = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """The options: texts to find, and how many hits there must be, within the first ranks."""

    capability: str
    max_rank: int
    texts: tuple[str, ...]
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What is known of the search: the hits that count, and what each wanted text was found in."""

    hits: tuple[Hit, ...]
    matched: tuple[tuple[str, Hit], ...]
    missing: tuple[str, ...]


def create() -> Evaluator:
    return Measured(name="RetrievalResult", measure=_measure)


def _measure(evidence: Evidence, options: JsonObject, _threshold: float) -> Score | Failure:
    wanted = _wanted(options)
    if isinstance(wanted, Failure):
        return wanted
    executions = retrieval.executions(evidence.diagnostics)
    if isinstance(executions, Failure):
        return executions
    scoped = retrieval.scoped(executions, wanted.capability)
    found = _search(scoped, wanted)
    code = _code(scoped, wanted, found)
    reason = _reason(code, wanted, found)
    if not scoped:
        reason = retrieval.nothing_scoped(executions, wanted.capability)
    return _scored(code, scoring.tidy(reason), wanted, found)


def _wanted(options: JsonObject) -> _Wanted | Failure:
    capability, items = options.get("capability"), options.get("expected_items")
    max_rank, count = options.get("max_rank", DEFAULT_MAX_RANK), options.get("min_expected_count")
    texts = _texts(items)
    if (
        not (isinstance(capability, str) and capability)
        or not _is_whole(max_rank)
        or not (count is None or _is_whole(count))
        or texts is None
        or (not texts and count is None)
    ):
        return requirements.misconfigured(
            "`RetrievalResult` needs `capability`, and `expected_items` with a text each in "
            "`retrievalExtract_contains`, or `min_expected_count`"
        )
    return _Wanted(
        capability=capability,
        max_rank=int(max_rank),
        texts=texts,
        count=None if count is None else int(count),
    )


def _is_whole(value: Json) -> TypeGuard[int | float]:
    """`3.0` is a whole number to JSON Schema, and so to whoever writes one."""
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _texts(items: Json) -> tuple[str, ...] | None:
    """The wanted texts; `None` where one isn't a text or is blank, which everything contains."""
    if items is None:
        return ()
    if not isinstance(items, list):
        return None
    texts = [
        each.get("retrievalExtract_contains") if isinstance(each, dict) else None for each in items
    ]
    if any(catalogue.is_blank(text) for text in texts):
        return None
    return tuple(str(text) for text in texts)


def _search(scoped: Iterable[Execution], wanted: _Wanted) -> _Found:
    hits = _candidates(scoped, wanted.max_rank)
    folded = [(hit, [_folded(extract) for extract in hit.extracts]) for hit in hits]
    places = [
        (text, next((hit for hit, texts in folded if _any_has(texts, text)), None))
        for text in wanted.texts
    ]
    return _Found(
        hits=hits,
        matched=tuple((text, hit) for text, hit in places if hit is not None),
        missing=tuple(text for text, hit in places if hit is None),
    )


def _candidates(scoped: Iterable[Execution], max_rank: int) -> tuple[Hit, ...]:
    """The hits within the first ranks, best first; two of one address and rank are one."""
    ranked = [hit for each in scoped for hit in each.hits if hit.rank <= max_rank]
    unique: dict[object, Hit] = {}
    for number, hit in enumerate(ranked):
        key: object = number if hit.url is None else (hit.url, hit.rank)
        known = unique.get(key)
        unique[key] = (
            hit if known is None else replace(known, extracts=known.extracts + hit.extracts)
        )
    return tuple(sorted(unique.values(), key=lambda hit: hit.rank))


def _any_has(extracts: Sequence[str], text: str) -> bool:
    folded = _folded(text)
    return any(folded in extract for extract in extracts)


def _folded(text: str) -> str:
    """Case and the kind and amount of whitespace don't matter."""
    return " ".join(scoring.composed(text).split())


def _code(scoped: Sequence[Execution], wanted: _Wanted, found: _Found) -> str:
    """A search that broke and returned nothing says nothing about what there is to find."""
    if any(each.failed for each in scoped) and not any(each.hits for each in scoped):
        return "error"
    if found.missing:
        return "not_retrieved"
    if wanted.count is not None and len(found.hits) < wanted.count:
        return "count_below_minimum"
    return "pass"


def _reason(code: str, wanted: _Wanted, found: _Found) -> str:
    hits = counted(len(found.hits), "hit")
    if code == "error":
        return f"`{wanted.capability}` failed and returned nothing"
    parts = [f"{hits} within rank {wanted.max_rank}"]
    if wanted.texts:
        share = len(found.matched) / len(wanted.texts)
        parts.append(f"{len(found.matched)} of {len(wanted.texts)} texts found ({share:.2f})")
    if wanted.count is not None and len(found.hits) < wanted.count:
        parts.append(f"{wanted.count} wanted")
    if found.missing:
        missing = ", ".join(f"`{scoring.tidy(text, limit=80)}`" for text in found.missing[:3])
        more = len(found.missing) - 3
        parts.append(f"not found: {missing}" + (f" and {more} more" if more > 0 else ""))
    return "; ".join(parts)


def _scored(code: str, reason: str, wanted: _Wanted, found: _Found) -> Score:
    passed = code == "pass"
    score = len(found.matched) / len(wanted.texts) if wanted.texts else float(passed)
    missing: list[Json] = [_missing(text) for text in found.missing]
    return scoring.fixed(
        score=score,
        passed=passed,
        reason=reason,
        extra={
            "diagnostic_code": code,
            "results_evaluated": len(found.hits),
            "matched_items": [_matched(text, hit) for text, hit in found.matched],
            "missing_items": missing,
            "extract_failures": missing if found.hits else [],
        },
    )


def _matched(text: str, hit: Hit) -> dict[str, Json]:
    record: dict[str, Json] = {"extractMatch": text, "matchedHitRank": hit.rank}
    if hit.url is not None:
        record["matchedHitUrl"] = scoring.tidy(hit.url)
    return {**record, "reason": "literal: an extract of this hit has the text in it"}


def _missing(text: str) -> dict[str, Json]:
    return {"extractMatch": text, "reason": "literal: no extract has the text in it"}
