"""A vote is taken from the cache for the very same question alone, and never a failure."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from mergebar.caching import CachingJudge, Keeper, Store
from mergebar.model.conversations import Exchange, Failure, Usage
from mergebar.model.judgements import (
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
from mergebar.model.text import Json
from support.builders import failure

ASKED = Assessment(
    suite="s",
    case="c",
    turn=0,
    evaluator="Relevance",
    run=0,
    vote=0,
    rubric=Rubric(name="Relevance", version="1", instructions="Score it."),
    material=Material(prompt="P", response="R"),
)
CLAIM = Claim(
    assertion="It is so.",
    target="transcript",
    content="T",
    artifact_type="skill",
    artifact_name="n",
)
INQUIRY = Inquiry(suite="s", case="c", eval="e", vote=0, claim=CLAIM)
ABOUT: Mapping[str, Json] = {"type": "openai", "model": "m"}


@dataclass
class Counting:
    """Says what it is told, and counts."""

    says: Verdict | Failure = field(
        default_factory=lambda: Verdict(score=4, reason="so", usage=Usage(input_tokens=9))
    )
    made: int = 0
    asked: int = 0
    closed: int = 0
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity(provider="counting"))
    throttled: int = 7
    notes: tuple[str, ...] = ("noted",)

    def make(self) -> "Counting":
        self.made += 1
        return self

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        del assessment
        self.asked += 1
        return self.says

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        del inquiry
        self.asked += 1
        return Opinion(match=Match.PASS, confidence=0.9, observed="o", reason="r", claim="c")

    async def aclose(self) -> None:
        self.closed += 1


def cached(
    folder: Path,
    inner: Counting,
    *,
    about: Mapping[str, Json] = ABOUT,
    redact: Callable[[str], str] = str,
) -> CachingJudge:
    keeper = Keeper(Store(folder, max_size=10**6), about, redact)
    return CachingJudge(inner.make, JudgeIdentity(provider="counting"), keeper)


def filled(folder: Path, inner: Counting | None = None) -> None:
    judge = cached(folder, inner or Counting())
    asyncio.run(judge.assess(ASKED))
    asyncio.run(judge.verify(INQUIRY))
    asyncio.run(judge.aclose())


def test_the_very_same_question_is_answered_without_a_judge(tmp_path: Path) -> None:
    filled(tmp_path)
    inner = Counting()
    judge = cached(tmp_path, inner)

    moved = replace(ASKED, suite="other", case="d", turn=3)
    assert judge.recall(moved) == Verdict(score=4, reason="so", cached=True)
    assert judge.recall_opinion(replace(INQUIRY, suite="other")) == Opinion(
        match=Match.PASS, confidence=0.9, observed="o", reason="r", claim="c", cached=True
    )
    asyncio.run(judge.aclose())
    assert (inner.made, inner.closed, judge.notes, judge.throttled) == (0, 0, (), 0)


def test_a_judge_that_was_needed_is_made_once_heard_and_closed(tmp_path: Path) -> None:
    inner = Counting()
    judge = cached(tmp_path, inner)

    assert judge.recall(ASKED) is None
    asyncio.run(judge.assess(ASKED))
    asyncio.run(judge.assess(replace(ASKED, vote=1)))
    asyncio.run(judge.aclose())

    assert (inner.made, inner.asked, inner.closed) == (1, 2, 1)
    assert (judge.notes, judge.throttled) == (("noted",), 7)


M = ASKED.material
OTHERS = {
    "prompt": replace(ASKED, material=replace(M, prompt="Q")),
    "response": replace(ASKED, material=replace(M, response="S")),
    "history": replace(ASKED, material=replace(M, history=(Exchange(prompt="", response=""),))),
    "expected response": replace(ASKED, material=replace(M, expected_response="")),
    "context": replace(ASKED, material=replace(M, context="")),
    "words of the rubric": replace(ASKED, rubric=replace(ASKED.rubric, instructions="Score.")),
    "version of the rubric": replace(ASKED, rubric=replace(ASKED.rubric, version="2")),
    "evaluator": replace(ASKED, evaluator="Mine"),
    "options": replace(ASKED, options={"a": 1}),
    "vote": replace(ASKED, vote=1),
    "run": replace(ASKED, run=1),
}


@pytest.mark.parametrize("what", OTHERS)
def test_another_question_is_another_question(tmp_path: Path, what: str) -> None:
    filled(tmp_path)

    assert cached(tmp_path, Counting()).recall(OTHERS[what]) is None


CLAIMS = {
    "assertion": {"assertion": "It isn't."},
    "target": {"target": "files"},
    "content": {"content": "U"},
    "artifact": {"artifact": ""},
    "artifact type": {"artifact_type": "rules"},
    "artifact name": {"artifact_name": "o"},
    "evidence": {"evidence": ""},
    "passing": {"passing": ("",)},
    "failing": {"failing": ("",)},
}


@pytest.mark.parametrize("what", CLAIMS)
def test_another_claim_is_another_claim(tmp_path: Path, what: str) -> None:
    filled(tmp_path)
    changed = replace(INQUIRY, claim=replace(CLAIM, **CLAIMS[what]))  # type: ignore[arg-type]

    judge = cached(tmp_path, Counting())
    assert judge.recall_opinion(changed) is None
    assert judge.recall_opinion(replace(INQUIRY, vote=1)) is None
    assert judge.recall_opinion(replace(INQUIRY, model="n")) is None


@pytest.mark.parametrize(
    "about", [{"type": "azure", "model": "m"}, {"type": "openai", "model": "n"}, {**ABOUT, "x": 1}]
)
def test_another_judge_is_another_judge(tmp_path: Path, about: Mapping[str, Json]) -> None:
    filled(tmp_path)

    assert cached(tmp_path, Counting(), about=about).recall(ASKED) is None


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    inner = Counting(says=failure())
    asyncio.run(cached(tmp_path, inner).assess(ASKED))

    assert cached(tmp_path, inner).recall(ASKED) is None
    assert list(tmp_path.iterdir()) == []


def test_what_holds_a_secret_is_not_kept(tmp_path: Path) -> None:
    inner = Counting(says=Verdict(score=4, reason="the key is hunter2!"))
    judge = cached(tmp_path, inner, redact=lambda text: text.replace("hunter2!", "***"))
    asyncio.run(judge.assess(ASKED))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"",
        lambda data: data[:-1],
        lambda data: data.replace(b'"score": 4', b'"score": 9'),
        lambda data: data.replace(b'"score": 4', b'"score": NaN'),
        lambda data: data.replace(b'"score": 4', b'"score": "4"'),
        lambda data: data.replace(b'"reason"', b'"because"'),
        lambda data: data.replace(b'"key": "', b'"key": "0'),
        lambda data: b"\xff" + data,
        lambda _: b"[" * 10_000,
    ],
)
def test_what_was_scribbled_on_is_asked_anew(
    tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    first = cached(tmp_path, Counting())
    asyncio.run(first.assess(ASKED))
    asyncio.run(first.aclose())
    (path,) = (one for one in tmp_path.rglob("*.json"))
    before = path.read_bytes()
    path.write_bytes(change(before))
    assert path.read_bytes() != before

    judge = cached(tmp_path, Counting())
    assert judge.recall(ASKED) is None
    asyncio.run(judge.assess(ASKED))
    assert judge.recall(ASKED) is not None


def test_text_that_cannot_be_written_is_asked_each_time(tmp_path: Path) -> None:
    inner = Counting(says=Verdict(score=4, reason="\ud800"))
    judge = cached(tmp_path, inner)

    asyncio.run(judge.assess(ASKED))

    assert judge.recall(ASKED) is None
