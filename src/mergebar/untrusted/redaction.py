"""Secrets out of text: secret values and any text in, the text with `***` in their place out.

Redacts before anything is cut or escaped. It can't find a secret that something else rewrote, but
for one that was cut: what is left of it beside an ellipsis goes too.
"""

import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator

from mergebar.model.text import Json
from mergebar.untrusted.pieces import Pieces

MASK = "***"
_SHORTEST = 8
_LONGEST_WORD = 20

_WORD = re.compile(r"(?:[A-Z]?[^\W\d_A-Z]+|[A-Z]+)\Z")
_NUMBER = re.compile(r"[\d.,+-]+\Z")

# Takes a run of characters whole and looks at none of them twice, so that the time that a text
# takes grows as its length does.
_TOKENS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"gh[pousr]_[A-Za-z0-9]{16,}"  # GitHub
    r"|github_pat_[A-Za-z0-9_]{20,}"
    r"|glpat-[A-Za-z0-9_-]{16,}"  # GitLab
    r"|(?P<maybe>sk-[A-Za-z0-9_-]{16,})"  # model providers, with a digit in it
    r"|xox[a-z]-[A-Za-z0-9-]{10,}"  # Slack
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"  # AWS
    r"|AIza[A-Za-z0-9_-]{30,}"  # Google
    r"|npm_[A-Za-z0-9]{30,}"
    r")"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"  # JWT
    r"|-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_DIGIT = re.compile("[0-9]")
_BEARER = re.compile(r"\b(bearer)(\s{1,8})[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE)


def _is_secret(value: str) -> bool:
    """Long enough, and no plain word or number, which would blank out half of a report."""
    if len(value) < _SHORTEST or _NUMBER.match(value):
        return False
    return len(value) > _LONGEST_WORD or _WORD.match(value) is None


def _spellings(value: str) -> Iterator[str]:
    """How a value may stand in a text: as it is, in JSON, in a URL."""
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield urllib.parse.quote(value, safe="", errors="replace")
    yield " ".join(value.split())


def _masked(found: re.Match[str]) -> str:
    maybe = found["maybe"]
    return MASK if maybe is None or _DIGIT.search(maybe) else maybe


class Redactor:
    """Takes known secrets, and whatever has the shape of one, out of texts."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = {line.strip() for secret in secrets for line in (secret, *secret.splitlines())}
        spelled = {text for value in values if _is_secret(value) for text in _spellings(value)}
        longest_first = sorted(spelled, key=lambda text: (-len(text), text))
        self._known = re.compile("|".join(map(re.escape, longest_first))) if spelled else None
        self._pieces = Pieces(longest_first)

    def redact(self, text: str) -> str:
        """The text without secrets."""
        if self._known is not None:
            text = self._known.sub(MASK, text)
        whole = _BEARER.sub(rf"\1\2{MASK}", _TOKENS.sub(_masked, text))
        return self._pieces.masked(whole, MASK)

    def redact_json(self, value: Json) -> Json:
        """The same through all strings of a value, keys included."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, list):
            return [self.redact_json(item) for item in value]
        if isinstance(value, dict):
            return {self.redact(key): self.redact_json(item) for key, item in value.items()}
        return value
