"""The configuration of the base and that of a change in; where the second asks for less, out.

Effects of rules on checks show in the checks themselves where this change's own rules hold; where
the base's hold, only the rules can be compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mergebar.comparing import regrouping, ruling, scoping
from mergebar.comparing.loosening import Way, loosened
from mergebar.comparing.regrouping import Suites
from mergebar.comparing.wording import code, number
from mergebar.model.comparisons import Loosened, Loosening
from mergebar.model.configuration import (
    BaselineConfig,
    BaselineSource,
    Config,
    GatePolicy,
    JudgeConfig,
    Mode,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """`rules`: whether the rules themselves have to be compared. `suites` may not be known."""

    base: Config
    head: Config
    rules: bool = True
    suites: Suites | None = None


def compare(policies: Policies) -> tuple[Loosened, ...]:
    """Each key that asks for less, in the order of the configuration."""
    base, head = policies.base, policies.head
    ways = [
        *_judge(base.judge, head.judge),
        *scoping.ways(base, head, apart=policies.suites is not None),
        *(ruling.ways(base.rules, head.rules) if policies.rules else ()),
        *(ruling.unforced(base.rules, head.rules) if not policies.rules else ()),
        *_gate(base.gate, head.gate),
        *_baseline(base.baseline, head.baseline),
    ]
    moved = () if policies.suites is None else regrouping.loosened(base, head, policies.suites)
    return (*(loosened(way, suite=None, touched=()) for way in ways), *moved)


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


def _baseline(base: BaselineConfig, head: BaselineConfig) -> Iterator[Way]:
    """Without one nothing is known to have got worse; another file may be another's."""
    if head.source is BaselineSource.NONE is not base.source:
        yield _policy("baseline.source", base.source.value, head.source.value)
    elif base.path != head.path:
        yield _policy("baseline.path", code(base.path), code(head.path))


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
    elif base.model != head.model:
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
