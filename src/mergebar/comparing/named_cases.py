"""Cases that one side alone gives an id or a name in; which is which, by their prompts, out.

Without either, a case is called by its prompts. Whoever gives it an id changes nothing else.
"""

from collections.abc import Iterable, Mapping

from mergebar.comparing.equal_prompts import Case, Identified


def matched(
    gone: Iterable[Identified], new: Iterable[Identified], *, renames: Mapping[str, str]
) -> dict[Case, str]:
    """For cases of the base that are gone: the key that they have in the head.

    Where several have the same prompts, nobody can tell. `renames` lead from old paths to new ones.
    """
    before, after = _by_prompts(gone, renames), _by_prompts(new, {})
    return {
        (suite, was): now
        for (suite, prompts), was in before.items()
        if (now := after.get((suite, prompts))) is not None and prompts in {was, now}
    }


def _by_prompts(
    checks: Iterable[Identified], renames: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """The key of each case that is alone with its prompts, which its last turn has all."""
    last: dict[Case, tuple[int, str]] = {}
    for check in checks:
        if check.turn is not None and check.measured is not None:
            key = renames.get(check.suite, check.suite), check.case
            last[key] = max(last.get(key, (-1, "")), (check.turn, check.measured.prompt))
    found: dict[tuple[str, str], str] = {}
    several = set()
    for (suite, case), (_, prompts) in last.items():
        if found.setdefault((suite, prompts), case) != case:
            several.add((suite, prompts))
    return {alone: case for alone, case in found.items() if alone not in several}
