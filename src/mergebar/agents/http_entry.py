"""The entry of an `http` agent in, what keeps every request of it from being made out."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from mergebar.agents import expressions
from mergebar.calling import entries
from mergebar.model.problems import EntryFault, Level
from mergebar.model.text import Json
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import listed, quoted

NAMES = ("prompt", "conversation_id", "history", "messages", "turn", "case", "run")
PLACEHOLDER = re.compile(r"\{(" + "|".join(NAMES) + r")\}")
BODYLESS = "GET"
_DOUBLED = re.compile(r"\{\{\s*(" + "|".join(NAMES) + r")\s*\}\}")
_OTHER = re.compile(r"(?<![${])\{([A-Za-z_][A-Za-z0-9_-]*)\}(?!\})")
_ASKING = ("{prompt}", "{messages}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_COUNTED = frozenset({"content-length", "transfer-encoding"})

Place = tuple[str | int, ...]


def faults(options: Mapping[str, Json], root: Path) -> Iterator[EntryFault]:
    """All of them, in the order of the keys."""
    del root  # an entry of this type names no file
    yield from _address(entries.text(options, "url"))
    yield from _method(options)
    yield from _headers(options.get("headers"))
    for place, text in _places(options):
        yield from _placeholders(place, text)
    yield from _unasked(options)
    yield from _selectors(options.get("select"))


def _address(url: str) -> Iterator[EntryFault]:
    if PLACEHOLDER.search(_authority(url)):
        message = "holds a placeholder before the path: an answer must not choose the host"
        yield EntryFault(key=("url",), message=message)
    elif not (entries.is_open(url) or entries.is_url(url)):
        yield EntryFault(key=("url",), message=entries.NO_URL)


def _authority(url: str) -> str:
    """What comes before the path, without what the environment gives."""
    if not url.partition("://")[2]:
        return ""
    try:
        return urlsplit(url.replace("${", "")).netloc
    except ValueError:
        return ""


def _method(options: Mapping[str, Json]) -> Iterator[EntryFault]:
    if options.get("method") == BODYLESS and options.get("body") is not None:
        message = (
            "is sent with `method: GET`, which has no body: write `method: POST`, or put what it "
            "says into `url`"
        )
        yield EntryFault(key=("body",), message=message)


def _headers(headers: Json) -> Iterator[EntryFault]:
    seen: dict[str, str] = {}
    for name, value in headers.items() if isinstance(headers, dict) else ():
        text = "" if value is None else str(value).strip()
        fault = _header(name, text, seen.get(name.lower()))
        seen.setdefault(name.lower(), name)
        if fault is not None:
            yield EntryFault(key=("headers", name), message=fault)


def _header(name: str, text: str, twin: str | None) -> str | None:
    if not _HEADER_NAME.fullmatch(name):
        return "is no name of a header"
    if name.lower() in _COUNTED:
        return "is counted from what is sent: remove it"
    if twin is not None:
        return f"is the same header as {quoted(twin)}: remove one of the two"
    if not entries.is_open(text) and not (text.isascii() and text.isprintable()):
        return "holds characters that no header has: line breaks, or letters that are not ASCII"
    return None


def _placeholders(place: Place, text: str) -> Iterator[EntryFault]:
    doubled = _DOUBLED.search(text)
    if doubled:
        message = f"holds `{doubled[0]}`, one pair of braces too many: write `{{{doubled[1]}}}`"
        yield EntryFault(key=place, message=message)
    for found in _OTHER.finditer(text):
        name = found[1]
        near = None if name in NAMES else nearest(name, NAMES)
        if near is not None:
            message = (
                f"holds {quoted(found[0])}, which is no placeholder: did you mean `{{{near}}}`?"
            )
            yield EntryFault(key=place, message=message)
        elif name not in NAMES:
            known = listed(f"{{{one}}}" for one in NAMES)
            message = (
                f"holds {quoted(found[0])}, which is sent as it stands: the placeholders are "
                f"{known}"
            )
            yield EntryFault(key=place, message=message, level=Level.WARNING)


def _unasked(options: Mapping[str, Json]) -> Iterator[EntryFault]:
    """Every case would be asked the same; what the environment may still say makes it a doubt."""
    body = options.get("body")
    if body is None and options.get("method") != BODYLESS:
        return  # the whole question is sent
    texts = [entries.text(options, "url"), *(text for _, text in _texts(body, ("body",)))]
    if any(_asks(text) for text in texts):
        return
    is_open = any(entries.is_open(text) for text in texts)
    yield EntryFault(
        key=("url",) if body is None else ("body",),
        message="never mentions `{prompt}`, so that every case would be asked the same",
        level=Level.WARNING if is_open else Level.ERROR,
    )


def _asks(text: str) -> bool:
    """Whether it holds the prompt, or means to: what is only mistyped is told once."""
    if any(name in text.replace(f"${name}", "") for name in _ASKING) or _DOUBLED.search(text):
        return True
    return any(f"{{{nearest(found[1], NAMES)}}}" in _ASKING for found in _OTHER.finditer(text))


def _selectors(select: Json) -> Iterator[EntryFault]:
    for key, text in select.items() if isinstance(select, dict) else ():
        if not isinstance(text, str) or entries.is_open(text):
            continue
        fault = expressions.fault(text)
        if fault is not None:
            yield EntryFault(key=("select", key), message=f"({quoted(text)}) {fault}")


def _places(options: Mapping[str, Json]) -> Iterator[tuple[Place, str]]:
    for key in ("url", "headers", "body"):
        yield from _texts(options.get(key), (key,))


def _texts(value: Json, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _texts(part, (*place, index))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _texts(part, (*place, key))
