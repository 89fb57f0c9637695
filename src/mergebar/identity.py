"""Keys and digests: what a check is called, and whether two checks measured the same thing."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence

from mergebar.model.conversations import Exchange
from mergebar.model.text import Json, JsonObject

LABEL_LENGTH = 60
_KEY_LENGTH = 12
_ENCODE = json.JSONEncoder(
    ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False
).encode


def digest(value: Json | Mapping[str, Json]) -> str:
    """The sha256, in hex, of a value: the order of keys doesn't matter, all else does."""
    return hashlib.sha256(_ENCODE(value).encode("ascii")).hexdigest()


def case_key(*, id: str | None, name: str | None, prompts: Sequence[str]) -> str:  # noqa: A002 - the field's own name
    """What a case is called (product contract, section 7): never by its position.

    The same key may come twice in one document: `distinguish` numbers those.
    """
    if id is not None:
        return id
    if name:
        return name
    return digest(list(prompts))[:_KEY_LENGTH]


def distinguish(keys: Sequence[str]) -> tuple[str, ...]:
    """Number the second and later occurrences of a key, in order: `k`, `k~2`, `k~3`.

    A number that another key already spells out is passed over, so that all are distinct.
    """
    taken = set(keys)
    counts: dict[str, int] = {}
    distinct = []
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
        if counts[key] == 1:
            distinct.append(key)
            continue
        while (numbered := f"{key}~{counts[key]}") in taken:
            counts[key] += 1
        taken.add(numbered)
        distinct.append(numbered)
    return tuple(distinct)


def check_id(*, suite: str, case: str, turn: int | None, name: str) -> str:
    """`<suite>::<case>[::<turn>]::<name>`; a document's check always has a turn."""
    parts = [suite, case] if turn is None else [suite, case, str(turn)]
    return "::".join([*parts, name])


def label(text: str) -> str:
    """A short name for people: one line without control characters, at most 60 characters."""
    line = " ".join((text if text.isprintable() else _visible(text)).split())
    return line if len(line) <= LABEL_LENGTH else line[: LABEL_LENGTH - 1].rstrip() + "…"


def _visible(text: str) -> str:
    return "".join(" " if unicodedata.category(one) in {"Cc", "Zl", "Zp"} else one for one in text)


def history_value(history: Sequence[Exchange]) -> list[Json]:
    """The turns before, as they stand in a digest."""
    return [{"prompt": exchange.prompt, "response": exchange.response} for exchange in history]


def answer_digest(prompt: str, history: Sequence[Exchange]) -> str:
    """What a recorded answer answered: the prompt and the turns before it."""
    return digest({"prompt": prompt, "history": history_value(history)})


def definition(
    *,
    prompts: Sequence[str],
    expected_response: str | None,
    context: str | None,
    evaluator: str,
    options: JsonObject,
    threshold: float | None,
) -> str:
    """What a check measures, as a digest: `prompts` are those up to and with its own turn."""
    return digest(
        {
            "prompts": list(prompts),
            "expected_response": expected_response,
            "context": context,
            "evaluator": evaluator,
            "options": dict(options),
            "threshold": threshold,
        }
    )
