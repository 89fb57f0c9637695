"""A JSON text that was refused in, each of its faults out, at its line and as a sentence."""

import json
import math
import re
from collections.abc import Iterator
from itertools import islice

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading import json_syntax, sentences
from mergebar.reading.limits import MAX_DEPTH, MAX_TOLD
from mergebar.reading.lines import Lines

_LEXEME = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s{}\[\],:"]++')
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)

_OPENING, _CLOSING, _DIVIDING, _BEFORE_KEY = {"{", "["}, {"}", "]"}, {",", ":"}, {"{", ","}
_TOO_DEEP = f"lists and objects are nested more than {MAX_DEPTH} deep here: flatten them"

_Fault = tuple[int, str, str]
"""Offset, the rule's last part, sentence."""


def find(text: str, *, path: str, prefix: str) -> tuple[Problem, ...]:
    """Every fault; only the first one where the syntax itself is broken."""
    lines = Lines(text)
    error = _syntax_error(text)
    if error is None:
        faults = islice(_walk(text, lines), MAX_TOLD)
    else:
        offset, sentence = json_syntax.describe(text, error, lines=lines)
        faults = islice([(offset, "json-syntax", f"invalid JSON: {sentence}")], 1)
    return tuple(
        _problem(fault, path=path, prefix=prefix, place=lines.at(fault[0])) for fault in faults
    )


def has_lone_surrogate(text: str) -> bool:
    """Whether half of a character is escaped in a valid text: a look at the escapes alone."""
    return any(match["lone"] for match in _ESCAPE.finditer(text))


def _problem(fault: _Fault, *, path: str, prefix: str, place: tuple[int, int]) -> Problem:
    _, rule, sentence = fault
    return Problem(
        level=Level.ERROR,
        rule=f"{prefix}/{rule}",
        message=sentence,
        path=path,
        line=place[0],
        column=place[1],
    )


def _syntax_error(text: str) -> json.JSONDecodeError | None:
    try:
        _TOLERANT.decode(text)
    except json.JSONDecodeError as error:
        return error
    except RecursionError:
        # Valid as far as it was read, which is deeper than the walk goes.
        return None
    return None


def _nothing(_literal: str) -> Json:
    return None


_TOLERANT = json.JSONDecoder(parse_float=_nothing, parse_int=_nothing, parse_constant=_nothing)


def _walk(text: str, lines: Lines) -> Iterator[_Fault]:
    """Lexeme by lexeme; each open object maps its keys to where they stand, a list to nothing."""
    stack: list[dict[str, int] | None] = []
    before = ""
    for match in _LEXEME.finditer(text):
        lexeme, offset = match[0], match.start()
        if lexeme in _OPENING:
            stack.append({} if lexeme == "{" else None)
            if len(stack) > MAX_DEPTH:
                yield offset, "too-deep", _TOO_DEEP
                return
        elif lexeme in _CLOSING:
            stack.pop()
        elif lexeme[0] == '"':
            yield from _lone_surrogates(lexeme, offset)
            keys = stack[-1] if stack and before in _BEFORE_KEY else None
            if keys is not None:
                yield from _duplicate(lexeme, offset, keys, lines)
        elif lexeme not in _DIVIDING:
            yield from _bad_number(lexeme, offset)
        before = lexeme


def _duplicate(lexeme: str, offset: int, keys: dict[str, int], lines: Lines) -> Iterator[_Fault]:
    name: str = json.loads(lexeme)
    first = keys.setdefault(name, offset)
    if first != offset:
        again = f"on line {lines.at(first)[0]} and again on line {lines.at(offset)[0]}"
        sentence = f"{sentences.quoted(name)} is given twice in one object, {again}: keep one"
        yield offset, "duplicate-key", sentence


def _lone_surrogates(lexeme: str, offset: int) -> Iterator[_Fault]:
    for match in _ESCAPE.finditer(lexeme):
        if match["lone"]:
            sentence = (
                f"`\\{match['lone']}` is half of a character: a surrogate stands only in a pair; "
                "write the character itself"
            )
            yield offset + match.start(), "lone-surrogate", sentence


def _bad_number(lexeme: str, offset: int) -> Iterator[_Fault]:
    if lexeme in {"NaN", "Infinity", "-Infinity"}:
        yield (
            offset,
            "non-finite-number",
            f"`{lexeme}` is not a JSON number: write a finite one, or leave the key out",
        )
    elif lexeme[-1].isdigit() and math.isinf(float(lexeme)):
        yield (
            offset,
            "non-finite-number",
            f"{sentences.quoted(lexeme)} is too large: a number is at most about 1.8e308",
        )
