"""The bytes of an instruction file in, its front matter with places and its body out.

A block stands at the very start: `---` (YAML, up to `---` or `...`), `+++` (TOML) or `;;;` (JSON),
each alone on its line. Every line and column is that of the file.
"""

import re
from dataclasses import dataclass

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading import encoding, json_text, lenient_rules, overlooked, toml_text, yaml_text
from mergebar.reading.json_text import JsonText
from mergebar.reading.positions import Written
from mergebar.reading.quoted_places import NOWHERE, Quoted
from mergebar.reading.sentences import kind
from mergebar.reading.toml_text import TomlText
from mergebar.reading.yaml_text import YamlText

MAX_FILE_BYTES = 1024 * 1024
MAX_BLOCK_BYTES = 64 * 1024
MAX_ALIASES = 100

_YAML, _TOML, _JSON = "---", "+++", ";;;"
_CLOSING = {
    _YAML: re.compile(r"^(?:---|\.\.\.)\r?$", re.MULTILINE),
    _TOML: re.compile(r"^\+\+\+\r?$", re.MULTILINE),
    _JSON: re.compile(r"^;;;\r?$", re.MULTILINE),
}
_FIRST_LINE = 2
_AHEAD = "\n"
"""Stands for the fence, so that a block's first line is the file's second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """What stands in a file.

    `value` is empty where there is no block or an empty one, and `None` where it can't be read;
    `may_declare` says that its text speaks of evals all the same. `body` has the line ends of
    Unix. `form` is the fence of the block, empty where there is none.
    """

    value: dict[str, Json] | None
    positions: Written
    body: str
    form: str = ""
    may_declare: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    form: str
    text: str
    body: str


def read(data: bytes, *, path: str, prefix: str = "artifact") -> FrontMatter:
    """Read a file. It never raises; rules begin with `prefix`."""
    decoded = encoding.decode(data, path=path, prefix=prefix, limit=MAX_FILE_BYTES)
    if isinstance(decoded, Problem):
        return _unreadable("", decoded, data=data)
    text = decoded.text
    if "\0" in text:
        return _unreadable("", _binary(text, path, prefix), data=data)
    block = _split(text)
    if block is None:
        problems = overlooked.before_body(text, path=path, prefix=prefix)
        broken = any(problem.level is Level.ERROR for problem in problems)
        return FrontMatter(
            value=None if broken else {},
            positions=NOWHERE,
            body=_unix(text),
            may_declare=broken,
            problems=problems,
        )
    return _read_block(block, path=path, prefix=prefix)


def _unreadable(body: str, *problems: Problem, data: bytes) -> FrontMatter:
    return FrontMatter(
        value=None,
        positions=NOWHERE,
        body=body,
        may_declare=b"evals" in data.replace(b"\0", b""),
        problems=problems,
    )


def _binary(text: str, path: str, prefix: str) -> Problem:
    before = text[: text.index("\0")]
    return Problem(
        level=Level.ERROR,
        rule=f"{prefix}/binary",
        message="the file holds a NUL byte, so it is no text: remove the byte, or the file",
        path=path,
        line=before.count("\n") + 1,
        column=len(before) - before.rfind("\n"),
    )


def _split(text: str) -> _Block | None:
    first, newline, rest = text.partition("\n")
    form = first.removesuffix("\r")
    closing = _CLOSING[form].search(rest) if newline and form in _CLOSING else None
    if closing is None:
        return None
    return _Block(
        form=form,
        text=rest[: closing.start()],
        body=_unix(rest[closing.end() :].removeprefix("\n")),
    )


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")


def _read_block(block: _Block, *, path: str, prefix: str) -> FrontMatter:
    may_declare = "evals" in block.text
    size = len(block.text.encode())
    if size > MAX_BLOCK_BYTES:
        problem = _too_large(size, path, prefix)
        return _broken_block(block, (problem,), may_declare=may_declare)
    parsed = _parse(block, path=path, prefix=prefix)
    if isinstance(parsed, tuple):
        known = lenient_rules.read(block.text) if _is_lenient(block, path) else None
        if known is not None:
            return _sound(block, known, NOWHERE, ())
        return _broken_block(block, parsed, may_declare=may_declare)
    value, positions, problems = parsed.value, parsed.positions, parsed.problems
    if value is None:
        return _sound(block, {}, positions, problems)
    if not isinstance(value, dict):
        return _broken_block(block, (_no_object(value, path, prefix),), may_declare=may_declare)
    second = overlooked.second_block(
        block.body,
        first=value,
        body_line=block.text.count("\n") + 1 + _FIRST_LINE,
        path=path,
        prefix=prefix,
    )
    return _sound(block, value, positions, (*problems, *second))


def _is_lenient(block: _Block, path: str) -> bool:
    """Hosts read `.mdc` rules line by line; where evals are declared, all has to be right."""
    return path.endswith(".mdc") and "evals" not in block.text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    value: Json
    positions: Written
    problems: tuple[Problem, ...] = ()


def _parse(block: _Block, *, path: str, prefix: str) -> _Parsed | tuple[Problem, ...]:
    if block.form == _TOML:
        toml = toml_text.parse(_AHEAD + _unix(block.text), path=path, prefix=prefix)
        if isinstance(toml, TomlText):
            return _Parsed(value=toml.value, positions=toml.positions)
        return toml
    data = block.text.encode()
    if block.form == _JSON:
        return _parse_json(data, path=path, prefix=prefix)
    yaml = yaml_text.parse(
        data, path=path, prefix=prefix, first_line=_FIRST_LINE, most_aliases=MAX_ALIASES
    )
    if isinstance(yaml, YamlText):
        return _Parsed(value=yaml.value, positions=yaml.positions, problems=yaml.problems)
    return yaml


def _parse_json(data: bytes, *, path: str, prefix: str) -> _Parsed | tuple[Problem, ...]:
    if not data.strip():
        return _Parsed(value=None, positions=NOWHERE)
    parsed = json_text.parse(_AHEAD.encode() + data, path=path, prefix=prefix)
    if isinstance(parsed, JsonText):
        return _Parsed(value=parsed.value, positions=Quoted(parsed.positions))
    return parsed


def _sound(
    block: _Block, value: dict[str, Json], positions: Written, problems: tuple[Problem, ...]
) -> FrontMatter:
    return FrontMatter(
        value=value, positions=positions, body=block.body, form=block.form, problems=problems
    )


def _broken_block(
    block: _Block, problems: tuple[Problem, ...], *, may_declare: bool
) -> FrontMatter:
    return FrontMatter(
        value=None,
        positions=NOWHERE,
        body=block.body,
        form=block.form,
        may_declare=may_declare,
        problems=problems,
    )


def _too_large(size: int, path: str, prefix: str) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule=f"{prefix}/front-matter-too-large",
        message=(
            f"the front matter has {size:,} bytes, and at most {MAX_BLOCK_BYTES:,} are read: "
            "move what is for readers into the body"
        ),
        path=path,
        line=1,
        column=1,
    )


def _no_object(value: Json, path: str, prefix: str) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule=f"{prefix}/front-matter-no-object",
        message=f"the front matter is {kind(value)}: it must be an object, of `key: value` lines",
        path=path,
        line=_FIRST_LINE,
        column=1,
    )
