"""Text for CSV: any text in, a field's value out that no spreadsheet takes for a formula.

Quoting is the csv module's; numbers of our own need none of this.
"""

import re

from mergebar.untrusted import characters

# A spreadsheet skips blanks, and takes the full-width forms for the ASCII ones.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠|%]")  # noqa: RUF001 - look-alikes are the point


def field(text: str) -> str:
    """The text itself, behind an apostrophe where a formula could begin, in any of its lines."""
    shown = characters.reveal(text).replace("\t", " ")
    return "\n".join("'" + row if _FORMULA.match(row) else row for row in shown.split("\n"))
