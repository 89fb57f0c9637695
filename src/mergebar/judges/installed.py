"""A judge that a package brings in; the same one, whose faults are failures of its votes, out."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import cast

from mergebar.calling import guarding
from mergebar.calling.guarding import Raised
from mergebar.errors import RAISED_BY_PACKAGES
from mergebar.model.bounds import MOST_TOKENS, MOST_USD
from mergebar.model.configuration import JudgeConfig
from mergebar.model.conversations import ErrorClass, Failure, Usage
from mergebar.model.judgements import (
    AssertionJudge,
    Assessment,
    Inquiry,
    Judge,
    JudgeIdentity,
    Match,
    Opinion,
    Verdict,
)
from mergebar.prompting import verdicts

_METHODS = ("assess", "aclose")
_UNSOUND = "gave back a failure that is none: its class is no `ErrorClass`, or a text is missing"
_NONE = "gave back a vote that is none: a number is out of range, or a text is missing"


def guard(config: JudgeConfig, made: object) -> Judge:
    """Whether it is a judge at all is seen at once, and each vote says what is wrong with it."""
    lacking = [each for each in _METHODS if not callable(getattr(made, each, None))]
    if lacking:
        named = " and ".join(f"`{each}`" for each in lacking)
        return _unusable(config, f"has no {named}, as a `Judge` must")
    judge = cast("Judge", made)
    try:
        identity: object = judge.identity
    except RAISED_BY_PACKAGES as error:
        return _unusable(config, f"can't say who judges: {type(error).__name__}: {error}")
    if not isinstance(identity, JudgeIdentity):
        return _unusable(config, f"gave back a `{type(identity).__name__}` from `identity`")
    if not _can_be_written(identity):
        return _unusable(config, "gave back an `identity` that can't be written as JSON")
    kind = GuardedAssertionJudge if isinstance(judge, AssertionJudge) else GuardedJudge
    return kind(config=config, judge=judge, identity=identity)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableJudge:
    """Stands for a judge that can't be made: every vote fails, and says why."""

    identity: JudgeIdentity
    failure: Failure

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """Nobody is asked."""
        del assessment
        return self.failure

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """Nobody is asked."""
        del inquiry
        return self.failure

    async def aclose(self) -> None:
        """Nothing is held."""


def unusable(config: JudgeConfig, failure: Failure) -> Judge:
    """In place of a judge that can't be made."""
    who = JudgeIdentity(provider=config.type, model=config.model)
    return UnusableJudge(identity=who, failure=failure)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedJudge:
    """Somebody else's code, in our process: it may raise anything, and give back anything."""

    config: JudgeConfig
    judge: Judge
    identity: JudgeIdentity

    @property
    def notes(self) -> tuple[str, ...]:
        """What it has to say about the whole run, if that is sentences."""
        return guarding.notes(self.judge)

    @property
    def throttled(self) -> int:
        """How often it was told to slow down, if it counts."""
        return guarding.throttled(self.judge)

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """One vote, on the scale that every judge keeps to."""
        found = await _asked(self.config, lambda: self.judge.assess(assessment))
        if isinstance(found, Failure):
            return found
        if not isinstance(found, Verdict):
            return _other(self.config, "assess", found)
        return found if _is_verdict(found) else _failure(self.config, _NONE)

    async def aclose(self) -> None:
        """Once all is measured, nothing that it does can matter."""
        await guarding.awaited(self.judge.aclose, timeout_s=self.config.timeout_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedAssertionJudge(GuardedJudge):
    """The same for a judge that also votes on assertions."""

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """One vote on an assertion."""
        judge = cast("AssertionJudge", self.judge)
        found = await _asked(self.config, lambda: judge.verify(inquiry))
        if isinstance(found, Failure):
            return found
        if not isinstance(found, Opinion):
            return _other(self.config, "verify", found)
        return found if _is_opinion(found) else _failure(self.config, _NONE)


async def _asked(config: JudgeConfig, ask: Callable[[], Awaitable[object]]) -> object:
    """What came back in time; a fault of the package is none of what is judged."""
    found = await guarding.awaited(ask, timeout_s=config.timeout_s)
    if isinstance(found, Failure) and not found.is_sound:
        return _failure(config, _UNSOUND)
    if not isinstance(found, Raised):
        return found
    if found.late:
        message = (
            f"the installed judge `{config.type}` did not answer within "
            f"{config.timeout_s:g} s (`judge.timeout`)"
        )
        return Failure(error_class=ErrorClass.TIMEOUT, message=message)
    return _failure(config, f"failed: {found.words}")


def _can_be_written(identity: JudgeIdentity) -> bool:
    """Who judges stands in every report, and two are told apart by it."""
    try:
        json.dumps(dict(identity.parameters), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        return False
    model: object = identity.model
    return _are_texts(identity.provider, "" if model is None else model)


def _is_verdict(found: Verdict) -> bool:
    return (
        _is_between(found.score, verdicts.LOWEST, verdicts.HIGHEST)
        and _are_texts(found.reason)
        and _is_usage(found.usage)
        and _is_flag(found.cached)
    )


def _is_opinion(found: Opinion) -> bool:
    match: object = found.match
    return (
        isinstance(match, Match)
        and _is_between(found.confidence, 0, 1)
        and _are_texts(found.observed, found.reason, found.claim)
        and _is_usage(found.usage)
        and _is_flag(found.cached)
    )


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _are_texts(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_between(value: object, low: float, high: float) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return low <= value <= high


def _is_usage(usage: object) -> bool:
    if not isinstance(usage, Usage):
        return False
    tokens: tuple[object, ...] = (usage.input_tokens, usage.output_tokens)
    return all(
        one is None or (isinstance(one, int) and _is_between(one, 0, MOST_TOKENS)) for one in tokens
    ) and (usage.cost_usd is None or _is_between(usage.cost_usd, 0, MOST_USD))


def _other(config: JudgeConfig, method: str, found: object) -> Failure:
    return _failure(config, f"gave back a `{type(found).__name__}` from `{method}`")


def _unusable(config: JudgeConfig, what: str) -> Judge:
    return unusable(config, _failure(config, what, ErrorClass.CONFIG))


def _failure(
    config: JudgeConfig, what: str, error_class: ErrorClass = ErrorClass.EVALUATOR
) -> Failure:
    message = f"the installed judge `{config.type}` {what}: repair or uninstall its package"
    return Failure(error_class=error_class, message=message)
