"""Values with `${NAME}` in them and an environment in, resolved values or what is missing out.

`$${` is written for a literal `${`. A name that is set to nothing counts as unset.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mergebar.config.findings import Pointer, dotted, texts
from mergebar.model.text import Json
from mergebar.reading.sentences import quoted

_ESCAPE = "$${"
_REFERENCE = re.compile(r"\$\$\{|\$\{([^}]*)(\}?)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = ("ACTIONS_", "INPUT_")
_TOKEN = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A value without references, and every text that came from the environment into it."""

    value: Json
    secrets: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A name that the environment lacks, and the key that needs it, as `agents.support.url`."""

    name: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """What has to be set first, sorted by name and key."""

    references: tuple[Reference, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names, each once, sorted."""
        return tuple(sorted({reference.name for reference in self.references}))


def resolve(
    value: Json, environ: Mapping[str, str], *, pointer: Pointer = ()
) -> Resolved | Missing:
    """Replace every reference in the texts of `value`, which stands at `pointer` of the config."""
    known = {name: text for name, text in environ.items() if text and not is_reserved(name)}
    missing = {
        Reference(name=name, key=dotted(place))
        for place, text in texts(value, pointer)
        for name in names(text)
        if name not in known
    }
    if missing:
        ordered = sorted(missing, key=lambda reference: (reference.name, reference.key))
        return Missing(references=tuple(ordered))
    used = {known[name] for _, text in texts(value, pointer) for name in names(text)}
    return Resolved(value=_replaced(value, known), secrets=frozenset(used))


def names(text: str) -> tuple[str, ...]:
    """The names that a text refers to, in order."""
    return tuple(name for name, sound in _references(text) if sound)


def faults(text: str) -> Iterator[str]:
    """What is wrong with each reference of a text, as a sentence with its remedy."""
    for found in _REFERENCE.finditer(text):
        if found[0] == _ESCAPE:
            continue
        if not _is_sound(found):
            yield _malformed(found)
        elif is_reserved(found[1]):
            yield (
                f"`{found[0]}` is refused: the token and the inputs of the action are not for "
                "agents or judges; pass a secret of its own under another name"
            )


def is_reserved(name: str) -> bool:
    """Whether a variable is the runner's own, which no configuration may hand on."""
    folded = name.upper()
    return folded == _TOKEN or folded.startswith(_RESERVED)


def is_name(text: str) -> bool:
    """Whether a text can name an environment variable."""
    return _NAME.fullmatch(text) is not None


def _references(text: str) -> Iterator[tuple[str, bool]]:
    for found in _REFERENCE.finditer(text):
        if found[0] != _ESCAPE:
            yield found[1], _is_sound(found)


def _is_sound(found: re.Match[str]) -> bool:
    return bool(found[2]) and is_name(found[1])


def _malformed(found: re.Match[str]) -> str:
    if ":-" in found[1] or found[1][:1] in {"!", "#"}:
        why = "has no defaults or other operators: a name alone stands between the braces"
    elif not found[2]:
        why = "has no `}`: close it"
    else:
        why = "needs a name of letters, digits and `_` between its braces"
    return f"{quoted(found[0])} {why}; for a literal `${{` write `$${{`"


def _replaced(value: Json, known: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return _REFERENCE.sub(lambda found: _text(found, known), value)
    if isinstance(value, list):
        return [_replaced(item, known) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, known) for key, item in value.items()}
    return value


def _text(found: re.Match[str], known: Mapping[str, str]) -> str:
    if found[0] == _ESCAPE:
        return "${"
    return known.get(found[1], found[0])
