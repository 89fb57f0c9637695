"""Two reports and what changed between them in; their comparison out."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mergebar.comparing import (
    absence,
    changing,
    dropping,
    evidence,
    loosening,
    policies,
    removals,
    tallying,
)
from mergebar.comparing.absence import Absent, Moves
from mergebar.comparing.changing import Pair
from mergebar.comparing.comparability import Comparability
from mergebar.comparing.declarations import Declarations
from mergebar.comparing.evidence import Evidence
from mergebar.comparing.pairing import Pairing, pair
from mergebar.comparing.policies import Policies
from mergebar.comparing.regrouping import Suites
from mergebar.model.changes import Change, Status
from mergebar.model.comparisons import (
    Baseline,
    CheckChange,
    Comparison,
    Edited,
    Loosened,
    Loosening,
    Renamed,
)
from mergebar.model.reports import Report, ReportCheck, ReportJudge


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """What the reports can't say.

    `files` changed between the baseline's commit and the tested one: renames and deletions are
    read from them; not `listed`, there may be more. `touched` are those that this change itself
    makes, for edited evidence; they are the same where the baseline is of the base commit.
    `filtered`: this run was asked for less than everything, whatever its report says. `policies`:
    the configurations on both sides, where both are known. `excuses`: what failed in the baseline
    is known to have failed before this change. `declarations` stand in where there is no baseline.
    """

    files: tuple[Change, ...] = ()
    listed: bool = True
    touched: tuple[Change, ...] | None = None
    filtered: bool = False
    evidence: Evidence = field(default_factory=Evidence)
    policies: Policies | None = None
    max_drop: float | None = None
    excuses: bool = True
    declarations: Declarations | None = None


_GONE = frozenset({Loosening.SUITE, Loosening.TRACE, Loosening.CHECK})
NOTHING_MORE = Circumstances()


def compare(
    base: Report | None,
    head: Report,
    *,
    baseline: Baseline | None,
    circumstances: Circumstances = NOTHING_MORE,
) -> Comparison:
    """Compare a report with its baseline; `head` needs no decision yet.

    Without a baseline there is no change of any check: what is left are edited evidence and a
    looser policy. The order of checks, in either report, doesn't matter.
    """
    touched = circumstances.files if circumstances.touched is None else circumstances.touched
    edits = evidence.edited(touched, circumstances.evidence)
    if base is None:
        return _alone(edits, head, circumstances)
    sides = _sides(base, head, circumstances)
    graded = [one for one in sides.pairs if one.graded]
    drop = dropping.judge(graded, max_drop=circumstances.max_drop)
    return Comparison(
        baseline=baseline,
        changes=tuple(_changes(sides, head)),
        loosened=_loosened(sides, head, edits, circumstances),
        edited=edits,
        evaluators=tallying.evaluators(graded),
        total=tallying.total(graded),
        renamed=sides.renamed,
        drop=drop.fired,
        notes=tuple(_notes(sides, drop)),
    )


def _alone(edits: tuple[Edited, ...], head: Report, circumstances: Circumstances) -> Comparison:
    drop = circumstances.max_drop
    seen = [
        *_policies(circumstances, head, rules=True),
        *removals.of_traces(edits),
        *_of_declarations(head, circumstances),
    ]
    return Comparison(
        baseline=None,
        changes=(),
        loosened=_ordered(seen),
        edited=edits,
        evaluators=(),
        total=tallying.total(()),
        notes=() if drop is None else ("`gate.max_drop` can't fire here: there is no baseline",),
    )


def _of_declarations(head: Report, circumstances: Circumstances) -> Iterator[Loosened]:
    """What the files themselves ask less of; both sides have their present paths."""
    given = circumstances.declarations
    if given is None:
        return
    deleted = tuple(one for one in circumstances.files if one.status is Status.DELETED)
    sides = _sides(
        replace(head, checks=given.base),
        now := replace(head, checks=given.head),
        replace(circumstances, files=deleted),
    )
    yield from loosening.of_checks(sides.pairs)
    yield from removals.of_checks(sides.absent, head=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sides:
    """Every check of both sides in its place."""

    pairs: Sequence[Pair]
    found: Pairing[ReportCheck, ReportCheck]
    absent: Sequence[Absent]
    renamed: tuple[Renamed, ...]
    base_judge: ReportJudge | None
    head_judge: ReportJudge | None


def _sides(base: Report, head: Report, circumstances: Circumstances) -> _Sides:
    renames = renames_of(circumstances.files, kept={suite.path for suite in head.suites})
    found = pair(base.checks, head.checks, renames=renames)
    # Without a judge of its own, this run judged nothing: what is judged in it was carried.
    head_judge = head.run.judge or base.run.judge
    moves = Moves(
        renames=renames,
        deleted={one.path for one in circumstances.files if one.status is Status.DELETED},
        filtered=circumstances.filtered or head.run.filtered,
        known=circumstances.listed and bool(circumstances.files),
    )
    return _Sides(
        pairs=tuple(
            changing.pairs(
                found,
                comparability=Comparability(base.run.judge, head_judge),
                regressed=changing.regressions(base),
                excuses=circumstances.excuses,
            )
        ),
        found=found,
        absent=tuple(absence.absent(found, head=head, moves=moves)),
        renamed=_renamed(renames, base, head),
        base_judge=base.run.judge,
        head_judge=head_judge,
    )


def renames_of(files: Iterable[Change], *, kept: Collection[str] = ()) -> dict[str, str]:
    """From old paths to new ones, as git tells them.

    What is `kept` is still found at its old path, through a link, unless another file is there now.
    """
    files = tuple(files)
    made = {one.path for one in files if one.status in {Status.ADDED, Status.RENAMED}}
    return {
        one.old_path: one.path
        for one in files
        if one.status is Status.RENAMED
        and one.old_path is not None
        and (one.old_path not in kept or one.old_path in made)
    }


def _renamed(renames: Mapping[str, str], base: Report, head: Report) -> tuple[Renamed, ...]:
    """The renames of suites."""
    old, new = {suite.path for suite in base.suites}, {suite.path for suite in head.suites}
    moved = sorted((was, now) for was, now in renames.items() if was in old and now in new)
    return tuple(Renamed(was=was, now=now) for was, now in moved)


def _changes(sides: _Sides, head: Report) -> Iterator[CheckChange]:
    """In the order of this report, then what is gone in the order of the baseline."""
    told = {one.head.id: one.change for one in sides.pairs if not changing.is_untold(one)}
    told |= {check.id: changing.new(check) for check in sides.found.new}
    for check in head.checks:
        if (change := told.pop(check.id, None)) is not None:
            yield change
    yield from (one.change for one in sides.absent)


def _loosened(
    sides: _Sides, head: Report, edits: Iterable[Edited], circumstances: Circumstances
) -> tuple[Loosened, ...]:
    policy = _policies(circumstances, head)
    said = {one.kind for one in policy} & {Loosening.JUDGE, Loosening.VOTES}
    seen = [
        *loosening.of_judge(sides.pairs, base=sides.base_judge, head=sides.head_judge),
        *loosening.of_checks(sides.pairs),
        *removals.of_checks(sides.absent, head=head),
        *removals.of_traces(edits),
    ]
    # A judge that the policy has replaced, or asks less, is the same one in every check. Suites and
    # traces that the configuration no longer names are missed one by one where they were measured,
    # and so are the runs of a group.
    return _ordered([*_unseen(policy, seen), *(one for one in seen if one.kind not in said)])


def _unseen(policy: Iterable[Loosened], seen: Sequence[Loosened]) -> Iterator[Loosened]:
    """What the configuration asks less of, but for what shows in the checks."""
    gone = {one.kind for one in seen} & _GONE
    fewer = {(one.was, one.now) for one in seen if one.kind is Loosening.RUNS}
    for one in policy:
        shown = one.kind is Loosening.RUNS and (one.was, one.now) in fewer
        if not shown and (one.kind not in _GONE or not gone):
            yield one


def _policies(
    circumstances: Circumstances, head: Report, *, rules: bool = False
) -> tuple[Loosened, ...]:
    """With `rules`, there is nothing that their effects could show in."""
    given = circumstances.policies
    if given is None:
        return ()
    suites = _suites(circumstances, head)
    return policies.compare(replace(given, rules=given.rules or rules, suites=suites))


def _suites(circumstances: Circumstances, head: Report) -> Suites:
    """Those that the base had, by their paths then."""
    files = circumstances.files if circumstances.touched is None else circumstances.touched
    paths = {suite.path for suite in head.suites}
    was = {now: old for old, now in renames_of(files, kept=paths).items()}
    added = {one.path for one in files if one.status is Status.ADDED}
    return Suites(
        was={path: was.get(path, path) for path in paths - added},
        prefix=circumstances.evidence.prefix,
    )


def _ordered(loosened: Iterable[Loosened]) -> tuple[Loosened, ...]:
    """What fails on the base first, then by kind and place."""
    kinds = list(Loosening)
    return tuple(
        sorted(
            loosened,
            key=lambda one: (
                not one.failing,
                kinds.index(one.kind),
                one.suite or "",
                one.what,
                one.was,
                one.now,
                one.checks,
            ),
        )
    )


def _notes(sides: _Sides, drop: dropping.Drop) -> Iterator[str]:
    if sides.pairs and not any(one.graded for one in sides.pairs):
        yield "nothing is comparable with the baseline"
    if drop.note is not None:
        yield drop.note
