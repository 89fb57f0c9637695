"""A judge's reply as text in, the JSON object that decides out, or why there is none."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mergebar.model.text import Json, JsonObject
from mergebar.untrusted import truncation

_PROSE_LENGTH = 4000
_TRIED_BRACES = 100
_LONGEST = 200_000
_FENCED = re.compile(r"\A```[\w-]*[ \t]*\r?\n(.*?)\r?\n?```\Z", re.DOTALL)

_Pairs = list[tuple[str, Json]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """The reply is no verdict, but asking again may bring one. `message` says why."""

    message: str


class _TwiceError(ValueError):
    """A key that decides stands twice in one object; it never leaves this module."""


def object_in(
    text: str,
    *,
    holding: str,
    deciding: Sequence[str],
    also: Callable[[JsonObject], bool] = lambda _: False,
) -> JsonObject | Unusable:
    """From the whole text, from its fence, or else the first object in it that has a `holding`.

    A whole text without that key counts where `also` says so. A key of `deciding` that stands
    twice in one object makes the reply unusable: nobody can say which was meant. So do two such
    objects in prose that differ in what decides: one of them may be quoted, or a draft.
    """
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: _distinct(pairs, deciding))
    stripped = text.strip().removeprefix("\ufeff").strip()
    if not stripped:
        return Unusable(message="it is empty")
    try:
        found = _objects_of(stripped, decoder, holding, also)
    except _TwiceError as error:
        return Unusable(message=f"it gives `{error}` twice")
    if not found:
        return Unusable(message=f"it holds no JSON object with a `{holding}`")
    if any(_decision(one, deciding) != _decision(found[0], deciding) for one in found):
        return Unusable(message=f"it holds several JSON objects with a `{holding}`")
    return found[0]


def _decision(value: JsonObject, deciding: Sequence[str]) -> list[Json]:
    return [value.get(key) for key in deciding]


def prose(value: Json) -> str:
    """What a reply says in words: not too long, and sendable. Anything but a text is none."""
    if not isinstance(value, str):
        return ""
    text = value.strip().encode("utf-8", "replace").decode("utf-8")
    return truncation.characters(text, _PROSE_LENGTH)


def _objects_of(
    text: str, decoder: json.JSONDecoder, holding: str, also: Callable[[JsonObject], bool]
) -> list[JsonObject]:
    """The whole text, or what is found in it."""
    fenced = _FENCED.match(text)
    body = fenced.group(1) if fenced else text
    try:
        whole = decoder.decode(body)
    except _TwiceError:
        raise
    except (ValueError, RecursionError):
        return list(_objects(body[:_LONGEST], decoder, holding))
    return [whole] if isinstance(whole, dict) and (holding in whole or also(whole)) else []


def _objects(text: str, decoder: json.JSONDecoder, holding: str) -> Iterator[JsonObject]:
    start = text.find("{")
    for _ in range(_TRIED_BRACES):
        if start < 0:
            return
        try:
            value, end = decoder.raw_decode(text, start)
        except _TwiceError:
            raise
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if holding in value:
                yield value
        start = text.find("{", end)


def _distinct(pairs: _Pairs, deciding: Sequence[str]) -> dict[str, Json]:
    for key in deciding:
        if len([name for name, _ in pairs if name == key]) > 1:
            raise _TwiceError(key)
    return dict(pairs)
