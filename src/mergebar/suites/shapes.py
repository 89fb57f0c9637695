"""Parsed JSON in, the document in its current shape out: itself, a legacy shape brought to it,
or the reason why it is neither.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mergebar.model.text import Json
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import quoted
from mergebar.suites import newer
from mergebar.suites.findings import Finding, Pointer, error, warning

Object: TypeAlias = dict[str, Json]
Origin: TypeAlias = Callable[[Pointer], Pointer]

NOT_A_DOCUMENT = "document/not-an-eval-document"
LEGACY = "document/legacy-shape"
RESULTS = "document/legacy-results"

_WRAP = '`{"schemaVersion": "1.7.0", "items": […]}`'
_REMEDY = "or have it done: `mergebar migrate --write`"
_RESULT_KEYS = ({"individual_results"}, {"aggregate_statistics"}, {"summary", "results"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """`root` is of the current shape; `origin` leads from a pointer into it to one into the file.

    A legacy shape declares no version: its `root` has none, and `legacy` is true.
    """

    root: Object
    origin: Origin
    legacy: bool
    found: tuple[Finding, ...] = ()


def unchanged(pointer: Pointer) -> Pointer:
    return pointer


def recognise(value: Json) -> Shape | Finding:
    """A `Finding` where nothing can be made of it."""
    if isinstance(value, list):
        return _bare_array(value)
    if not isinstance(value, dict):
        return error(NOT_A_DOCUMENT, f"not an eval document: it has to be an object, {_WRAP}", ())
    if "schemaVersion" in value:
        return Shape(root=value, origin=unchanged, legacy=False)
    return _undeclared(value)


def _undeclared(value: Object) -> Shape | Finding:
    if "items" in value:
        near = nearest("schemaVersion", value)
        hint = f" (nothing reads {quoted(near)})" if near else ""
        message = (
            f"a legacy shape: `schemaVersion` is missing{hint}, so it is read by the newest rules; "
            f'add `"schemaVersion": "1.{newer.needed(value)}.0"` as the first key, {_REMEDY}'
        )
        found = warning(LEGACY, message, ())
        return Shape(root=value, origin=unchanged, legacy=True, found=(found,))
    if any(keys <= value.keys() for keys in _RESULT_KEYS):
        return _legacy_results()
    if "prompts" in value:
        return _prompts(value)
    return error(NOT_A_DOCUMENT, f"not an eval document: {_guess(value)}", ())


def _guess(value: Object) -> str:
    if "prompt" in value or "turns" in value:
        return f"it looks like one item of a document; put it into {_WRAP}"
    if "default_evaluators" in value:
        return "`items` is missing: `default_evaluators` alone asks nothing; add the items"
    if not value:
        return f"it is an empty object; a document looks like {_WRAP}"
    return f"it has neither `schemaVersion` nor `items`; a document looks like {_WRAP}"


def _legacy_results() -> Finding:
    message = (
        "these are the results of an early runevals (before documents carried their own results), "
        "and no eval document: run the evals again with a current CLI, or name the document that "
        "they were made from"
    )
    return error(RESULTS, message, ())


def _bare_array(value: list[Json]) -> Shape | Finding:
    if value and not any(isinstance(item, dict) for item in value):
        message = f"not an eval document: an array, but not of items; a document looks like {_WRAP}"
        return error(NOT_A_DOCUMENT, message, ())
    message = f"a legacy shape, a bare array of items: wrap it, {_WRAP}, {_REMEDY}"
    return Shape(
        root={"items": value},
        origin=lambda pointer: pointer[1:],
        legacy=True,
        found=(warning(LEGACY, message, ()),),
    )


def _prompts(value: Object) -> Shape | Finding:
    prompts = value["prompts"]
    if not isinstance(prompts, list):
        return error(LEGACY, "`prompts` of a legacy document must be an array", ("prompts",))
    expected = value.get("expected_responses")
    if expected is not None and not isinstance(expected, list):
        message = "`expected_responses` of a legacy document must be an array"
        return error(LEGACY, message, ("expected_responses",))
    answers = expected or []
    if expected is not None and len(answers) != len(prompts):
        message = (
            f"`prompts` has {len(prompts)} entries and `expected_responses` has {len(answers)}: "
            "which answer belongs to which prompt can't be known; give each prompt its own"
        )
        return error(LEGACY, message, ("expected_responses",))
    rest = {key: own for key, own in value.items() if key not in {"prompts", "expected_responses"}}
    items: list[Json] = [
        _item(prompt, answers[index] if answers else None) for index, prompt in enumerate(prompts)
    ]
    parallel = " and `expected_responses`" if answers else ""
    message = (
        f"a legacy shape, `prompts`{parallel}: "
        'write `{"schemaVersion": "1.7.0", "items": [{"prompt": …, "expected_response": …}]}`, '
        f"{_REMEDY}"
    )
    found = warning(LEGACY, message, ())
    return Shape(root={**rest, "items": items}, origin=_to_prompts, legacy=True, found=(found,))


def _item(prompt: Json, expected: Json) -> Json:
    """An entry that is neither text nor an object stays as it is, for the schema to refuse."""
    item: Json = {"prompt": prompt} if isinstance(prompt, str) else prompt
    if isinstance(item, dict) and expected is not None:
        return {**item, "expected_response": expected}
    return item


def _to_prompts(pointer: Pointer) -> Pointer:
    match pointer:
        case ("items", index, "expected_response", *_):
            return ("expected_responses", index)
        case ("items", *rest):
            return ("prompts", *rest)
        case _:
            return pointer
