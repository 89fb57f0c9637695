"""`metadata` in, what the schema has against it out, in the words of whoever wrote it."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from mergebar.model.text import Json
from mergebar.reading import accepting, pointers, schemas
from mergebar.reading.schema_faults import Explain, SchemaFault
from mergebar.reading.sentences import quoted
from mergebar.suites.artifacts import keys
from mergebar.suites.artifacts.declarations import EVALS, Source
from mergebar.suites.faults import UNEXPLAINED, UNKNOWN_KEY
from mergebar.suites.findings import Finding, Pointer, error

SCHEMA = "artifact-evals.schema.json"

_TRUTHS = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
_BELONGS = {
    "when": "`when` belongs in `options`: move it there",
    "name": "`name` is no key of an eval: write `id`",
    "tool": "`tool` belongs in `options`: move it there",
    "use": "`use` is for pages: an artifact's eval is written out",
}


def check(source: Source, explain: Explain) -> tuple[Finding, ...]:
    """Every fault once; `explain` is called only for what is refused."""
    value: dict[str, Json] = {"metadata": source.root["metadata"]}
    if _accepts(value):
        return ()
    faults = explain(schemas.load(SCHEMA), value)
    if not faults:
        # The two validators disagree, which a test rules out for what is known: never accept.
        return (error(UNEXPLAINED, "not valid against the schema of artifacts' evals", ()),)
    return tuple(_findings(faults, source))


def broken(found: Sequence[Finding]) -> frozenset[Pointer]:
    """The places under `metadata` that aren't of their shape: an eval, or a whole key.

    A key too many leaves all else as it has to be.
    """
    depth = len(EVALS)
    return frozenset(
        finding.pointer[: depth + 1]
        if finding.pointer[:depth] == EVALS
        else finding.pointer[:depth]
        for finding in found
        if finding.rule != UNKNOWN_KEY or finding.pointer[:depth] == EVALS
    )


def _accepts(value: Json) -> bool:
    """By the fast validator; a value that it can't read is not valid."""
    try:
        return _validator()(value)
    except ValueError:
        return False


@cache
def _validator() -> Callable[[Json], bool]:
    return accepting.accepts(schemas.load(SCHEMA))


def _findings(faults: Sequence[SchemaFault], source: Source) -> Iterator[Finding]:
    colons = {
        pointer[: len(EVALS) + 1]
        for pointer in (fault.pointer for fault in faults)
        if _is_broken_text(pointers.at(dict(source.root), pointer[: len(EVALS) + 1]), pointer)
    }
    for pointer in sorted(colons, key=str):
        yield error("schema/type", _COLON, pointer)
    for fault in faults:
        pointer = fault.pointer
        told = pointer[: len(EVALS) + 1] in colons or _is_misnamed_id(fault, pointer, source)
        if not told:
            message = _message(fault, pointer, source)
            yield error(fault.rule, message, pointer, on_key=fault.on_key)


def _is_misnamed_id(fault: SchemaFault, pointer: Pointer, source: Source) -> bool:
    """The `id` is only missing because it is called `name`, which is told at the key."""
    entry = pointers.at(dict(source.root), pointer)
    is_id = fault.rule == "schema/required" and fault.message.startswith("`id` ")
    return is_id and isinstance(entry, dict) and "name" in entry


_COLON = (
    "this eval is an object, because of the colon and the space in it: put it in quotes, if it is "
    "an assertion"
)


def _is_broken_text(entry: Json, pointer: Pointer) -> bool:
    """`- Run: the tests` was a sentence."""
    if pointer[: len(EVALS)] != EVALS or not isinstance(entry, dict) or len(entry) != 1:
        return False
    key, value = next(iter(entry.items()))
    looks_like_text = " " in key or key[:1].isupper()
    return looks_like_text and not isinstance(value, dict | list)


def _message(fault: SchemaFault, pointer: Pointer, source: Source) -> str:
    last = pointer[-1] if pointer else ""
    if fault.rule == _REFUSED and isinstance(last, str) and last.startswith(keys.RESERVED):
        return keys.reserved(last)
    if fault.rule == UNKNOWN_KEY and isinstance(last, str) and last in _BELONGS:
        return _BELONGS[last] if len(pointer) == len(EVALS) + 2 else fault.message
    return fault.message + (_hint(pointer, source) if fault.rule in _OF_VALUES else "")


_OF_VALUES = {"schema/type", "schema/pattern"}
_REFUSED = "schema/not-allowed"


def _hint(pointer: Pointer, source: Source) -> str:
    """What to do where it is only a matter of quotes."""
    value = pointers.at(dict(source.root), pointer)
    if isinstance(value, str):
        return _of_text(value, pointer)
    plain = source.plain(pointer)
    if plain is None or isinstance(value, dict | list) or not _takes_text(pointer):
        return ""
    if value is None:
        return "" if plain.text else ": nothing stands here"
    return f": YAML takes {quoted(plain.text)} for {_kind(value)}; put it in quotes"


def _of_text(value: str, pointer: Pointer) -> str:
    is_flag = pointer[-1] in {"eval-skip", "skip"}
    if is_flag and value in {"true", "false"}:
        return ": remove the quotes"
    if is_flag and value.lower() in _TRUTHS:
        return f": since YAML 1.2 that is a text; write `{_TRUTHS[value.lower()]}`"
    if pointer[-1] in {"runs", "timeout-ms", "weight"} and value.replace(".", "", 1).isdigit():
        return ": remove the quotes"
    if pointer[-1] == "id" and value.endswith("\n"):
        return "; it ends with a line break: remove that"
    return ""


def _kind(value: Json) -> str:
    return "a truth value" if isinstance(value, bool) else "a number"


def _takes_text(pointer: Pointer) -> bool:
    """Whether a text is, or may be, what is wanted there."""
    if pointer == EVALS or (pointer[: len(EVALS)] == EVALS and len(pointer) == len(EVALS) + 1):
        return True
    names = [step for step in pointer if isinstance(step, str)]
    return bool(names) and names[-1] in _TEXTS


_TEXTS = frozenset(
    {
        "id",
        "assertion",
        "grader",
        "provider",
        "model",
        "command",
        "generated-assertion-hash",
        "evidence",
        "path",
        "pass",
        "fail",
        "generated-by",
        "fields",
        "evals",
    }
)
