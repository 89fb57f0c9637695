"""What a verdict rests on and a session in, what of that the trace doesn't hold, if anything, out.

Something that was seen stays seen. That something wasn't seen is known of a whole record only.
"""

from collections.abc import Callable, Iterator

from mergebar.graders import grades, views
from mergebar.model.gaps import Gap, Missing
from mergebar.model.gradings import Basis, Grade, Seen
from mergebar.model.plans import Withholding
from mergebar.model.results import Outcome
from mergebar.model.sessions import MAIN


def held_back(found: Grade, seen: Seen) -> Grade | Withholding:
    """The grade, unless what the trace doesn't hold could turn it."""
    basis = found.basis
    if basis is None:
        basis = Basis.CHAINS if found.outcome is Outcome.PASS else Basis.SEEN
    what = missing(seen, basis)
    if what is None:
        return found
    if found.quotes:  # a reason that a check without a result may not hold
        return grades.withheld(f"what the session ended with can't be told: {what}")
    return grades.withheld(so_far(found.reason, what))


def so_far(reason: str, what: str) -> str:
    """A reason that holds for what was recorded only."""
    return f"{reason}, as far as is recorded: {what}"


def missing(seen: Seen, basis: Basis, *, sure: bool = False) -> str | None:
    """Why a verdict on this basis may be wrong, as a clause; `sure`: nothing that only may be."""
    gaps = (gap.what for gap in _gaps(seen, basis) if gap.sure or not sure)
    found = next(gaps, None)
    if found is None and basis is Basis.BRANCHES:
        return views.lost_agents(seen)
    return found


def _gaps(seen: Seen, basis: Basis) -> Iterator[Gap]:
    concerns = _CONCERNS[basis]
    return (gap for gap in seen.session.gaps if concerns(gap, seen))


def _on_chains(gap: Gap, seen: Seen) -> bool:
    """What the main chain misses may have been a call of the artifact, on whichever chain.

    What came before the first record is missing only where the artifact's part begins there.
    """
    if gap.missing is Missing.BEGINNING:
        return any(0 in span for span in seen.excerpt.own.get(MAIN, ()))
    return gap.branch == MAIN or gap.branch in seen.excerpt.own


def _on_branches(gap: Gap, seen: Seen) -> bool:
    return gap.branch in seen.excerpt.nested or _on_chains(gap, seen)


def _at_end(gap: Gap, seen: Seen) -> bool:
    del seen
    return gap.branch == MAIN and gap.missing is Missing.END


def _on_main(gap: Gap, seen: Seen) -> bool:
    del seen
    return gap.branch == MAIN


def _nowhere(gap: Gap, seen: Seen) -> bool:
    del gap, seen
    return False


_CONCERNS: dict[Basis, Callable[[Gap, Seen], bool]] = {
    Basis.SEEN: _nowhere,
    Basis.CHAINS: _on_chains,
    Basis.BRANCHES: _on_branches,
    Basis.LAST: _at_end,
    Basis.MAIN: _on_main,
}
