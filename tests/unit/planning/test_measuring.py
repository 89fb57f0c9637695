"""What a planned check says of the parts that it measures."""

from mergebar.model.changes import Changes
from mergebar.model.configuration import Config
from mergebar.model.definitions import Measured
from mergebar.model.documents import Case
from mergebar.planning import PlanOptions, plan
from support.builders import case, config, document, group, judge_config, turn, use

EVERYTHING = Changes(everything=True, reason="everything was asked for")


def measured(of: Case, *, settings: Config | None = None, runs: int | None = None) -> Measured:
    """What the last check of this case measures."""
    found = plan(
        [document("evals/a.json", of)],
        config=settings or config(judge=judge_config()),
        changes=EVERYTHING,
        options=PlanOptions(runs=runs),
    )
    parts = found.cases[0].checks[-1].measured
    assert parts is not None
    return parts


PLAIN = measured(case("c", turn("How?", expected="So.", context="Here.")))


def test_equal_turns_have_equal_parts() -> None:
    assert measured(case("other", turn("How?", expected="So.", context="Here."))) == PLAIN


def test_each_text_has_its_own_digest() -> None:
    assert measured(case("c", turn("Why?", expected="So.", context="Here."))).prompt != PLAIN.prompt
    other = measured(case("c", turn("How?", expected="No.", context=None)))
    assert other.prompt == PLAIN.prompt
    assert other.expected_response not in {PLAIN.expected_response, None}
    assert other.context is None


def test_an_earlier_prompt_is_part_of_the_prompt() -> None:
    one = measured(case("c", turn("How?"), turn("Then?", index=1)))
    two = measured(case("c", turn("Why?"), turn("Then?", index=1)))
    assert one.prompt != two.prompt


def test_no_text_is_in_the_parts() -> None:
    parts = measured(case("c", turn("How?", evaluators=[use("X", options={"o": "secret"})])))
    assert "secret" not in str(parts)
    assert list(parts.options) == ["o"]


def test_what_a_judge_scores_says_how_it_is_asked() -> None:
    judged = case("c", turn(evaluators=[use("Relevance", threshold=3)]))
    parts = measured(judged)
    assert parts.judged
    assert parts.judge_prompt == "relevance/1"
    assert (parts.votes, parts.confirm_failures) == (1, 0)


def test_what_is_computed_asks_no_judge() -> None:
    assert not PLAIN.judged
    assert (PLAIN.judge_prompt, PLAIN.votes, PLAIN.confirm_failures) == (None, 0, 0)


def test_an_evaluator_that_isnt_built_in_may_ask_the_judge() -> None:
    parts = measured(case("c", turn(evaluators=[use("Tone")])))
    assert parts.judged
    assert parts.judge_prompt is None
    assert parts.votes == 1


def test_the_runs_are_those_of_the_plan() -> None:
    settings = config(documents=[group("evals/*.json", runs=3)])
    assert measured(case("c", turn()), settings=settings).runs == 3
    assert measured(case("c", turn()), settings=settings, runs=5).runs == 5
