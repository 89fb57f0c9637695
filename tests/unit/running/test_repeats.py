"""A check over its runs (product contract, section 7, Repeats)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.conversations import Usage
from mergebar.model.plans import Skip, Withholding
from mergebar.model.results import CheckResult, Outcome, RunResult
from mergebar.running import repeats
from support.builders import check, failure

WITHHELD = Withholding(kind=Skip.WITHHELD, reason="nobody used it")
DECLINED = Withholding(kind=Skip.DECLINED, reason="`when` never armed")
KINDS = {"p": Outcome.PASS, "f": Outcome.FAIL, "e": Outcome.ERROR}
SCORES = {"p": 1.0, "f": 0.0, "e": None}


def over(runs: str) -> CheckResult:
    """The result over runs written as letters: pass, fail, error."""
    made = [
        RunResult(
            outcome=KINDS[letter],
            score=SCORES[letter],
            reason=f"{letter}{index}",
            error=failure(f"e{index}") if letter == "e" else None,
            usage=Usage(input_tokens=2) if letter != "e" else Usage(),
            duration_s=0.5,
        )
        for index, letter in enumerate(runs)
    ]
    return repeats.result(check(), made, replayed=False)


@pytest.mark.parametrize(
    ("runs", "outcome", "flaky"),
    [
        ("p", "pass", False),
        ("f", "fail", False),
        ("e", "error", False),
        ("pp", "pass", False),
        ("pf", "fail", True),  # one of two is not more than half
        ("pe", "pass", False),  # one of two measured is not fewer than half
        ("fe", "fail", False),
        ("ppf", "pass", True),
        ("pff", "fail", True),
        ("pee", "error", False),
        ("ppee", "pass", False),
        ("pfee", "fail", True),
        ("pfeee", "error", True),  # flaky changes no outcome
        ("pppff", "pass", True),
    ],
)
def test_more_than_half_of_the_measured_runs_have_to_pass(
    runs: str,
    outcome: str,
    flaky: bool,  # noqa: FBT001 - a table
) -> None:
    result = over(runs)
    assert (result.outcome.value, result.flaky) == (outcome, flaky)


def test_the_score_is_the_median_of_the_measured_runs() -> None:
    assert over("ppf").score == 1.0
    assert over("pf").score == 0.5
    assert over("pe").score == 1.0


def test_an_error_has_no_score() -> None:
    assert over("pee").score is None


def test_the_reason_is_that_of_a_run_that_came_out_likewise() -> None:
    assert over("p").reason == "p0"
    assert over("fpp").reason == "2 of 3 measured runs passed: p1"
    assert over("pff").reason == "1 of 3 measured runs passed: f1"
    assert over("pee").reason == "1 of 3 runs measured: e1"


def test_usage_and_time_add_up() -> None:
    result = over("ppe")
    assert result.usage == Usage(input_tokens=4)
    assert result.duration_s == 1.5


@given(st.text(alphabet="pfe", min_size=1, max_size=7), st.data())
def test_the_order_of_runs_doesnt_matter(runs: str, data: st.DataObject) -> None:
    forth, back = over(runs), over("".join(data.draw(st.permutations(runs))))
    assert (forth.outcome, forth.score, forth.flaky) == (back.outcome, back.score, back.flaky)


@given(st.text(alphabet="pfe", min_size=1, max_size=7), st.integers(0, 6))
def test_a_better_run_never_makes_a_check_worse(runs: str, at: int) -> None:
    goodness = [Outcome.FAIL, Outcome.PASS]
    index = at % len(runs)
    before = over(runs)
    after = over(runs[:index] + ("p" if runs[index] == "f" else runs[index]) + runs[index + 1 :])
    if before.outcome in goodness:
        assert goodness.index(after.outcome) >= goodness.index(before.outcome)


def held(runs: str) -> CheckResult:
    """An eval over repeated sessions: r waits for a person, w is withheld, d declined."""
    more = {"r": Outcome.NEEDS_REVIEW, **KINDS}
    found = [
        {"w": WITHHELD, "d": DECLINED}[letter]
        if letter in "wd"
        else RunResult(
            outcome=more[letter],
            score=SCORES.get(letter),
            reason=f"{letter}{index}",
            error=failure(f"e{index}") if letter == "e" else None,
        )
        for index, letter in enumerate(runs)
    ]
    return repeats.held(check(), found, replayed=False)


@pytest.mark.parametrize(
    ("runs", "outcome", "flaky"),
    [
        ("p", "pass", False),
        ("f", "fail", False),
        ("e", "error", False),
        ("r", "needs-review", False),
        ("w", "withheld", False),
        ("d", "declined", False),
        ("ppf", "pass", True),
        ("pff", "fail", True),
        ("pf", "fail", True),
        ("pee", "error", False),
        ("pww", "error", False),
        ("pew", "error", False),
        ("ppw", "pass", False),
        ("pdd", "pass", False),  # who declines has no say
        ("www", "withheld", False),
        ("wwd", "withheld", False),
        ("ddd", "declined", False),
        ("prr", "needs-review", False),
        ("ppr", "pass", False),  # whatever the person says
        ("ffr", "fail", False),
        ("pr", "needs-review", False),
        ("fr", "fail", False),
        ("pfr", "needs-review", True),
        ("rrr", "needs-review", False),
        ("ree", "error", False),
    ],
)
def test_an_eval_on_repeated_sessions_follows_the_same_rule(
    runs: str,
    outcome: str,
    flaky: bool,  # noqa: FBT001 - a table
) -> None:
    result = held(runs)
    assert (result.skip or result.outcome, result.flaky) == (outcome, flaky)
    assert len(result.runs) == sum(letter not in "wd" for letter in runs)
    assert (result.error is None) == (outcome != "error")


def test_the_reason_of_repeated_sessions_counts_them() -> None:
    assert held("ppf").reason == "2 of 3 measured sessions passed: p0"
    assert held("prr").reason == "2 of 3 measured sessions wait for a person: r1"
    assert held("pww").reason == "1 of 3 sessions measured it: nobody used it"
    assert held("p").reason == "p0"
