"""The bytes of a text file in, its text out, or what is wrong with its size or encoding."""

from dataclasses import dataclass

from mergebar.model.problems import Level, Problem
from mergebar.reading.limits import MAX_BYTES, too_large

_BOM = "\ufeff"
_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32 (little endian)"),
    (b"\x00\x00\xfe\xff", "UTF-32 (big endian)"),
    (b"\xff\xfe", "UTF-16 (little endian)"),
    (b"\xfe\xff", "UTF-16 (big endian)"),
)
_WIDE = {
    (True, False, False, False): "UTF-32 (little endian)",
    (False, False, False, True): "UTF-32 (big endian)",
    (True, False, True, False): "UTF-16 (little endian)",
    (False, True, False, True): "UTF-16 (big endian)",
    (True, False): "UTF-16 (little endian)",
    (False, True): "UTF-16 (big endian)",
}
"""Which of the first bytes are set, in a file that begins with ASCII but has no mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """The text without its byte order mark; `problems` are notices."""

    text: str
    problems: tuple[Problem, ...]


def decode(data: bytes, *, path: str, prefix: str, limit: int = MAX_BYTES) -> Decoded | Problem:
    """Read UTF-8, and name what else it is. Rules begin with `prefix`."""
    if len(data) > limit:
        return too_large(len(data), limit=limit, path=path, rule=f"{prefix}/too-large")
    wide = _wide_encoding(data)
    if wide is not None:
        return Problem(
            level=Level.ERROR,
            rule=f"{prefix}/encoding",
            message=f"the file is {wide}: save it as UTF-8",
            path=path,
            line=1,
            column=1,
        )
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return _not_utf8(data, error, path=path, prefix=prefix)
    if text.startswith(_BOM):
        return Decoded(text=text[1:], problems=(_marked(path=path, prefix=prefix),))
    return Decoded(text=text, problems=())


def _wide_encoding(data: bytes) -> str | None:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    return _WIDE.get(tuple(byte != 0 for byte in data[:4]))


def _not_utf8(data: bytes, error: UnicodeDecodeError, *, path: str, prefix: str) -> Problem:
    before = data[: error.start].decode().removeprefix(_BOM)
    return Problem(
        level=Level.ERROR,
        rule=f"{prefix}/encoding",
        message=(
            f"the byte 0x{data[error.start]:02X} is not UTF-8 here: "
            "the file is in another encoding or damaged; save it as UTF-8"
        ),
        path=path,
        line=before.count("\n") + 1,
        column=len(before) - before.rfind("\n"),
    )


def _marked(*, path: str, prefix: str) -> Problem:
    return Problem(
        level=Level.NOTICE,
        rule=f"{prefix}/byte-order-mark",
        message="the file begins with a byte order mark, which UTF-8 doesn't need: remove it",
        path=path,
        line=1,
        column=1,
    )
