"""Keys where the format allows any in, those that were probably meant to be read out."""

import difflib
from collections.abc import Iterator, Mapping

from mergebar.model.text import Json
from mergebar.reading.nearest import nearest
from mergebar.reading.pointers import Pointer
from mergebar.reading.sentences import quoted
from mergebar.suites.findings import Finding, warning

_READ = ("schemaVersion", "items", "default_evaluators")
_KNOWN = {*_READ, "$schema", "metadata", "default_allowed_tools"}
_CLOSE_ENOUGH = 0.9
"""Of the names of others' extensions, none may be taken for ours."""


def of_root(root: Mapping[str, Json]) -> Iterator[Finding]:
    """Nothing reads them, so what they say is lost without a word."""
    for name in root.keys() - _KNOWN:
        near = nearest(name, [known for known in _READ if known not in root])
        if near is not None:
            message = f"nothing reads {quoted(name)} of a document: did you mean `{near}`?"
            yield warning("document/misspelt-key", message, (name,), on_key=True)


def of_extensions(
    extensions: Mapping[str, Json],
    pointer: Pointer,
    *,
    namespace: str,
    settings: Mapping[str, object],
) -> Iterator[Finding]:
    """Those that look like `namespace` and have at least one of its settings."""
    for name, value in extensions.items():
        if name == namespace or not isinstance(value, dict) or not value.keys() & settings.keys():
            continue
        alike = difflib.SequenceMatcher(None, _own_name(name), _own_name(namespace))
        if alike.ratio() >= _CLOSE_ENOUGH:
            message = f"nothing reads {quoted(name)} of `extensions`: did you mean `{namespace}`?"
            yield warning("document/misspelt-key", message, (*pointer, name), on_key=True)


def _own_name(name: str) -> str:
    """What the last part of a reverse-domain name has been meant to be."""
    return name.rpartition(".")[2].casefold().replace("-", "").replace("_", "")
