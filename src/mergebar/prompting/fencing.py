"""Named parts of untrusted material in, blocks between marks that the material can't know out."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """The parts as blocks, in order, and the code that stands in their marks and nowhere else."""

    code: str
    blocks: tuple[str, ...]


def fenced(parts: Iterable[tuple[str, str]], *, fence: str) -> Fenced:
    """Lay each part (its name, which is ours, and its text) between marks.

    `fence` is the random code of the marks; where a text happens to hold it, another one is
    derived from it.
    """
    sendable = tuple((name, _sendable(text)) for name, text in parts)
    code = _unseen(fence, [text for _, text in sendable])
    return Fenced(
        code=code,
        blocks=tuple(f"<<{name} {code}>>\n{text}\n<</{name} {code}>>" for name, text in sendable),
    )


def _sendable(text: str) -> str:
    """Half a surrogate pair can't be sent to anyone."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _unseen(fence: str, texts: Sequence[str]) -> str:
    folded = [text.casefold() for text in texts]
    while any(fence.casefold() in text for text in folded):
        fence = hashlib.sha256(fence.encode()).hexdigest()[:16]
    return fence
