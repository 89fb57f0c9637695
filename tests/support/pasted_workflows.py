"""The workflows that our pages offer for pasting, by a file name of their own."""

import re
from collections.abc import Iterator

from conftest import ROOT

PAGES = [
    ROOT / "README.md",
    ROOT / "docs/reference/action.md",
    *sorted((ROOT / "docs/guides").glob("*.md")),
]
_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _workflows() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for number, block in enumerate(_BLOCK.findall(page.read_text())):
            if re.search(r"^jobs:", block, re.MULTILINE):
                yield f"{page.stem}-{number}.yml", block


WORKFLOWS = dict(_workflows())
