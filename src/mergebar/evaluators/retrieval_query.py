"""What an agent searched for in; whether its queries have the right terms, out."""

from mergebar.evaluators import requirements, retrieval, scoring
from mergebar.evaluators.measuring import Measured
from mergebar.evaluators.retrieval import Execution
from mergebar.model.conversations import Failure
from mergebar.model.evaluations import Evaluator, Evidence, Score
from mergebar.model.text import JsonObject
from mergebar.reading.sentences import counted

_CODES = {
    (False, False): "pass",
    (True, False): "required_terms_missing",
    (False, True): "excluded_terms_found",
    (True, True): "mixed_term_failure",
}
"""By whether a required term is missing, and whether an excluded one was found."""


def create() -> Evaluator:
    return Measured(name="RetrievalQuery", measure=_measure)


def _measure(evidence: Evidence, options: JsonObject, _threshold: float) -> Score | Failure:
    capability, selector = options.get("capability"), options.get("selector")
    if not (isinstance(capability, str) and capability and isinstance(selector, str) and selector):
        return requirements.misconfigured(
            "`RetrievalQuery` needs `capability` and `selector`, both texts"
        )
    executions = retrieval.executions(evidence.diagnostics)
    if isinstance(executions, Failure):
        return executions
    scoped = retrieval.scoped(executions, capability)
    if not scoped:
        reason = retrieval.nothing_scoped(executions, capability)
        return _failed("retrieval_failure", reason)
    if all(each.failed and not each.queries for each in scoped):
        status = scoring.tidy(scoped[0].status or "", limit=60)
        return _failed(
            "retrieval_failure", f"`{capability}` sent no query: its status is `{status}`"
        )
    return _of_terms(scoped, selector, options)


def _of_terms(scoped: tuple[Execution, ...], selector: str, options: JsonObject) -> Score:
    queries = dict.fromkeys(query for each in scoped for query in each.queries)
    matched = [query for query in queries if _contains(query, selector)]
    if not matched:
        return _failed(
            "no_matching_query",
            f"no query has the selector `{selector}` in it ({len(queries)} different sent)",
        )
    missing = [
        term
        for term in _terms(options, "includes")
        if not any(_contains(query, term) for query in matched)
    ]
    found = [
        term
        for term in _terms(options, "excludes")
        if any(_contains(query, term) for query in matched)
    ]
    code = _CODES[bool(missing), bool(found)]
    return _scored(code, _reason(matched, missing, found), matched, missing, found)


def _terms(options: JsonObject, key: str) -> list[str]:
    listed = options.get(key)
    return [term for term in listed if isinstance(term, str)] if isinstance(listed, list) else []


def _contains(query: str, term: str) -> bool:
    return scoring.composed(term) in scoring.composed(query)


def _reason(matched: list[str], missing: list[str], found: list[str]) -> str:
    queries = counted(len(matched), "query", "queries")
    parts = [f"{queries} matched the selector"]
    if missing:
        parts.append("missing: " + ", ".join(f"`{term}`" for term in missing))
    if found:
        parts.append("excluded, but found: " + ", ".join(f"`{term}`" for term in found))
    return "; ".join(parts)


def _failed(code: str, reason: str) -> Score:
    return _scored(code, reason, [], [], [])


def _scored(
    code: str, reason: str, matched: list[str], missing: list[str], found: list[str]
) -> Score:
    passed = code == "pass"
    return scoring.fixed(
        score=1.0 if passed else 0.0,
        passed=passed,
        reason=scoring.tidy(reason),
        extra={
            "diagnostic_code": code,
            "matched_queries": [scoring.tidy(query) for query in matched],
            "includes_missing": [*missing],
            "excludes_found": [*found],
        },
    )
