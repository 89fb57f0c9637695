"""Text for HTML: any text in, text out that is safe between tags and in a quoted attribute."""

from mergebar.untrusted import characters

_ENTITIES = str.maketrans({
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "`": "&#96;",
})  # fmt: skip


def text(value: str) -> str:
    """Everything visible and nothing markup; line breaks stay."""
    return characters.reveal(value).translate(_ENTITIES)
