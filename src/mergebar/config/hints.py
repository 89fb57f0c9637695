"""A place and the value that a schema refused there in, what was probably meant out."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mergebar.config.findings import Pointer, fits
from mergebar.config.interpolation import is_name
from mergebar.model.bounds import MOST_WEIGHT
from mergebar.model.text import Json

Hint = Callable[[Json], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    pattern: tuple[str, ...]
    hint: Hint


def hint(pointer: Pointer, value: Json) -> str | None:
    """What to write instead, as the end of a sentence; `None` when nothing is likely."""
    for place in _PLACES:
        if fits(pointer, place.pattern):
            found = place.hint(value)
            if found is not None:
                return found
    return None


def missing(pointer: Pointer, key: str) -> str | None:
    """What a required key is for, where one is missing."""
    for pattern, wanted, why in _REQUIRED:
        if wanted == key and fits(pointer, pattern):
            return why
    return None


def boolean(value: Json) -> str | None:
    """For a word that meant a truth value before YAML 1.2, where one is wanted."""
    if isinstance(value, str) and value.casefold() in {"yes", "no", "on", "off"}:
        meant = "true" if value.casefold() in {"yes", "on"} else "false"
        return f"YAML 1.2 reads `{value}` as text: write `{meant}`"
    return None


def _argv(value: Json) -> str | None:
    if isinstance(value, str):
        return "write a list such as `[python3, agent.py]`: no shell reads it"
    return None


def _list(value: Json) -> str | None:
    if not isinstance(value, str):
        return None
    entry = value if value[:1].isalnum() and ": " not in value else json.dumps(value)
    return f"write a list: `[{entry}]`"


def _groups(value: Json) -> str | None:
    if isinstance(value, dict):
        return "write a list: put `- ` before the first key of each entry"
    return _list(value)


def _duration(value: Json) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return f"write it with a unit: `{value:g}s`"
    return "write a number and `ms`, `s`, `m` or `h`, such as `120s` or `15m`"


def _size(value: Json) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return f"write it with a unit: `{value:g}B`"
    return "write a number and `B`, `KB`, `MB` or `GB`, such as `1MB`"


def _rate(value: Json) -> str | None:
    number = value
    if isinstance(value, str):
        try:
            number = float(value.removesuffix("%").strip())
        except ValueError:
            return None
    if not isinstance(number, int | float) or isinstance(number, bool):
        return None
    if not 1 < number <= 100:  # noqa: PLR2004 - a percentage
        return "write a share from 0 to 1"
    return f"write a share from 0 to 1: {number:g} means {number / 100:g}?"


def _variable(value: Json) -> str | None:
    if not isinstance(value, str):
        return None
    if value.startswith("$"):
        return f"write the name alone: `{value.strip('${}')}`"
    if is_name(value.partition("=")[0]):
        return f"write the name alone: `{value.partition('=')[0]}`"
    return "the name of a variable has letters, digits and `_` only, and begins with no digit"


def _version(value: Json) -> str | None:
    if value == "1":
        return "write `1` without quotes"
    return "this version of mergebar reads `version: 1`"


def _weight(value: Json) -> str | None:
    if isinstance(value, int | float) and value <= 0:
        return "a check without weight would be switched off silently; lower its `severity` instead"
    if isinstance(value, int | float) and value > MOST_WEIGHT:
        return "all checks together have to be weighed against it: scale the weights down"
    return None


def _places(hint: Hint, patterns: Sequence[str]) -> tuple[_Place, ...]:
    return tuple(_Place(pattern=tuple(text.split(".")), hint=hint) for text in patterns)


_PLACES = (
    *_places(_version, ["version"]),
    *_places(
        _argv, ["agents.*.command", "artifacts.*.sessions.command", "custom_evaluators.python"]
    ),
    *_places(_groups, ["documents", "artifacts", "rules"]),
    *_places(
        _list,
        [
            "agents.*.sources",
            "agents.*.env",
            "documents.*.paths",
            "artifacts.*.paths",
            "artifacts.*.sources",
            "artifacts.*.traces",
            "artifacts.*.sessions.prompts",
            "artifacts.*.sessions.env",
        ],
    ),
    *_places(_duration, ["agents.*.timeout", "judge.timeout", "artifacts.*.sessions.timeout"]),
    *_places(_size, ["agents.*.output_limit", "cache.max_size"]),
    *_places(_rate, ["documents.*.min_pass_rate", "gate.unmeasured", "gate.max_drop"]),
    *_places(_variable, ["agents.*.env.*", "artifacts.*.sessions.env.*"]),
    *_places(_weight, ["rules.*.weight"]),
)

_REQUIRED: tuple[tuple[tuple[str, ...], str, str], ...] = (
    ((), "version", "begin the file with `version: 1`"),
    (
        ("agents", "*"),
        "sources",
        "list the globs of the files that make this agent what it is, or `[]` if nothing here does",
    ),
    (
        ("agents", "*"),
        "type",
        "`command` starts a process, `http` and `openai` ask an address, `replay` reads answers",
    ),
    (("agents", "*"), "command", "list the program and its arguments: `[python3, agent.py]`"),
    (("judge",), "type", "`openai` and `azure` ask a model, `replay` reads recorded verdicts"),
    (("judge",), "model", "there is no default, because the model is part of the result"),
    (("documents", "*"), "paths", "list the globs of the documents: `[evals/**/*.json]`"),
    (("rules", "*"), "match", "write `match: {}` for a rule on every check"),
)
