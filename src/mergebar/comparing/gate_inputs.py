"""A comparison in; what the gate and the headline take from it, out."""

from mergebar.model.comparisons import ChangeKind, Comparison


def known(comparison: Comparison | None) -> frozenset[str]:
    """The known failures: these failed in a comparable baseline, reliably and not just since."""
    if comparison is None:
        return frozenset()
    return frozenset(one.check for one in comparison.changes if one.known)


def new(comparison: Comparison | None) -> frozenset[str] | None:
    """The checks that no baseline knows; `None` where there is no baseline, and so all are."""
    if comparison is None or comparison.baseline is None:
        return None
    return frozenset(one.check for one in comparison.changes if one.change is ChangeKind.NEW)


def loosened(comparison: Comparison | None, *, branch: str = "the base") -> str | None:
    """How much is loosened, for the headline; `None` where nothing is."""
    if comparison is None or not comparison.loosened:
        return None
    failing = sum(1 for one in comparison.loosened if one.failing)
    said = f"{len(comparison.loosened)} loosened"
    return f"{said}, {failing} of them failing on {branch}" if failing else said
