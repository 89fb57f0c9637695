"""The names of the keys around the evals in, what is misspelt or stands elsewhere out."""

import unicodedata
from collections.abc import Iterator, Mapping

from mergebar.model.problems import Level
from mergebar.model.text import Json
from mergebar.reading.sentences import quoted
from mergebar.suites.artifacts.declarations import OWN_KEYS
from mergebar.suites.findings import Finding, error, warning

RESERVED = "eval-"
RENAMED = {"eval-provenance": "meta-provenance"}

_NEAR = {
    "eval": "evals",
    "evals": "evals",
    "evallist": "evals",
    "evalskip": "eval-skip",
    "evalsskip": "eval-skip",
    "skipeval": "eval-skip",
    "skipevals": "eval-skip",
    "metaprovenance": "meta-provenance",
}
_AT_THE_TOP = {
    "metadata": "metadata",
    "evals": "metadata.evals",
    "evalskip": "metadata.eval-skip",
    "metaprovenance": "metadata.meta-provenance",
}
_FAR = {"evaluation", "evaluations"}


def check_root(root: Mapping[str, Json]) -> Iterator[Finding]:
    """Look for keys of `metadata` beside it."""
    for key in OWN_KEYS:
        if key in root:
            message = (
                f"`{key}` at the top is for pages, and not read of an artifact: did you mean "
                f"`metadata.{key}`?"
            )
            yield warning("artifact/misplaced-key", message, (key,), on_key=True)
    for key in root:
        meant = _AT_THE_TOP.get(_fold(key))
        if meant is not None and key not in {*OWN_KEYS, "metadata"}:
            message = f"{quoted(key)} is not read: did you mean `{meant}`?"
            yield warning("artifact/misspelt-key", message, (key,), on_key=True)


def check_metadata(metadata: Mapping[str, Json]) -> Iterator[Finding]:
    """Look for keys that are misspelt."""
    for key in metadata:
        yield from _check_key(key)


def _check_key(key: str) -> Iterator[Finding]:
    place = ("metadata", key)
    if key in OWN_KEYS or key.startswith(RESERVED):
        return  # the schema refuses the others that begin like this
    if key.lower().startswith(RESERVED):
        message = reserved(key)
        yield error("artifact/reserved-key", message, place, on_key=True)
        return
    folded = _fold(key)
    if folded in _NEAR:
        message = f"{quoted(key)} is not read: did you mean `{_NEAR[folded]}`?"
        yield warning("artifact/misspelt-key", message, place, on_key=True)
    elif folded in _FAR:
        message = f"{quoted(key)} is not read: evals are declared in `evals`"
        yield Finding(
            level=Level.NOTICE,
            rule="artifact/misspelt-key",
            message=message,
            pointer=place,
            on_key=True,
        )


def reserved(key: str) -> str:
    """The sentence for a key that begins with `eval-` and isn't known."""
    if key in RENAMED:
        return f"{quoted(key)} is an old name: write `{RENAMED[key]}`"
    return (
        f"{quoted(key)} is not known: names that begin with `eval-` are reserved, and "
        "`eval-skip` is the only one"
    )


def _fold(key: str) -> str:
    """Without case, separators and look-alikes of the hyphen."""
    plain = unicodedata.normalize("NFKC", key).casefold()
    return "".join(
        char
        for char in plain
        if char not in "_ " and unicodedata.category(char) not in {"Pd", "Cf"}
    )
