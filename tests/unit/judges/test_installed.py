"""Judges of packages: whatever they do is a vote on the scale, or a failure with a reason."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from mergebar.judges import installed
from mergebar.model.configuration import JudgeConfig
from mergebar.model.conversations import ErrorClass, Failure, Usage
from mergebar.model.judgements import (
    AssertionJudge,
    Assessment,
    Claim,
    Inquiry,
    JudgeIdentity,
    Match,
    Material,
    Opinion,
    Rubric,
    Verdict,
)
from mergebar.model.problems import Location

CONFIG = JudgeConfig(
    type="acme",
    model="m",
    runs=1,
    confirm_failures=0,
    concurrency=1,
    timeout_s=5,
    attempts=1,
    options={},
    location=Location(path="mergebar.yml"),
)
ASSESSMENT = Assessment(
    suite="s",
    case="c",
    turn=0,
    evaluator="Relevance",
    run=0,
    vote=0,
    rubric=Rubric(name="Relevance", version="1", instructions="Score."),
    material=Material(prompt="p", response="r"),
)
INQUIRY = Inquiry(
    suite="s",
    case="c",
    eval="e",
    vote=0,
    claim=Claim(
        assertion="It was kind.",
        target="transcript",
        content="words",
        artifact_type="skill",
        artifact_name="mend",
    ),
)
VERDICT = Verdict(score=4, reason="good")
OPINION = Opinion(match=Match.PASS, confidence=0.9, observed="kindness", reason="seen")


class Scoring:
    """A judge that only scores."""

    identity: object = JudgeIdentity(provider="acme", parameters={"most": 3})

    def __init__(self, act: Callable[[], Awaitable[object]]) -> None:
        self._act = act

    async def assess(self, assessment: object, /) -> object:
        del assessment
        return await self._act()

    async def aclose(self) -> None:
        message = "too late to matter"
        raise RuntimeError(message)


class Voting(Scoring):
    """One that votes on assertions too."""

    async def verify(self, inquiry: object, /) -> object:
        del inquiry
        return await self._act()


def gives(value: object) -> Voting:
    async def act() -> object:
        return value

    return Voting(act)


def raises(error: BaseException) -> Voting:
    async def act() -> object:
        raise error

    return Voting(act)


def asked(made: object, method: str, config: JudgeConfig = CONFIG) -> Verdict | Opinion | Failure:
    """What comes back from behind the guard, whose closing must never fail."""

    async def ask() -> Verdict | Opinion | Failure:
        judge = installed.guard(config, made)
        if method == "assess":
            found: Verdict | Opinion | Failure = await judge.assess(ASSESSMENT)
        else:
            assert isinstance(judge, AssertionJudge)
            found = await judge.verify(INQUIRY)
        await judge.aclose()
        return found

    return asyncio.run(ask())


@pytest.mark.parametrize(("method", "vote"), [("assess", VERDICT), ("verify", OPINION)])
def test_a_good_vote_and_a_failure_come_through_as_they_are(method: str, vote: object) -> None:
    failure = Failure(error_class=ErrorClass.AUTH, message="the key is wrong")

    assert asked(gives(vote), method) == vote
    assert asked(gives(failure), method) == failure


def test_it_is_who_it_says_and_votes_on_assertions_if_it_can() -> None:
    scoring = installed.guard(CONFIG, Scoring(lambda: asyncio.sleep(0)))

    assert scoring.identity == JudgeIdentity(provider="acme", parameters={"most": 3})
    assert not isinstance(scoring, AssertionJudge)


@pytest.mark.parametrize("method", ["assess", "verify"])
@pytest.mark.parametrize(
    ("made", "said"),
    [
        (raises(KeyError("x")), "failed: KeyError: 'x'"),
        (raises(TimeoutError()), "failed: TimeoutError"),
        (raises(SystemExit(0)), "failed: SystemExit: 0"),
        (raises(asyncio.CancelledError()), "failed: CancelledError"),
        (gives("hello"), "gave back a `str` from `"),
        (gives(None), "gave back a `NoneType` from `"),
        (object(), "has no `assess` and `aclose`, as a `Judge` must"),
    ],
)
def test_whatever_else_it_does_is_a_failure_that_names_it(
    method: str, made: object, said: str
) -> None:
    found = asked(made, method)

    assert isinstance(found, Failure)
    assert found.message.startswith(f"the installed judge `acme` {said}")


@pytest.mark.parametrize(
    "wrong",
    [
        {"score": 7},
        {"score": 0.5},
        {"score": float("nan")},
        {"score": "5"},
        {"score": True},
        {"score": 10**400},
        {"reason": None},
        {"usage": None},
        {"usage": Usage(input_tokens="3")},  # type: ignore[arg-type]
        {"usage": Usage(input_tokens=1.5)},  # type: ignore[arg-type]
        {"usage": Usage(cost_usd=float("nan"))},
        {"usage": Usage(output_tokens=-1)},
        {"cached": []},
    ],
    ids="-".join,
)
def test_a_verdict_that_is_none_is_never_counted(wrong: dict[str, object]) -> None:
    found = asked(gives(replace(VERDICT, **wrong)), "assess")  # type: ignore[arg-type]

    assert isinstance(found, Failure)
    assert "gave back a vote that is none" in found.message


@pytest.mark.parametrize(
    "wrong",
    [
        {"match": "pass"},
        {"match": True},
        {"confidence": 1.1},
        {"confidence": -0.1},
        {"confidence": float("nan")},
        {"confidence": None},
        {"observed": None},
        {"reason": 3},
        {"claim": None},
        {"usage": None},
        {"cached": "yes"},
    ],
    ids="-".join,
)
def test_an_opinion_that_is_none_is_never_counted(wrong: dict[str, object]) -> None:
    found = asked(gives(replace(OPINION, **wrong)), "verify")  # type: ignore[arg-type]

    assert isinstance(found, Failure)
    assert "gave back a vote that is none" in found.message


@pytest.mark.parametrize("method", ["assess", "verify"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"error_class": "timeout"},
        {"error_class": None},
        {"message": None},
        {"message": 5},
        {"code": 5},
        {"place": "mergebar.yml"},
    ],
    ids="-".join,
)
def test_a_failure_that_is_none_is_the_packages_own(method: str, wrong: dict[str, object]) -> None:
    failure = Failure(error_class=ErrorClass.TIMEOUT, message="late")

    found = asked(gives(replace(failure, **wrong)), method)  # type: ignore[arg-type]

    assert isinstance(found, Failure)
    assert found.error_class is ErrorClass.EVALUATOR
    assert "gave back a failure that is none" in found.message


@pytest.mark.parametrize("method", ["assess", "verify"])
def test_time_is_limited_whatever_the_package_does(method: str) -> None:
    found = asked(Voting(lambda: asyncio.sleep(60)), method, replace(CONFIG, timeout_s=0.02))

    assert isinstance(found, Failure)
    assert found.error_class is ErrorClass.TIMEOUT
    assert "did not answer within 0.02 s (`judge.timeout`)" in found.message


_UNWRITTEN = "gave back an `identity` that can't be written as JSON"


@pytest.mark.parametrize(
    ("identity", "said"),
    [
        (None, "gave back a `NoneType` from `identity`"),
        (property(lambda _: 1 / 0), "can't say who judges: ZeroDivisionError"),
        (JudgeIdentity(provider=None), _UNWRITTEN),  # type: ignore[arg-type]
        (JudgeIdentity(provider="acme", model=5), _UNWRITTEN),  # type: ignore[arg-type]
        (JudgeIdentity(provider="acme", parameters={"a": object()}), _UNWRITTEN),  # type: ignore[dict-item]
        (JudgeIdentity(provider="acme", parameters={"a": float("inf")}), _UNWRITTEN),
        (JudgeIdentity(provider="acme", parameters=None), _UNWRITTEN),  # type: ignore[arg-type]
    ],
)
def test_one_that_cant_say_who_it_is_never_votes(identity: object, said: str) -> None:
    kind = type("Nameless", (Voting,), {"identity": identity})

    found = asked(kind(lambda: asyncio.sleep(0, VERDICT)), "assess")

    assert isinstance(found, Failure)
    assert found.message.startswith(f"the installed judge `acme` {said}")
