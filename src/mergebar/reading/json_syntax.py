"""What the decoder says of a broken JSON text in, the place and a sentence with the remedy out."""

import json
import re
from collections.abc import Callable

from mergebar.reading.lines import Lines
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import quoted

_SPACE = re.compile(r"[ \t\r\n]*+")
_WORD = re.compile(r"[^\W\d]\w*")
_LITERAL = re.compile(r"[\w.+-]++")
_END_OF_LITERAL = re.compile(r"[\w.+-]+\Z")
_LONGEST = 200
_LEXEME = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]]', re.DOTALL)

_SURPLUS = re.compile(r"//[^\n]*+|#[^\n]*+|/\*(?s:.*?)\*/|,(?=[ \t\r\n]*+[\]}])")

_Description = tuple[int, str]
"""Offset, sentence."""

_WORDS = {
    "true": "true",
    "false": "false",
    "null": "null",
    "none": "null",
    "undefined": "null",
    "nil": "null",
    "yes": "true",
    "no": "false",
}
_QUOTES = "'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"
_OPENED = {"{": "object", "[": "list"}
_CLOSERS = {"{": "}", "[": "]"}


def describe(text: str, error: json.JSONDecodeError, *, lines: Lines) -> _Description:
    """Where the mistake is, which may be before the place where the decoder noticed it."""
    if error.msg.startswith(("Unterminated", "Invalid")):
        return _in_string(text, error)
    match = _SPACE.match(text, error.pos)
    at = match.end() if match else error.pos
    if at >= len(text):
        return _unfinished(text, lines)
    for look in _LOOKS:
        found = look(text, at)
        if found is not None:
            return found
    return _by_expectation(text, at, error.msg, lines)


def end_of_surplus(text: str, at: int) -> int:
    """Where a comment, or a comma too many, ends that begins here; `at` itself if none does."""
    match = _SURPLUS.match(text, at)
    return match.end() if match else at


def _in_string(text: str, error: json.JSONDecodeError) -> _Description:
    if error.msg.startswith("Unterminated"):
        return error.pos, 'the string that begins here is never closed: add the closing `"`'
    if "control character" in error.msg:
        return error.pos, _control(text[error.pos])
    at = text.rfind("\\", 0, error.pos + 1)
    escape = quoted(text[at : at + (6 if text.startswith("\\u", at) else 2)])
    return at, f"{escape} is not an escape of JSON: write a backslash itself as `\\\\`"


def _control(char: str) -> str:
    if char in "\r\n":
        return "a string breaks off at the end of the line: close it, or write `\\n` and go on"
    written = {"\t": "\\t", "\b": "\\b", "\f": "\\f"}.get(char, f"\\u{ord(char):04x}")
    return f"the control character U+{ord(char):04X} stands in a string: write `{written}`"


def _unfinished(text: str, lines: Lines) -> _Description:
    opened = _innermost(text, len(text))
    end = max(len(text.rstrip()) - 1, 0)
    if opened is None:
        return end, "the file ends where a value is expected"
    char = text[opened]
    return end, (
        f"the file ends before the {_OPENED[char]} that begins on line {lines.at(opened)[0]} "
        f"is closed: `{_CLOSERS[char]}` is missing"
    )


def _innermost(text: str, end: int) -> int | None:
    """Offset of the bracket that is open at `end`; the text is valid up to there."""
    stack: list[int] = []
    for match in _LEXEME.finditer(text, 0, end):
        if match[0] in "{[":
            stack.append(match.start())
        elif match[0] in "}]" and stack:
            stack.pop()
    return stack[-1] if stack else None


def _conflict(text: str, at: int) -> _Description | None:
    if text.startswith(("<<<<<<<", "=======", ">>>>>>>"), at):
        return at, "a merge conflict is still marked here: resolve it"
    return None


def _comma(text: str, at: int) -> _Description | None:
    before = text[:at].rstrip(" \t\r\n") if text[at] in "]}," else ""
    if text[at] in "]}" and before.endswith(","):
        return len(before) - 1, f"a comma before `{text[at]}`: remove it"
    if text[at] != ",":
        return None
    match = _SPACE.match(text, at + 1)
    following = text[match.end() : match.end() + 1] if match else ""
    if following in ("]", "}") and not before.endswith((",", "[", "{")):
        return at, f"a comma before `{following}`: remove it"
    return at, "a comma with nothing before it: remove it, or add what is missing"


def _comment(text: str, at: int) -> _Description | None:
    if text.startswith(("//", "/*", "#"), at):
        return at, "JSON has no comments: remove it"
    return None


def _quote(text: str, at: int) -> _Description | None:
    if text[at] in _QUOTES:
        return at, f'{_name(text[at])} is no quotation mark of JSON: use `"`'
    return None


def _name(char: str) -> str:
    return f"U+{ord(char):04X} ({quoted(char)})" if char != "`" else "a backtick"


def _invisible(text: str, at: int) -> _Description | None:
    char = text[at]
    if char == "\ufeff":
        return at, "a byte order mark (U+FEFF) stands inside the text: remove it"
    if not char.isprintable() or char.isspace():
        return at, f"the invisible character U+{ord(char):04X} stands between values: remove it"
    return None


def _number(text: str, at: int) -> _Description | None:
    if text[at].isdigit() and text[at - 1 : at] == "0":
        return at - 1, "a number must not begin with 0: remove the zero"
    if text[at - 1 : at] == "0" and text[at] in "xXoObB" and not text[at - 2 : at - 1].isdigit():
        return at - 1, "JSON numbers are decimal: write the number out"
    if text[at] == "+":
        return at, "a number must not begin with `+`: remove it"
    if text[at] == "." and text[at + 1 : at + 2].isdigit() and not text[at - 1 : at].isdigit():
        return at, "a number must have a digit before the point: write `0.…`"
    if text[at] == "." and text[at - 1 : at].isdigit() and not text[at + 1 : at + 2].isdigit():
        return at, "a number must have a digit after the point"
    return None


def _literal(text: str, at: int) -> _Description | None:
    """A value that goes on where the decoder took it to be over."""
    before = _END_OF_LITERAL.search(text, max(at - _LONGEST, 0), at)
    if before is None or not _LITERAL.match(text, at):
        return None
    return before.start(), _no_literal(text, before.start())


def _no_literal(text: str, at: int) -> str:
    """What is wrong with a word or a number; any other character is unexpected."""
    literal = _LITERAL.match(text, at)
    if literal is None:
        return f"a value is expected, not {quoted(text[at])}"
    if _WORD.match(text, at) is None:
        return f"{quoted(literal[0])} is no number of JSON: write one like `-1.5e3`, or a string"
    meant = _WORDS.get(literal[0].lower())
    if meant is not None:
        return f"{quoted(literal[0])} is no value of JSON: write `{meant}`"
    near = nearest(literal[0], ("true", "false", "null"))
    hint = f"did you mean `{near}`? A" if near else "a"
    return f"{quoted(literal[0])} is no value of JSON: {hint} string must stand in double quotes"


def _markup(text: str, at: int) -> _Description | None:
    if text[at] == "<" and not text[:at].strip():
        return at, "the file looks like HTML or XML, not like JSON"
    return None


_LOOKS: tuple[Callable[[str, int], _Description | None], ...] = (
    _conflict,
    _comma,
    _comment,
    _quote,
    _invisible,
    _number,
    _literal,
    _markup,
)


def _by_expectation(text: str, at: int, expected: str, lines: Lines) -> _Description:
    if expected.startswith("Extra data"):
        return _extra(text, at)
    if expected.startswith("Expecting ','"):
        return _undivided(text, at, lines)
    if expected.startswith("Expecting ':'"):
        return at, "`:` is missing between a key and its value"
    word = _WORD.match(text, at)
    if expected.startswith("Expecting property name"):
        if word:
            return at, f"the key {quoted(word[0])} must stand in double quotes"
        return at, f"a key in double quotes is expected, not {quoted(text[at])}"
    return at, _no_literal(text, at)


def _undivided(text: str, at: int, lines: Lines) -> _Description:
    opened = _innermost(text, at)
    if text[at] in "]}" and opened is not None:
        begun = f"the {_OPENED[text[opened]]} that begins on line {lines.at(opened)[0]}"
        return at, f"`{text[at]}` can't close {begun}: `{_CLOSERS[text[opened]]}` is missing"
    return at, f"a comma is missing before {quoted(text[at : at + 20].partition(chr(10))[0])}"


def _extra(text: str, at: int) -> _Description:
    if text[at] in "{[" and text[:at].strip().startswith(text[at]):
        return at, "a second value begins here: the file must hold one (this looks like JSON Lines)"
    if text[at] in "]}":
        return at, f"`{text[at]}` closes nothing: remove it, or add what it should close"
    return at, "something follows the end of the value: remove it"
