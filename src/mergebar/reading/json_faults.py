"""A refused JSON text in, each fault out at its line, and what can be read on nevertheless."""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
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

_UNPAIRED = re.compile(
    r"\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F])"
)
_VISIBLE = re.compile(r"[^\n]")

_OPENING, _CLOSING, _DIVIDING, _BEFORE_KEY = {"{", "["}, {"}", "]"}, {",", ":"}, {"{", ","}
_MOST_REREAD = 64 * 1024 * 1024
"""Characters that are read again for the sake of further faults."""
_DEEP, _HALF = "too-deep", "lone-surrogate"
_TOO_DEEP = f"lists and objects are nested more than {MAX_DEPTH} deep here: flatten them"

_Fault = tuple[int, str, str]
"""Offset, the rule's last part, sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """`readable` is the text as it was probably meant, with every offset as it was.

    It is `None` where what was meant can't be known.
    """

    problems: tuple[Problem, ...]
    readable: str | None


def find(text: str, *, path: str, prefix: str) -> Found:
    """Every fault; where the syntax is broken, all up to the first that leaves its meaning open."""
    lines = Lines(text)
    mended, faults = _mend(text, lines)
    if mended is not None:
        faults += islice(_walk(mended, lines), MAX_TOLD)
    problems = tuple(
        _problem(fault, path=path, prefix=prefix, place=lines.at(fault[0])) for fault in faults
    )
    rules = {rule for _, rule, _ in faults}
    if mended is None or _DEEP in rules:
        return Found(problems=problems, readable=None)
    return Found(problems=problems, readable=_whole(mended) if _HALF in rules else mended)


def _mend(text: str, lines: Lines) -> tuple[str | None, list[_Fault]]:
    """The text without comments and commas too many, if nothing else is wrong with its syntax."""
    faults: list[_Fault] = []
    for _ in range(min(MAX_TOLD, 1 + _MOST_REREAD // len(text))):
        error = _syntax_error(text)
        if error is None:
            return text, faults
        offset, sentence = json_syntax.describe(text, error, lines=lines)
        faults.append((offset, "json-syntax", f"invalid JSON: {sentence}"))
        end = json_syntax.end_of_surplus(text, offset)
        text = f"{text[:offset]}{_VISIBLE.sub(' ', text[offset:end])}{text[end:]}"
        if end == offset:
            break
    return None, faults


def _whole(text: str) -> str:
    """With the replacement character for each half of one, as long as it was."""
    pieces: list[str] = []
    end = 0
    for match in _ESCAPE.finditer(text):
        if match["lone"]:
            pieces += (text[end : match.start()], r"\ufffd")
            end = match.end()
    return "".join([*pieces, text[end:]])


def has_lone_surrogate(text: str) -> bool:
    """Whether half of a character is escaped in a valid text: a look at the escapes alone."""
    if r"\\u" not in text:  # then each `\u` is an escape, and needn't be looked at in turn
        return _UNPAIRED.search(text) is not None
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
                yield offset, _DEEP, _TOO_DEEP
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
            yield offset + match.start(), _HALF, sentence


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
