"""What is left of secrets that were cut: text with ellipses in, the text with masks for it out.

A text may have been cut before anybody could redact it. An ellipsis marks the place, and the
beginning of a secret stands before it, or the end of one behind it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from mergebar.untrusted import spellings
from mergebar.untrusted.truncation import ELLIPSIS

SHORTEST = 4
"""So many characters of a secret tell something of it."""

_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_SHAPE = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|sk-|xox[a-z]-|AKIA|ASIA|AIza|npm_|eyJ)"
)


class CutSecrets:
    """Finds a piece, in whatever case, by its four characters next to the ellipsis."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(map(spellings.lowered, secrets))
        self._begun: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        self._ended: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for secret in self._secrets:
            for at in range(len(secret) - SHORTEST):
                end, start = at + SHORTEST, at + 1
                self._begun[secret[at:end]].append((secret, end))
                self._ended[secret[start : start + SHORTEST]].append((secret, start))

    def masked(self, text: str, mask: str) -> str:
        """The text with `mask` in place of each piece."""
        if ELLIPSIS not in text:
            return text
        parts = text.split(ELLIPSIS)
        last = len(parts) - 1
        return ELLIPSIS.join(
            self._part(part, mask, after=at > 0, before=at < last) for at, part in enumerate(parts)
        )

    def _part(self, part: str, mask: str, *, after: bool, before: bool) -> str:
        """`after` and `before`: an ellipsis stands on that side of it."""
        if after and before and self._is_within(part):
            return mask
        start = max(self._ends(part), default=0) if after else 0
        kept = part[start:]
        end = max(self._begins(kept), default=0) if before else 0
        shown = kept[: len(kept) - end]
        return (mask if start else "") + shown + (mask if end else "")

    def _is_within(self, part: str) -> bool:
        part = spellings.lowered(part)
        return len(part) >= SHORTEST and any(part in secret for secret in self._secrets)

    def _ends(self, part: str) -> Iterator[int]:
        part = spellings.lowered(part)
        for secret, start in self._ended.get(part[:SHORTEST], ()):
            if part.startswith(secret[start:]):
                yield len(secret) - start

    def _begins(self, part: str) -> Iterator[int]:
        lowered = spellings.lowered(part)
        for secret, end in self._begun.get(lowered[-SHORTEST:], ()):
            if lowered.endswith(secret[:end]):
                yield end
        run = part[len(part.rstrip(_RUN)) :]
        shape = _SHAPE.search(run)
        if shape is not None and len(run) - shape.end() >= SHORTEST:
            yield len(run) - shape.start()
