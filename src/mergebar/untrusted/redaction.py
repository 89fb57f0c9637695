"""Secrets out of text: secret values and any text in, the text with `***` in their place out.

Redacts before anything is cut or escaped. A secret is found in whatever case, as the usual
encodings write it, and where it was cut: what is left of it beside an ellipsis goes too. In a text
that was made of another one, as the words that it was split into.
"""

import re
from collections.abc import Iterable

from mergebar.model.text import Json
from mergebar.untrusted import spellings
from mergebar.untrusted.cut_secrets import CutSecrets
from mergebar.untrusted.secret_words import SecretWords

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


def _is_plain(value: str) -> bool:
    """A word or a number, which would blank out half of a report."""
    if _NUMBER.match(value):
        return True
    return len(value) <= _LONGEST_WORD and _WORD.match(value) is not None


def _masked(found: re.Match[str]) -> str:
    maybe = found["maybe"]
    return MASK if maybe is None or _DIGIT.search(maybe) else maybe


class Redactor:
    """Takes known secrets, and whatever has the shape of one, out of texts."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        lines = {line.strip() for secret in secrets for line in (secret, *secret.splitlines())}
        values = {line for line in lines if len(line) >= _SHORTEST and not _is_plain(line)}
        spelled = {text for value in values for text in spellings.of(value)}
        longest_first = sorted(spelled, key=lambda text: (-len(text), text))
        self._known = re.compile("|".join(map(re.escape, longest_first))) if spelled else None
        self._secret_words = SecretWords(values, is_plain=_is_plain)
        self._cut_secrets = CutSecrets(longest_first)
        self._cut_words = CutSecrets(self._secret_words.telling)

    def redact(self, text: str) -> str:
        """The text without secrets."""
        text = self._without_known(text)
        whole = _BEARER.sub(rf"\1\2{MASK}", _TOKENS.sub(_masked, text))
        return self._cut_secrets.masked(whole, MASK)

    def redact_derived(self, text: str) -> str:
        """The same for a text that was made of another one, and may hold a secret in parts."""
        redacted = self._secret_words.masked(self.redact(text), MASK)
        return self._cut_words.masked(redacted, MASK)

    def _without_known(self, text: str) -> str:
        """Looks in the text in lower case, character by character, and takes out of the text."""
        if self._known is None:
            return text
        kept, at = [], 0
        for found in self._known.finditer(spellings.lowered(text)):
            kept += [text[at : found.start()], MASK]
            at = found.end()
        return "".join([*kept, text[at:]]) if kept else text

    def redact_json(self, value: Json) -> Json:
        """The same through all strings of a value, keys included."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, list):
            return [self.redact_json(item) for item in value]
        if isinstance(value, dict):
            return {self.redact(key): self.redact_json(item) for key, item in value.items()}
        return value
