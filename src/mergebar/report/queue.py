"""The checks that wait for a person in, what to paste into mergebar.reviews.yml out."""

from collections.abc import Sequence

from mergebar import reviews
from mergebar.model.reports import ReportCheck
from mergebar.reviews import Waiting
from mergebar.untrusted import markdown
from mergebar.untrusted.markdown import Markdown

_MOST = 20


def entries(checks: Sequence[ReportCheck], *, most: int = _MOST) -> str:
    """A whole file with an entry for each; empty where nothing waits that can be reviewed."""
    waiting = [_waiting(check, check.review) for check in checks if check.review is not None]
    return reviews.instructions(waiting[:most], exists=False) if waiting else ""


def drawn(checks: Sequence[ReportCheck], *, most: int) -> Markdown | None:
    """The same as a block of Markdown."""
    text = entries(checks, most=most)
    return markdown.block(text.rstrip("\n"), info="yaml") if text else None


def _waiting(check: ReportCheck, digest: str) -> Waiting:
    return Waiting(
        suite=check.suite, eval=check.name, session=check.case, digest=digest, look=check.look
    )
