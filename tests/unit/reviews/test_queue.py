"""The entry to paste: read back, it says what it was made for, and nothing is decided yet."""

from hypothesis import given
from hypothesis import strategies as st

from mergebar import reviews
from mergebar.reviews import Judgement, Waiting
from support import hostile, suites

DIGEST = "sha256-" + "ab" * 32
WAITING = Waiting(
    suite=".claude/skills/mend/SKILL.md",
    eval="dry",
    session="trace.jsonl",
    digest=DIGEST,
    look="the invocations of `mend` in `trace.jsonl`: the pipe was dry",
)


def decided(text: str) -> reviews.Parsed:
    """As a reviewer fills it in."""
    filled = text.replace("verdict: # pass or fail", "verdict: fail")
    filled = filled.replace("by: # who looked", "by: ada")
    return reviews.parse(filled.encode(), path=reviews.FILE, explain=suites.explain)


def test_an_entry_is_what_the_file_takes_once_it_is_filled_in() -> None:
    (review,) = decided(reviews.instructions([WAITING], exists=False)).reviews

    assert review.key == (WAITING.suite, "dry", "trace.jsonl")
    assert (review.digest, review.verdict, review.by) == (DIGEST, Judgement.FAIL, "ada")


def test_pasted_without_a_decision_it_decides_nothing() -> None:
    text = reviews.instructions([WAITING], exists=False)

    parsed = reviews.parse(text.encode(), path=reviews.FILE, explain=suites.explain)

    assert parsed.reviews == ()
    assert {problem.line for problem in parsed.problems} == {7, 8}


def test_entries_are_appended_to_a_file_that_exists() -> None:
    first = reviews.instructions([WAITING], exists=False)
    second = reviews.instructions(
        [Waiting(suite="b", eval="c", session="d", digest=DIGEST)], exists=True
    )

    assert [review.suite for review in decided(first + second).reviews] == [WAITING.suite, "b"]


NAMES = (
    hostile.texts | st.sampled_from(["no", "12", "1e3", "~", "null", "a: b", "- a", "#", "@x"])
).filter(lambda text: text and not any("\ud800" <= char <= "\udfff" for char in text))


@given(NAMES, NAMES, NAMES)
def test_any_name_comes_back_as_it_was(suite: str, eval_: str, session: str) -> None:
    waiting = Waiting(suite=suite, eval=eval_, session=session, digest=DIGEST)

    (review,) = decided(reviews.instructions([waiting], exists=False)).reviews

    assert review.key == (suite, eval_, session)


def test_a_reviewer_is_told_what_to_look_at() -> None:
    assert reviews.sentence(WAITING) == (
        "look at the invocations of `mend` in `trace.jsonl`: the pipe was dry; then add the entry "
        "to `mergebar.reviews.yml`"
    )
