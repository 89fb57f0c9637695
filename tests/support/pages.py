"""A page of the docs in; its sections, blocks, tables and anchors out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[a-z]*)$")
_NAMED = re.compile(r"`([^`]+)`[^`]*:$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Fenced text. `name` is the file that the line before it names, as in "`mergebar.yml`:"."""

    page: str
    line: int
    heading: str
    language: str
    name: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def read(page: Path | str) -> str:
    """The text of a page; `page` may be relative to `docs/`."""
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: Path | str, *languages: str) -> list[Block]:
    """The fenced blocks, in order; those of some languages, if any are named."""
    return [one for one in _blocks(DOCS / page) if not languages or one.language in languages]


def _blocks(path: Path) -> Iterator[Block]:
    heading, before, start, language = "", "", 0, ""
    inside: list[str] | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if inside is not None and fence:
            named = _NAMED.search(before)
            yield Block(
                page=path.name,
                line=start,
                heading=heading,
                language=language,
                name=named[1] if named else None,
                text="".join(f"{each}\n" for each in inside),
            )
            inside, before = None, ""
        elif inside is not None:
            inside.append(line)
        elif fence:
            inside, start, language = [], number, fence["language"]
        elif line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.strip():
            before = line


def prose(page: Path | str) -> str:
    """The page without its fenced blocks."""
    return re.sub(r"^```[a-z]*\n.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)


def sections(page: Path | str) -> dict[str, str]:
    """What stands under each heading, up to the next one of any level."""
    parts = re.split(r"^#+ (.*)$", prose(page), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(text: str, first: str) -> list[list[str]]:
    """The rows of the tables whose first heading is this one, cell by cell."""
    found: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
        if not cells:
            inside = False
        elif cells[0] == first:
            inside = True
        elif inside and not cells[0].startswith("---"):
            found.append([cell.replace(r"\|", "|") for cell in cells])
    return found


def names(cell: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def anchors(page: Path) -> set[str]:
    """What a link into a page may name: its headings as GitHub spells them, and its `id`s."""
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    found = set(re.findall(r'<a id="([^"]+)"', text))
    for heading in re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.add(re.sub(r"[^\w\- ]", "", plain).replace(" ", "-"))
    return found
