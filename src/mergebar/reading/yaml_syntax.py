"""What the YAML parser says of a broken text in, the place and a sentence with the remedy out."""

import re
from collections.abc import Callable

import yaml

from mergebar.reading.lines import Lines
from mergebar.reading.sentences import quoted
from mergebar.reading.yaml_building import Fault

_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # YAML 1.2, 5.1
)
_SURROGATE = re.compile(r"[uU](?:0000)?[dD][89a-fA-F]")


def unprintable(text: str) -> Fault | None:
    """The first character that YAML doesn't allow anywhere."""
    match = _UNPRINTABLE.search(text)
    if match is None:
        return None
    name = f"U+{ord(match[0]):04X}"
    sentence = f"invalid YAML: the control character {name} is not allowed: remove it"
    return Fault(match.start(), "yaml-syntax", sentence)


def describe(error: yaml.YAMLError, text: str, lines: Lines) -> Fault:
    """Where the mistake is, and what to do about it."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return Fault(0, "yaml-syntax", f"invalid YAML: {str(error).partition(chr(10))[0]}")
    offset = min(error.problem_mark.index, len(text))
    problem = error.problem or ""
    if "maximum nesting depth" in problem:
        return Fault(offset, "too-deep", "lists and objects are nested too deep: flatten them")
    if "Unicode character escape" in problem and _SURROGATE.match(text, offset - 1):
        sentence = f"`\\{text[offset - 1 : offset + 4]}` is half of a character: write it whole"
        return Fault(offset, "lone-surrogate", sentence)
    began = error.context_mark.index if error.context_mark else offset
    if any(part in f"{error.context}: {problem}" for part in _NOTICED_LATE):
        offset = began
    sentence = _sentence(problem, error.context or "", text[offset : offset + 1])
    before = text[:offset].rstrip(" ")[-1:]
    if before in _QUOTES and any(part in problem for part in _NOT_THE_END):
        sentence = _QUOTES[before]
    sentence = sentence.replace("{began}", f"line {lines.at(min(began, len(text)))[0]}")
    return Fault(offset, "yaml-syntax", f"invalid YAML: {sentence}")


_QUOTES = {
    '"': 'the quoted text ends before this: write `\\"` for a quote within it',
    "'": "the quoted text ends before this: write `''` for a quote within it",
}
_NOT_THE_END = ("'-' indicator", "expected key", "<block end>")
"""What is said of a text that goes on behind its quotes."""

_NOTICED_LATE = (
    "find expected ':'",
    "a quoted scalar: found unexpected",
    "scanning an alias",
    "scanning an anchor",
    "scanning a tag",
    "parsing a tag",
)
"""Of these the parser says where it gave up, which may be lines after the mistake."""


def _sentence(problem: str, context: str, char: str) -> str:
    for part, sentence in _BY_CONTEXT.items():
        if part in context:
            return sentence
    for part, say in _BY_PROBLEM.items():
        if part in problem:
            return say if isinstance(say, str) else say(char)
    return problem


def _cannot_begin(char: str) -> str:
    if char == "\t":
        return "a tab can't indent: use spaces"
    name = "a backtick" if char == "`" else quoted(char)
    return f"a text can't begin with {name}: put it in quotes"


_BY_CONTEXT = {
    "scanning a %YAML directive": "only YAML 1.2 is read: remove the `%YAML` line",
    "scanning a directive": "`%` begins a directive: quote a text that begins with it",
    "scanning an alias": "`*` begins an alias: quote a text that begins with it",
    "scanning an anchor": "`&` begins an anchor: quote a text that begins with it",
    "scanning a tag": "`!` begins a tag: quote a text that begins with it",
    "parsing a tag": "`!` begins a tag: quote a text that begins with it",
    "flow sequence": "the list that begins on {began} needs `,` or `]` here",
    "flow mapping": "the object that begins on {began} needs `,` or `}` here",
}
_BY_PROBLEM: dict[str, str | Callable[[str], str]] = {
    "found unexpected ':'": "`:` can't stand here: quote a text that holds one",
    "mapping values are not allowed": (
        "`:` can't stand here: quote a text that holds `: `, or mend the indentation"
    ),
    "sequence entries are not allowed": "`- ` can't stand here: begin the list on its own line",
    "cannot start any token": _cannot_begin,
    "tab character": "a tab can't indent: use spaces",
    "unexpected end of stream": "the quoted text that begins here is never closed",
    "unexpected document indicator": "the quoted text that begins here is never closed",
    "'-' indicator": "an entry (`- `) is expected here: mend the indentation",
    "expected key": "a key is expected here: mend the indentation",
    "<block end>": "a key or entry is expected here: mend the indentation",
    "find expected ':'": "a key without `:`: add it, or mend the indentation",
    "unknown escape": "not an escape of YAML: write `\\\\` for a backslash, or use single quotes",
    "expected node content": "a value is expected here",
    "expected the node content": "a value is expected here",
    "document start": "something follows the end of the document: remove it",
    "tag handle": "`!` begins a tag: quote a text that begins with it",
    "incompatible YAML": "only YAML 1.2 is read: remove the `%YAML` line",
}
