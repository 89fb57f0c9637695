"""A stream of events as bytes in, what each of them held out: server-sent events, or JSON lines."""

import re
from collections.abc import Iterator

from mergebar.calling import machine_json, replies
from mergebar.model.text import Json

_END = "[DONE]"
"""What OpenAI's streams, and those that follow them, end with."""

_ENDED = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]\s")
_TAIL = 256

_ERROR = "error"


def events(body: bytes) -> list[Json] | str:
    """The data of each server-sent event, as JSON where it is JSON, else as text.

    An event of the type `error` is the end of the sentence that is returned in place of the list.
    So is one that begins as an object and can't be read as one where others are objects: it was
    cut off, or is none to keep. The format is that of the HTML standard, section 9.2.
    """
    found: list[Json] = []
    broken: str | None = None
    for kind, data in _events(body.decode("utf-8-sig", "replace")):
        if data == _END:
            break
        parsed = machine_json.parse_any(data.encode())
        value: Json = parsed.value if isinstance(parsed, machine_json.Parsed) else data
        if kind == _ERROR:
            return f"there is an event `error`: {replies.error_text(value)}"
        found.append(value)
        if isinstance(parsed, machine_json.Fault) and data.lstrip().startswith("{"):
            broken = broken or f"event {len(found)} {parsed.message}"
    if broken is not None and any(isinstance(value, dict) for value in found):
        return broken
    return found


def is_ended(body: bytearray) -> bool:
    """Whether a stream of events has said that nothing follows; it may stay open all the same."""
    return _ENDED.search(body[-_TAIL:]) is not None


def lines(body: bytes) -> list[Json] | str:
    """The JSON of each line that isn't blank; or what is wrong, as the end of a sentence."""
    found: list[Json] = []
    for number, line in enumerate(body.split(b"\n"), start=1):
        if not line.strip():
            continue
        parsed = machine_json.parse_any(line)
        if isinstance(parsed, machine_json.Fault):
            return f"line {number} {parsed.message}"
        found.append(parsed.value)
    return found


def _events(text: str) -> Iterator[tuple[str, str]]:
    """Type and data of each event. What isn't ended by an empty line was cut off, and is given."""
    kind, data = "", list[str]()
    for line in (*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""):
        if not line:
            if data:
                yield kind, "\n".join(data)
            kind, data = "", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value
