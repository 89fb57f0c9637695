"""When a person's verdict counts: for the very same thing, while it waits, and from whom."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import reviews
from mergebar.model.problems import Location
from mergebar.model.results import Outcome, RunResult
from mergebar.reviews import Judgement, Review

KEY = ("SKILL.md", "dry", "trace.jsonl")
NOW, BEFORE = "sha256-" + "a" * 64, "sha256-" + "b" * 64
WAITING = RunResult(outcome=Outcome.NEEDS_REVIEW, reason="waits", review=NOW)


def review(
    verdict: Judgement = Judgement.PASS, *, digest: str = NOW, eval_: str = "dry", line: int = 3
) -> Review:
    return Review(
        suite="SKILL.md",
        eval=eval_,
        session="trace.jsonl",
        digest=digest,
        verdict=verdict,
        by="ada",
        note="it is dry",
        location=Location(path=reviews.FILE, line=line),
    )


@pytest.mark.parametrize("verdict", Judgement)
def test_a_verdict_on_the_same_thing_decides(verdict: Judgement) -> None:
    result = reviews.apply(WAITING, key=KEY, reviews=[review(verdict)])

    assert result.outcome.value == verdict.value
    assert result.reason == "reviewed by ada: it is dry"
    assert result.review == NOW


def test_a_verdict_on_something_older_is_only_mentioned() -> None:
    result = reviews.apply(WAITING, key=KEY, reviews=[review(digest=BEFORE)])

    assert result.outcome is Outcome.NEEDS_REVIEW
    assert result.notices == (
        "ada reviewed another version of the artifact, eval or session: review it again",
    )


def test_of_several_verdicts_the_fitting_one_decides() -> None:
    known = [review(digest=BEFORE), review(Judgement.FAIL), review(eval_="other")]

    assert reviews.apply(WAITING, key=KEY, reviews=known).outcome is Outcome.FAIL


def test_a_verdict_on_another_eval_is_nothing() -> None:
    assert reviews.apply(WAITING, key=KEY, reviews=[review(eval_="other")]) == WAITING


@given(st.sampled_from([one for one in Outcome if one is not Outcome.NEEDS_REVIEW]))
def test_what_does_not_wait_is_never_changed(outcome: Outcome) -> None:
    result = replace(WAITING, outcome=outcome)

    assert reviews.apply(result, key=KEY, reviews=[review(Judgement.FAIL)]) == result


def test_what_has_no_digest_can_not_be_reviewed() -> None:
    result = replace(WAITING, review=None)

    assert reviews.apply(result, key=KEY, reviews=[review()]) == result


def test_on_a_trusted_event_every_verdict_counts() -> None:
    assert reviews.counting([review()], base=[], trusted=True) == (review(),)


CHANGES = [
    ([review()], True),
    ([review(line=99)], True),
    ([], False),
    ([review(Judgement.FAIL)], False),
    ([review(digest=BEFORE)], False),
    ([review(eval_="other")], False),
]


@pytest.mark.parametrize(("base", "counts"), CHANGES)
def test_on_an_untrusted_event_only_what_the_base_says_counts(
    base: list[Review], *, counts: bool
) -> None:
    kept = reviews.counting([review()], base=base, trusted=False)

    assert kept == ((review(),) if counts else ())
