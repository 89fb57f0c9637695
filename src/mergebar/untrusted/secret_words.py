"""What is left of secrets in a text that was made of another one, masks for it out.

Who compares or quotes an answer may have split it into words, folded their case, or left out what
stands between them. No whole secret is in such a text, but its words are.
"""

import re
from collections.abc import Callable, Iterable

_RUN = re.compile(r"[^\W_]+")
_TELLING = 6
"""A word of so many characters tells too much by itself, unless it is a plain word or a number."""
_FEW = 2


class SecretWords:
    """Masks telling words of a secret; all of its words where all of them are there."""

    def __init__(self, secrets: Iterable[str], *, is_plain: Callable[[str], bool]) -> None:
        self._telling: set[str] = set()
        self._whole: list[frozenset[str]] = []
        for secret in secrets:
            words = _RUN.findall(secret)
            joined = "".join(words)
            for word in (*words, joined):
                if len(word) >= _TELLING and not is_plain(word):
                    self._telling.add(word.casefold())
            if len(words) >= _FEW:
                self._whole.append(frozenset(map(str.casefold, words)))

    @property
    def telling(self) -> frozenset[str]:
        """The words that are masked wherever they are."""
        return frozenset(self._telling)

    def masked(self, text: str, mask: str) -> str:
        """The text with `mask` in place of each of them."""
        present = {word.casefold() for word in _RUN.findall(text)}
        lost = present & self._telling
        for whole in self._whole:
            if whole <= present:
                lost |= whole
        if not lost:
            return text
        return _RUN.sub(lambda found: mask if found[0].casefold() in lost else found[0], text)
