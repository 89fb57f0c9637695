"""The configuration of the base and that of a change in; where the second asks for less, out.

Effects of rules on checks show in the checks themselves where this change's own rules hold; where
the base's hold, only the rules can be compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mergebar.comparing import ruling
from mergebar.comparing.loosening import Way, loosened
from mergebar.comparing.wording import code, number
from mergebar.model.comparisons import Loosened, Loosening
from mergebar.model.configuration import Config, DocumentGroup, GatePolicy, JudgeConfig, Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """`rules`: whether the rules themselves have to be compared."""

    base: Config
    head: Config
    rules: bool = True


def compare(policies: Policies) -> tuple[Loosened, ...]:
    """Each key that asks for less, in the order of the configuration."""
    base, head = policies.base, policies.head
    ways = [
        *_judge(base.judge, head.judge),
        *_groups(base.documents, head.documents),
        *(ruling.ways(base.rules, head.rules) if policies.rules else ()),
        *_gate(base.gate, head.gate),
    ]
    return tuple(loosened(way, suite=None, touched=()) for way in ways)


def _gate(base: GatePolicy, head: GatePolicy) -> Iterator[Way]:
    if (base.mode, head.mode) == (Mode.ENFORCE, Mode.ADVISE):
        yield _policy("gate.mode", "enforce", "advise")
    if head.severity.rank > base.severity.rank:
        yield _policy("gate.severity", base.severity.value, head.severity.value)
    for key, blocked, blocks, was, now in (
        ("known_failures", base.known_failures_block, head.known_failures_block, "block", "allow"),
        ("new_failures", base.new_failures_block, head.new_failures_block, "block", "warn"),
        ("reviews", base.reviews_block, head.reviews_block, "block", "ignore"),
        ("loosened", base.loosened_review, head.loosened_review, "review", "report"),
    ):
        if blocked and not blocks:
            yield _policy(f"gate.{key}", was, now)
    if head.unmeasured > base.unmeasured:
        yield _policy("gate.unmeasured", number(base.unmeasured), number(head.unmeasured))
    if base.max_drop is not None and (head.max_drop is None or head.max_drop > base.max_drop):
        now = "unset" if head.max_drop is None else number(head.max_drop)
        yield _policy("gate.max_drop", number(base.max_drop), now)


def _groups(base: Sequence[DocumentGroup], head: Sequence[DocumentGroup]) -> Iterator[Way]:
    """Groups are the same when their paths are; what is no group's any more shows as removed."""
    before = {group.paths: group for group in base}
    for group in head:
        old = before.get(group.paths)
        if old is not None:
            yield from _group(old, group)


def _group(base: DocumentGroup, head: DocumentGroup) -> Iterator[Way]:
    """An unrated group asks that all pass, so any floor is less."""
    name = ", ".join(head.paths)
    floor = base.min_pass_rate
    if head.min_pass_rate is not None and (floor is None or head.min_pass_rate < floor):
        was = "unset" if floor is None else number(floor)
        what, now = f"`min_pass_rate` of `{name}`", number(head.min_pass_rate)
        yield Way(kind=Loosening.POLICY, what=what, was=was, now=now)
    if head.runs < base.runs:
        what = f"`runs` of `{name}`"
        yield Way(kind=Loosening.RUNS, what=what, was=str(base.runs), now=str(head.runs))


def _judge(base: JudgeConfig | None, head: JudgeConfig | None) -> Iterator[Way]:
    if base is None or head is None:
        return
    if head.runs < base.runs:
        was, now = str(base.runs), str(head.runs)
        yield Way(kind=Loosening.VOTES, what="`judge.runs`", was=was, now=now)
    if head.confirm_failures > base.confirm_failures:
        was, now = str(base.confirm_failures), str(head.confirm_failures)
        yield Way(kind=Loosening.VOTES, what="`judge.confirm_failures`", was=was, now=now)
    if base.type != head.type:
        was, now = code(base.type), code(head.type)
        yield Way(kind=Loosening.JUDGE, what="`judge.type`", was=was, now=now)
    if base.model != head.model:
        was, now = code(base.model), code(head.model)
        yield Way(kind=Loosening.JUDGE, what="`judge.model`", was=was, now=now)
    elif _options(base) != _options(head):
        what = "options of `judge`"
        yield Way(kind=Loosening.JUDGE, what=what, was="as on the base", now="changed")


def _options(judge: JudgeConfig) -> JudgeConfig:
    """What else makes it another judge; not its place, its patience or its speed."""
    return replace(
        judge,
        runs=0,
        confirm_failures=0,
        concurrency=0,
        timeout_s=0,
        attempts=0,
        location=ruling.NOWHERE,
    )


def _policy(key: str, was: str, now: str) -> Way:
    return Way(kind=Loosening.POLICY, what=f"`{key}`", was=was, now=now)
