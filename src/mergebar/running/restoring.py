"""What an interrupted run of the same plan measured in; taken over and counted, out."""

from collections.abc import Collection, Sequence

from mergebar.running.budget import Allowance
from mergebar.running.ledger import Ledger, Page
from mergebar.running.tallies import Tally
from mergebar.running.voting import Bench


def restore(
    ledger: Ledger, *, bench: Bench, runs: Allowance, replayed: Collection[str | None]
) -> int:
    """Fill the pages; returns how many calls of agents that saves, sessions that were run too."""
    taken = Tally()
    fresh: dict[tuple[int, str, int], list[Page]] = {}
    asked = 0
    for page in ledger.pages:
        found = ledger.restore(page)
        taken.add(calls=found.calls, hits=found.hits)
        scenario = page.case.scenario
        if scenario is None and page.case.agent not in replayed:
            asked += len(page.turns)
        elif scenario is not None and page.is_fresh:
            fresh.setdefault((scenario.group, scenario.path, page.run), []).append(page)
    asked += sum(1 for pages in fresh.values() if _is_whole(pages))
    bench.made_before(taken)
    runs.made_before(asked)
    return asked


def _is_whole(pages: Sequence[Page]) -> bool:
    """Whether all of a session is known; else it is run again, and nothing of it is taken over."""
    if not any(any(page.open) for page in pages):
        return True
    for page in pages:
        page.checks.clear()
    return False
