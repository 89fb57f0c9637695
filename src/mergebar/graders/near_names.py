"""A name that nothing was called by in; what was called almost so out."""

import re
from collections.abc import Iterator, Mapping

from mergebar.graders import grades

_RULE = re.compile(r"\(.*", re.DOTALL)
_RENAMED = (("Task", "Agent"), ("Edit", "MultiEdit"), ("SlashCommand", "Skill"))
"""Tools that a host has called by another name in another version."""


def notices(wanted: str, counts: Mapping[str, int]) -> Iterator[str]:
    """One for each name. `counts` says how often each was called."""
    if counts.get(wanted):
        return
    renamed = {name for pair in _RENAMED if wanted in pair for name in pair}
    plain = _RULE.sub("", wanted).strip().casefold()
    pattern = re.compile(".*".join(map(re.escape, plain.split("*"))))
    for name, count in counts.items():
        called = f"`{name}` was called {grades.times(count)}"
        if name in renamed:
            yield f"{called}: is that the tool that is meant?"
        elif plain and pattern.fullmatch(name.casefold()):
            yield f"{called}, and is not `{wanted}`: names are compared as they stand"
