"""A text that has no front matter where some may have been meant in, what to say of it out."""

import re
from collections.abc import Mapping

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading.sentences import quoted

_FENCES = ("---", "+++", ";;;")
_CLOSERS = {"---": "`---`", "+++": "`+++`", ";;;": "`;;;`"}
_KEYS = re.compile(
    r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?:[\"']?[A-Za-z_$][\w.$-]*[\"']?\s*[:=](?:\s|$)|[{\[])"
)
_EVALS = re.compile(r"^[ \t{,]*[\"']?evals[\"']?\s*[:=]", re.MULTILINE)
_METADATA = re.compile(r"(?:---\n)?(?:[\w-]+:[^\n]*\n|[ \t#][^\n]*\n)*?metadata\s*:")
_FENCE_LIKE = re.compile(r"[ \t]*(-{3,}|\+{3,}|;{3,})(?:[\w \t]*|[ \t]+#[^\n]*)\r?\n")
_LATER = re.compile(r"^[ \t]*(---|\+\+\+|;;;)[ \t]*\r?\n", re.MULTILINE)
_BARE = re.compile(r"[\"']?metadata[\"']?\s*[:=]|\[metadata[.\]]|\{\s*\"metadata\"")
_SAYS = re.compile(r"\bevals[\"']?\s*[:=]")
_CODE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_BLANK = "\r\n\t \v\f\ufeff\u00a0\u200b\u2060"
_MARK = "\ufeff"


def before_body(text: str, *, path: str, prefix: str) -> tuple[Problem, ...]:
    """For a text without a block: is one begun and not closed, or begun in the wrong way?"""
    first, _, rest = text.partition("\n")
    fence = first.removesuffix("\r")
    if fence in _FENCES:
        return _unclosed(fence, rest, path, prefix) if _KEYS.match(rest) else ()
    if re.match(r"(?:---|\+\+\+|;;;)\r", text) and "\n" not in text[:5]:
        message = (
            "the lines end in CR alone, so no front matter is seen and nothing is declared: save "
            "the file with LF or CRLF"
        )
        return (_warning("front-matter-line-ends", message, path, prefix),)
    return _misplaced(text, path, prefix)


def _unclosed(fence: str, rest: str, path: str, prefix: str) -> tuple[Problem, ...]:
    declares = _EVALS.search(rest) is not None
    spaced = re.search(rf"^({re.escape(fence)})[ \t]+\r?$", rest, re.MULTILINE)
    hint = (
        f"; the one on line {rest[: spaced.start()].count(chr(10)) + 2} has white space behind it"
        if spaced
        else ""
    )
    what = "the evals in it are lost" if declares else "nothing in it is read"
    problem = Problem(
        level=Level.ERROR if declares else Level.WARNING,
        rule=f"{prefix}/front-matter-not-closed",
        message=(
            f"the front matter that begins here is never closed, so {what}: add a line that is "
            f"{_CLOSERS[fence]} alone{hint}"
        ),
        path=path,
        line=1,
        column=1,
    )
    return (problem,)


def _misplaced(text: str, path: str, prefix: str) -> tuple[Problem, ...]:
    body = text.lstrip(_BLANK)
    blank = text[: len(text) - len(body)]
    line = blank.count("\n") + 1
    match = _FENCE_LIKE.match(body)
    if match is None or not _KEYS.match(body, match.end()):
        return _declared_elsewhere(text, path, prefix)
    written = body[: match.end()].rstrip("\r\n")
    if _MARK in blank:
        why = "a second byte order mark stands before it: save the file with one, or none"
    elif written not in _FENCES:
        why = f"{quoted(written)} is no fence: write {_CLOSERS[match[1][:3]]}, with nothing after"
    else:
        why = "white space stands before it: begin the file with the fence"
    return (_not_seen(why, path, prefix, line),)


def _declared_elsewhere(text: str, path: str, prefix: str) -> tuple[Problem, ...]:
    """Evals in what would be front matter, were it fenced, or were there no text before it."""
    if _BARE.match(text) and _SAYS.search(text):
        why = "no fence stands around it: put a line that is `---` alone before and behind it"
        return (_not_seen(why, path, prefix, 1),)
    for fence in _LATER.finditer(text):
        block = text[fence.end() :].partition(f"\n{fence[1]}")[0]
        in_code = len(_CODE.findall(text, 0, fence.start())) % 2
        if not in_code and _KEYS.match(block) and _BARE.search(block) and _SAYS.search(block):
            why = "text stands before it: begin the file with the fence"
            return (_not_seen(why, path, prefix, text.count("\n", 0, fence.start()) + 1),)
    return ()


def _not_seen(why: str, path: str, prefix: str, line: int) -> Problem:
    message = f"this looks like front matter, and is not read as such, because {why}"
    return _warning("front-matter-not-seen", message, path, prefix, line)


def second_block(
    body: str, *, first: Mapping[str, Json], body_line: int, path: str, prefix: str
) -> tuple[Problem, ...]:
    """A body that goes on like front matter: its `metadata` is not read."""
    text = body.lstrip("\n")
    if not _METADATA.match(text):
        return ()
    line = body_line + len(body) - len(text)
    twice = "metadata" in first and _EVALS.search(text) is not None
    message = "this looks like more front matter, and only the first block is read: merge the two"
    if twice:
        message += "; both declare `metadata`, and what stands here would be lost"
    problem = _warning("front-matter-twice", message, path, prefix, line)
    if not twice:
        return (problem,)
    return (
        Problem(
            level=Level.ERROR,
            rule=problem.rule,
            message=message,
            path=path,
            line=line,
            column=1,
        ),
    )


def _warning(rule: str, message: str, path: str, prefix: str, line: int = 1) -> Problem:
    return Problem(
        level=Level.WARNING,
        rule=f"{prefix}/{rule}",
        message=message,
        path=path,
        line=line,
        column=1,
    )
