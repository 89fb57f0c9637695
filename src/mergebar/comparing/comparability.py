"""One check on two sides in; why they didn't measure the same, in words, out.

Product contract, section 7: prompt, expected response, context, evaluator and its options,
threshold, agent, judge, what the judge is asked, and how often.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from mergebar import identity
from mergebar.catalogue import defaults
from mergebar.comparing.wording import code, number
from mergebar.model.definitions import Measured
from mergebar.model.reports import ReportJudge
from mergebar.model.text import Json, JsonObject

PROMPT = "the judge's prompt"
_PROMPT_VERSION = "prompt_version"
_PROMPTS = {0: "the prompt changed", None: "what it asks changed"}
_REPLAY, _REPLAYED = "replay", "replayed verdicts"
_SHORT = 12
_NUMBERS = frozenset({int, float})
_DEFAULTS: Mapping[str, JsonObject] = {
    name: {option: identity.digest(value)[:_SHORT] for option, value in options.items()}
    for name, options in defaults.EVALUATORS.items()
}


class Defined(Protocol):
    """What a check says of what it measures, whether it is planned or reported."""

    @property
    def name(self) -> str: ...
    @property
    def definition(self) -> str: ...
    @property
    def threshold(self) -> float | None: ...
    @property
    def agent(self) -> str | None: ...
    @property
    def turn(self) -> int | None: ...
    @property
    def measured(self) -> Measured | None: ...


class Comparability:
    """Tells whether checks of two runs measured the same. `None` is a judge that isn't known."""

    __slots__ = ("_same_judge", "_why_judge")

    def __init__(self, base: ReportJudge | None, head: ReportJudge | None) -> None:
        self._same_judge = base == head
        self._why_judge = "; ".join(map(str, judges(base, head)))

    def reason(self, base: Defined, head: Defined) -> str:
        """Why the two can't be compared; empty where they can."""
        if (
            self._same_judge
            and base.definition == head.definition
            and base.agent == head.agent
            and base.threshold == head.threshold
            and base.measured == head.measured
        ):
            return ""
        return "; ".join(self._reasons(base, head))

    def _reasons(self, base: Defined, head: Defined) -> Iterator[str]:
        said = () if base.definition == head.definition else tuple(_definition(base, head))
        yield from said or _threshold(base, head)
        if base.definition != head.definition and not said and not _is_only_spelled(base, head):
            yield "what it measures changed"
        if base.agent != head.agent:
            yield f"agent {code(base.agent)} → {code(head.agent)}"
        yield from _asking(base.measured, head.measured)
        if _is_judged(base) or _is_judged(head):
            yield from (self._why_judge,) if self._why_judge else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One way in which two things differ, in words."""

    what: str
    was: str
    now: str

    def __str__(self) -> str:
        return f"{self.what} {self.was} → {self.now}"


def judges(base: ReportJudge | None, head: ReportJudge | None) -> Iterator[Difference]:
    """How the judges differ; one that isn't known can't be the same."""
    if base is None or head is None:
        if base is not head:
            yield Difference(what="judge", was=_named(base), now=_named(head))
        return
    if base.provider != head.provider:
        was, now = code(base.provider), code(head.provider)
        yield Difference(what="judge provider", was=was, now=now)
    if base.model != head.model:
        yield Difference(what="judge", was=_model(base), now=_model(head))
    for name in sorted({*base.parameters, *head.parameters}):
        old, new = base.parameters.get(name), head.parameters.get(name)
        if old != new:
            what = PROMPT if name == _PROMPT_VERSION else f"judge parameter `{name}`"
            yield Difference(what=what, was=_shown(old), now=_shown(new))


def _named(judge: ReportJudge | None) -> str:
    return "unknown" if judge is None else code(judge.model or judge.provider)


def _model(judge: ReportJudge) -> str:
    """Recordings don't say whose verdicts they hold."""
    return _REPLAYED if judge.provider == _REPLAY and judge.model is None else code(judge.model)


def _shown(value: Json) -> str:
    return "unset" if value is None else str(value)


def _definition(base: Defined, head: Defined) -> Iterator[str]:
    old, new = base.measured, head.measured
    if old is not None and new is not None:
        yield from _texts(old, new, turn=head.turn)
        yield from _options(_telling(old.options, base.name), _telling(new.options, head.name))
    yield from _threshold(base, head)


def _threshold(base: Defined, head: Defined) -> Iterator[str]:
    if base.threshold != head.threshold:
        yield f"threshold {number(base.threshold)} → {number(head.threshold)}"


def _telling(options: JsonObject, name: str) -> JsonObject:
    """The options, as digests, less those that an earlier report states at their default value."""
    return defaults.without(options, _DEFAULTS.get(name))


def _is_only_spelled(base: Defined, head: Defined) -> bool:
    """Whether the definitions differ in nothing but a default that one of them spells out."""
    sides = ((one.name, one.measured.options) for one in (base, head) if one.measured is not None)
    return any(_telling(options, name) != options for name, options in sides)


def _texts(old: Measured, new: Measured, *, turn: int | None) -> Iterator[str]:
    if old.prompt != new.prompt:
        yield _PROMPTS.get(turn, "the prompt, or one before it, changed")
    for name, was, now in (
        ("expected response", old.expected_response, new.expected_response),
        ("context", old.context, new.context),
    ):
        if was != now:
            yield f"the {name} {_happened(was, now)}"


def _options(old: JsonObject, new: JsonObject) -> Iterator[str]:
    for name in sorted({*old, *new}):
        was, now = old.get(name), new.get(name)
        if type(was) in _NUMBERS and type(now) in _NUMBERS and was != now:
            yield f"option `{name}` {was} → {now}"
        elif _digested(was) != _digested(now):
            yield f"option `{name}` {_happened(was, now)}"


def _digested(value: Json) -> Json:
    """A bound is a number, and was a digest in reports of earlier versions."""
    return identity.digest(value)[:_SHORT] if type(value) in _NUMBERS else value


def _happened(was: Json, now: Json) -> str:
    if was is None:
        return "was added"
    return "was removed" if now is None else "changed"


def _asking(old: Measured | None, new: Measured | None) -> Iterator[str]:
    """Differences in what the judge is asked, and in how often anything is asked."""
    if old is None or new is None:
        if old is not new:
            yield "only one of the reports says what was measured"
        return
    if old.judge_prompt != new.judge_prompt:
        yield f"what the judge is asked {code(old.judge_prompt)} → {code(new.judge_prompt)}"
    for name, (was, now) in _counts(old, new).items():
        if was != now:
            yield f"{name} {was} → {now}"


def _counts(old: Measured, new: Measured) -> Mapping[str, tuple[int, int]]:
    return {
        "runs": (old.runs, new.runs),
        "votes": (old.votes, new.votes),
        "votes that confirm a failure": (old.confirm_failures, new.confirm_failures),
    }


def _is_judged(check: Defined) -> bool:
    """Where nothing says so, the judge may matter."""
    return check.measured is None or check.measured.judged
