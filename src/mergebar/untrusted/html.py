"""Text for HTML: any text in, text out that is safe between tags and in a quoted attribute."""

from mergebar.untrusted import characters

_ENTITIES = str.maketrans({
    "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "`": "&#96;",
})  # fmt: skip


class Html(str):
    """Text that is HTML already: made here, or written by us."""

    __slots__ = ()


def text(value: str) -> str:
    """Everything visible and nothing markup; line breaks stay."""
    return characters.reveal(value).translate(_ENTITIES)


def data(text: str) -> Html:
    """JSON for a script element that holds data: equal as JSON, and nothing ends the element."""
    return Html(text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e"))
