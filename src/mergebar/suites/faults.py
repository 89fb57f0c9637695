"""Schema faults as the explainer tells them in, findings in a document author's words out."""

from collections.abc import Iterator, Sequence

from mergebar.model.text import JsonObject
from mergebar.reading.schema_faults import SchemaFault
from mergebar.reading.sentences import quoted
from mergebar.suites import newer
from mergebar.suites.findings import Finding, Pointer, error
from mergebar.suites.versions import Version

UNKNOWN_KEY = "schema/unknown-key"
UNEXPLAINED = "schema/invalid"

# Keys that other tools' guides put on items (spec, section 8, R8).
_BORROWED = frozenset({"testId", "category", "notes", "id", "title", "priority", "owner"})
_OWN_SETTINGS = frozenset({"id", "severity", "weight", "runs"})
# What other evaluation tools call it.
_CALLED = {
    **dict.fromkeys(("question", "query", "input", "user_input", "utterance"), "prompt"),
    **dict.fromkeys(
        ("answer", "expected_output", "ground_truth", "reference", "ideal"), "expected_response"
    ),
    **dict.fromkeys(("output", "actual_output", "completion"), "response"),
    **dict.fromkeys(("turn", "messages", "conversation"), "turns"),
    **dict.fromkeys(("metrics", "assert", "assertions", "scorers"), "evaluators"),
}
# What a turn has and a thread hasn't: single-turn items accept these, so it is a thread.
_OF_TURNS = {
    "prompt": "an item has either `prompt` or `turns`, and this one has both: remove one",
    **{
        name: f"`{name}` belongs to a turn, not to the thread: move it into the turns it is for"
        for name in ("evaluators", "evaluators_mode", "expected_response", "context", "response")
    },
}


def tell(
    faults: Sequence[SchemaFault], root: JsonObject, version: Version, *, version_told: bool
) -> Iterator[Finding]:
    """Every fault once: what only a later version knows is told as that.

    `version_told`: what is wrong with `schemaVersion` has been said in better words.
    """
    used = newer.features(root, after=version.minor)
    refused = newer.refusals(used, [fault.pointer for fault in faults], language=version.language)
    yield from newer.report(used, version, refused=refused)
    if not faults:
        # The two validators disagree, which a test rules out for what is known: never accept.
        yield error(UNEXPLAINED, "not valid against the schema of eval documents", ())
    for fault in faults:
        pointer = fault.pointer
        if version_told and pointer == ("schemaVersion",):
            continue
        if not any(pointer[: len(place)] == place for place in refused):
            yield _finding(fault, pointer)


def broken(faults: Sequence[SchemaFault]) -> frozenset[Pointer]:
    """The parts of the document that aren't of their shape: an item, or a key of the root.

    A key too many leaves all else as it has to be.
    """
    pointers = (fault.pointer for fault in faults if fault.rule != UNKNOWN_KEY)
    return frozenset(
        pointer[:2] if pointer[0] == "items" else pointer[:1] for pointer in pointers if pointer
    )


def _finding(fault: SchemaFault, pointer: Pointer) -> Finding:
    own = _of_item(pointer) if fault.rule == UNKNOWN_KEY else None
    return error(fault.rule, own or fault.message, pointer, on_key=fault.on_key)


def _of_item(pointer: Pointer) -> str | None:
    """Better words for a key that an item can't have, where it is known what was meant."""
    match pointer:
        case ("items", int(), str(name)) if name in _OF_TURNS:
            return _OF_TURNS[name]
        case ("items", int(), "turns", int(), str(name)) if _CALLED.get(name) == "turns":
            return None
        case ("items", int(), str(name)) | ("items", int(), "turns", int(), str(name)):
            return _move(name) if name in _BORROWED else _rename(name)
        case _:
            return None


def _rename(name: str) -> str | None:
    meant = _CALLED.get(name)
    return f"`{name}` is no key of the format: here it is called `{meant}`" if meant else None


def _move(name: str) -> str:
    if name in _OWN_SETTINGS:
        place = f'`extensions`: `{{"io.github.mergebar": {{"{name}": …}}}}`'
        return f"{quoted(name)} is no key of the format: move it under {place}"
    return f"{quoted(name)} is no key of the format: move it under `extensions`, which is free"
