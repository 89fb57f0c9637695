"""Removed and new cases in; which new one a removed one may have become, out.

A case without an id is called by its prompt, so whoever edits a prompt removes one case and adds
another. That these may be one is only a hint for people: nothing is decided by it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

from mergebar.comparing.pairing import Pairing
from mergebar.model.reports import ReportCheck

_ALIKE = 0.8
_LIMIT = 400

_Cases: TypeAlias = Mapping[str, Mapping[str, "_Case"]]
"""By suite and key."""


@dataclass(slots=True)
class _Case:
    """What can be seen of a case in a report: its short name, and digests of its texts."""

    label: str
    prompts: set[str]
    expected: set[str]


class EditedPrompts:
    """Gives up on a suite in which there is too much to look at."""

    __slots__ = ("_gone", "_new", "_renames")

    def __init__(self, *, gone: _Cases, new: _Cases, renames: Mapping[str, str]) -> None:
        self._gone = gone
        self._new = new
        self._renames = renames

    @classmethod
    def between(
        cls, found: Pairing[ReportCheck, ReportCheck], *, renames: Mapping[str, str]
    ) -> "EditedPrompts":
        """Of a pairing, the cases that are wholly gone and wholly new."""
        before = {
            (renames.get(check.suite, check.suite), check.case)
            for check in (*found.gone, *(base for base, _ in found.matched))
        }
        return cls(
            gone=_cases(found.gone, but={(base.suite, base.case) for base, _ in found.matched}),
            new=_cases(
                found.new, but=before | {(head.suite, head.case) for _, head in found.matched}
            ),
            renames=renames,
        )

    def find(self, check: ReportCheck) -> str | None:
        """The key of the new case that a wholly gone one may have become, if there is one."""
        suite = self._renames.get(check.suite, check.suite)
        gone, new = self._gone[check.suite], self._new.get(suite, {})
        if not new or len(new) * len(gone) > _LIMIT:
            return None
        scores = {case: _likeness(gone[check.case], other) for case, other in new.items()}
        best = max(sorted(scores), key=scores.__getitem__)
        return best if scores[best] >= _ALIKE else None


def _cases(checks: Iterable[ReportCheck], *, but: AbstractSet[tuple[str, str]]) -> _Cases:
    found: defaultdict[str, dict[str, _Case]] = defaultdict(dict)
    for check in checks:
        if (check.suite, check.case) not in but:
            case = found[check.suite].setdefault(check.case, _Case(check.label, set(), set()))
            if check.measured:
                case.prompts.add(check.measured.prompt)
            if check.measured and check.measured.expected_response:
                case.expected.add(check.measured.expected_response)
    return found


def _likeness(gone: _Case, new: _Case) -> float:
    """Alike are cases that ask or expect the same, or whose short names nearly agree.

    Of several that expect the same, the one with the most similar name.
    """
    names = SequenceMatcher(None, gone.label, new.label, autojunk=False).ratio()
    return names + 2 * bool(gone.prompts & new.prompts) + bool(gone.expected & new.expected)
