"""What GitHub makes of Markdown: its own engine, and then what it links in text that is no code."""

import re
from html.parser import HTMLParser

import cmarkgfm  # type: ignore[import-untyped]
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]

EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist", "tagfilter"]

# After rendering, GitHub links these wherever they stand outside of code.
_LINKED_LATER = re.compile(
    r"(?<!\w)@[a-z0-9]"  # people and teams
    r"|#\d"  # issues
    r"|\bgh-\d"
    r"|(?<![0-9a-z])[0-9a-f]{7,64}(?![0-9a-z])"  # commits
    r"|https?://|www\."
    r"|:[a-z0-9_+-]+:"  # emoji
    r"|\$[^$]+\$",  # formulas
    re.IGNORECASE,
)


def html(markdown: str) -> str:
    """As github.com renders a comment, before it sanitizes and links."""
    rendered: str = cmarkgfm.markdown_to_html_with_extensions(
        markdown,
        options=Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG,
        extensions=EXTENSIONS,
    )
    return rendered


class Reader(HTMLParser):
    """Tags in order, text inside and outside of code, and comments, of rendered HTML."""

    def __init__(self, markdown: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.closed: list[str] = []
        self.comments: list[str] = []
        self.addresses: list[str | None] = []
        self.code = ""
        self._plain: list[str] = []
        self._depth = 0
        self.feed(html(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in {"href", "src"}]
        self._plain.append("\n")
        self._depth += tag in {"code", "pre"}

    def handle_endtag(self, tag: str) -> None:
        self.closed.append(tag)
        self._plain.append("\n")
        self._depth -= tag in {"code", "pre"}

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.code += data
        else:
            self._plain.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    @property
    def plain(self) -> str:
        """All text outside of code; text of different elements is apart."""
        return "".join(self._plain)

    @property
    def linked_later(self) -> list[str]:
        """What GitHub would link, mention, draw or compute in the text outside of code."""
        return _LINKED_LATER.findall(self.plain)
