"""A secret in, the ways in which a text may spell it out.

Each is in lower case, as are the texts that they are looked for in: who prints a secret may change
its case. What is encoded whole is found beside anything that was encoded with it.
"""

import base64
import html
import json
import urllib.parse
from collections.abc import Iterator

_COMPONENT = "!'()*~-_."  # what JavaScript's `encodeURIComponent` leaves alone
_ADDRESS = _COMPONENT + ";,/?:@&=+$#"  # and its `encodeURI`
_SAFE = ("", "/", _COMPONENT, _ADDRESS)
_BITS_OF_A_BYTE, _BITS_OF_A_CHARACTER = 8, 6


def lowered(text: str) -> str:
    """In lower case, as long as it was, and each character whatever stands beside it."""
    low = text.lower()
    if len(low) == len(text) and "\u03a3" not in text:  # a capital sigma ends words otherwise
        return low
    return "".join(small if len(small := one.lower()) == 1 else one for one in text)


def of(value: str) -> frozenset[str]:
    """All of them, the value itself included."""
    found = {value, " ".join(value.split()), repr(value)[1:-1]}
    found |= {*_in_json(value), *_in_addresses(value), *_in_markup(value), *_encoded(value)}
    return frozenset(map(lowered, found))


def _in_json(value: str) -> Iterator[str]:
    """Once or twice, with and without what encoders escape beyond need."""
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield once.replace("/", r"\/")
        yield once.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]


def _in_addresses(value: str) -> Iterator[str]:
    for safe in _SAFE:
        yield urllib.parse.quote(value, safe=safe, errors="replace")
    yield urllib.parse.quote_plus(value, errors="replace")


def _in_markup(value: str) -> Iterator[str]:
    plain = html.escape(value, quote=False)
    yield plain
    for double, single in (("&quot;", "&#x27;"), ("&quot;", "&#39;"), ("&#34;", "&#39;")):
        yield plain.replace('"', double).replace("'", single)
    yield plain.replace('"', "&quot;").replace("'", "&apos;")
    yield plain.replace('"', "&quot;")


def _encoded(value: str) -> Iterator[str]:
    """In hexadecimal, and in base64 whatever was encoded before and after it (`user:secret`)."""
    data = value.encode("utf-8", "replace")
    yield data.hex()
    for before in range(3):
        start = -(-before * _BITS_OF_A_BYTE // _BITS_OF_A_CHARACTER)
        end = (before + len(data)) * _BITS_OF_A_BYTE // _BITS_OF_A_CHARACTER
        padded = bytes(before) + data
        yield base64.b64encode(padded).decode()[start:end]
        yield base64.urlsafe_b64encode(padded).decode()[start:end]
