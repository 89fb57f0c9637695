"""Text of a session in, the same without what names itself a secret out.

Goes further than redaction elsewhere, where it would blank out half of a report: a judge is
somebody else's machine.
"""

import re

MASK = "***"

_NAME = (
    r"(?:[a-z0-9_.-]*(?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"auth[_-]?token|access[_-]?token|refresh[_-]?token|credential|connection[_-]?string)s?"
    r"(?:[_-]?id)?|token|aws_[a-z0-9_]+)"
)
_MEMBER = re.compile(rf'((?<![\w-])\\?"{_NAME}\\?"\s*:\s*\\?")((?:[^"\\]|\\(?!"))+)', re.IGNORECASE)
_ASSIGNED = re.compile(
    rf"((?<![\w.-])(?:--)?{_NAME}(?:=|\s=\s|:\s))(\"[^\"\n]+\"|'[^'\n]+'|[^\s\"';&|,]+)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"\b(basic|token)(\s+)[A-Za-z0-9._~+/=-]{12,}", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://[^\s/:@]+:)[^\s/@]+(?=@)", re.IGNORECASE)
_KEYS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?P<maybe>[spr]k[-_][A-Za-z0-9_-]{16,})"  # model providers and Stripe, with a digit in it
    r"|(?:AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])"
    r"|pypi-[A-Za-z0-9_-]{30,}"
    r"|whsec_[A-Za-z0-9]{16,}"
    r"|AccountKey=[A-Za-z0-9+/=]{20,}"
    r"|ya29\.[A-Za-z0-9_-]{20,}"  # Google's access tokens
    r")"
)
_DIGIT = re.compile("[0-9]")
_MASKED = re.compile(r"(::add-mask::)[^\n]+", re.IGNORECASE)


def redact(text: str) -> str:
    """Members of JSON, assignments, credentials in addresses, and the shapes of keys."""
    text = _MASKED.sub(rf"\1{MASK}", text)
    text = _MEMBER.sub(rf"\1{MASK}", text)
    text = _ASSIGNED.sub(rf"\1{MASK}", text)
    text = _IN_ADDRESS.sub(rf"\1{MASK}", text)
    return _SCHEME.sub(rf"\1\2{MASK}", _KEYS.sub(_masked, text))


def _masked(found: re.Match[str]) -> str:
    maybe = found["maybe"]
    return MASK if maybe is None or _DIGIT.search(maybe) else maybe
