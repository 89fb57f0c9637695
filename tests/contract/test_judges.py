"""The same questions to every judge, by the name that a configuration gives its type.

A new type is added to `SETUPS`; a type without a setup fails the first test.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mergebar import plugins
from mergebar.model.configuration import JudgeConfig
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import ErrorClass, Failure
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
from mergebar.recordings import Recorder
from support import judge_server
from support.clocks import Clock
from support.judge_server import JudgeServer
from support.servers import Reply, Request

ONE = judge_server.assessment("Hold the button.")
OTHER = judge_server.assessment("Hold the button.", evaluator="Coherence")
UNKNOWN = judge_server.assessment("Something else", vote=7)


@dataclass(frozen=True)
class Setup:
    """How a judge of one type is set up: to say 4 of everything known, and to fail."""

    type: str
    scoring: Callable[[Path], AbstractContextManager[JudgeConfig]]
    failing: Callable[[Path], AbstractContextManager[JudgeConfig]]


@contextmanager
def openai_scoring(root: Path) -> Iterator[JudgeConfig]:
    del root
    with JudgeServer(_either) as server:
        yield judge_server.config(server.base_url)


def _either(request: Request) -> Reply:
    """Whatever it is asked for: a score or an opinion."""
    asked = json.dumps(request.json)
    return (
        judge_server.opinion() if "the part named assertion" in asked else judge_server.verdict(4)
    )


@contextmanager
def openai_failing(root: Path) -> Iterator[JudgeConfig]:
    del root
    with JudgeServer([judge_server.refuses(500)]) as server:
        yield judge_server.config(server.base_url)


@contextmanager
def recorded(root: Path) -> Iterator[JudgeConfig]:
    recorder = Recorder(root, "recordings")
    for assessment in (ONE, OTHER):
        recorder.add_verdict(assessment, Verdict(score=4.0, reason="It answers the question."))
    recorder.add_opinion(
        judge_server.inquiry(),
        Opinion(match=Match.PASS, confidence=0.9, observed="mended", reason="It says so."),
    )
    assert recorder.flush() == ()
    entry = judge_server.config("", recordings="recordings")
    yield replace(entry, type="replay")


@contextmanager
def azure_scoring(root: Path) -> Iterator[JudgeConfig]:
    del root
    with JudgeServer(_either) as server:
        yield judge_server.azure(server.url)


@contextmanager
def azure_failing(root: Path) -> Iterator[JudgeConfig]:
    del root
    with JudgeServer([judge_server.refuses(500)]) as server:
        yield judge_server.azure(server.url)


SETUPS: Mapping[str, Setup] = {
    "openai": Setup("openai", openai_scoring, openai_failing),
    "azure": Setup("azure", azure_scoring, azure_failing),
    "replay": Setup("replay", recorded, recorded),
}


@pytest.fixture(params=SETUPS)
def setup(request: pytest.FixtureRequest) -> Setup:
    return SETUPS[request.param]


def made(entry: JudgeConfig, root: Path) -> Judge:
    create = plugins.judge(entry.type)
    assert not isinstance(create, plugins.Unknown)
    return create(entry, JudgeContext(root=root, environ={}, timing=Clock().timing))


def assess(entry: JudgeConfig, root: Path, *asked: Assessment) -> list[Verdict | Failure]:
    """All at the same time, of one judge, which is then closed."""

    async def votes() -> list[Verdict | Failure]:
        judge = made(entry, root)
        try:
            return await asyncio.gather(*(judge.assess(one) for one in asked))
        finally:
            await judge.aclose()

    return asyncio.run(votes())


def identity(entry: JudgeConfig, root: Path) -> JudgeIdentity:
    async def named() -> JudgeIdentity:
        judge = made(entry, root)
        await judge.aclose()
        return judge.identity

    return asyncio.run(named())


def test_every_type_has_its_setup() -> None:
    assert {setup.type for setup in SETUPS.values()} == set(plugins.JUDGES)


def test_it_scores_and_says_why(setup: Setup, tmp_path: Path) -> None:
    with setup.scoring(tmp_path) as entry:
        (verdict,) = assess(entry, tmp_path, ONE)

    assert isinstance(verdict, Verdict)
    assert (verdict.score, verdict.reason) == (4.0, "It answers the question.")


def verify(entry: JudgeConfig, root: Path, inquiry: Inquiry) -> Opinion | Failure:
    async def voted() -> Opinion | Failure:
        judge = made(entry, root)
        assert isinstance(judge, AssertionJudge)
        try:
            return await judge.verify(inquiry)
        finally:
            await judge.aclose()

    return asyncio.run(voted())


def test_it_has_an_opinion_on_an_assertion(setup: Setup, tmp_path: Path) -> None:
    with setup.scoring(tmp_path) as entry:
        opinion = verify(entry, tmp_path, judge_server.inquiry())

    assert isinstance(opinion, Opinion)
    assert (opinion.match, opinion.confidence) == (Match.PASS, 0.9)
    assert (opinion.observed, opinion.reason) == ("mended", "It says so.")


def test_trouble_with_an_assertion_is_a_failure_too(setup: Setup, tmp_path: Path) -> None:
    with setup.failing(tmp_path) as entry:
        failure = verify(entry, tmp_path, judge_server.inquiry("unknown", vote=9))

    assert isinstance(failure, Failure)
    assert len(failure.message) > 20


def test_votes_at_the_same_time_all_come_back(setup: Setup, tmp_path: Path) -> None:
    with setup.scoring(tmp_path) as entry:
        verdicts = assess(entry, tmp_path, ONE, OTHER, ONE, OTHER)

    assert [isinstance(verdict, Verdict) for verdict in verdicts] == [True] * 4


def test_expected_trouble_is_a_failure_with_a_class_and_a_sentence(
    setup: Setup, tmp_path: Path
) -> None:
    with setup.failing(tmp_path) as entry:
        (failure,) = assess(entry, tmp_path, UNKNOWN)

    assert isinstance(failure, Failure)
    assert failure.error_class in set(ErrorClass) - {ErrorClass.BUDGET}
    assert len(failure.message) > 20
    assert "Traceback" not in failure.message


def test_an_entry_without_its_options_is_a_failure_and_not_a_crash(
    setup: Setup, tmp_path: Path
) -> None:
    with setup.scoring(tmp_path) as entry:
        bare = replace(entry, options={}, model=None)

    (failure,) = assess(bare, tmp_path, UNKNOWN)

    assert isinstance(failure, Failure)
    assert failure.error_class is ErrorClass.CONFIG


def test_its_identity_names_the_provider_and_nothing_that_is_secret_or_local(
    setup: Setup, tmp_path: Path
) -> None:
    with setup.scoring(tmp_path) as entry:
        one, two = identity(entry, tmp_path), identity(entry, tmp_path)
        other = identity(replace(entry, model="another"), tmp_path)

    assert one == two
    assert one != other
    assert one.provider == setup.type
    assert one.model == entry.model
    for hidden in ("test-key", "127.0.0.1", str(tmp_path)):
        assert hidden not in repr(one)
