"""Rules that match nothing: each is told with its place, and what was probably meant."""

from collections.abc import Sequence

import pytest

from mergebar.model.changes import Changes
from mergebar.model.configuration import Match
from mergebar.model.documents import Declared, Document
from mergebar.planning import PlanOptions, plan
from support.builders import case, config, document, problem, rule, turn

SAFETY = "evals/safety/a.json"


def suite(path: str = SAFETY, *, broken: bool = False) -> Document:
    said = turn(tags=("slow",), declared=Declared(id="own"), path=path)
    return document(path, case("reset", said, path=path), problems=[problem()] if broken else ())


def told(
    *matches: Match, suites: Sequence[Document] = (suite(),), options: PlanOptions | None = None
) -> list[str]:
    made = plan(
        suites,
        config=config(rules=[rule(one, must_pass=True) for one in matches]),
        changes=Changes(everything=True),
        options=options or PlanOptions(),
    )
    found = [one for one in made.problems if one.rule == "config/rule-matches-nothing"]
    assert all((one.path, one.line) == ("mergebar.yml", 30) for one in found)
    return [one.message for one in found]


MATCHING = (
    Match(),
    Match(path="evals/safety/**"),
    Match(kind="evaluator"),
    Match(evaluator="ExactMatch"),
    Match(agent="support"),
    Match(tag="slow"),
    Match(id="reset"),
    Match(id="o*"),
    Match(path="evals/**", tag="slow", evaluator="ExactMatch"),
)


@pytest.mark.parametrize("match", MATCHING, ids=str)
def test_a_rule_that_matches_is_no_trouble(match: Match) -> None:
    assert told(match) == []


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (Match(path="evals/safty/**"), "no suite at `evals/safty/**`, did you mean `evals/safety/**`?"),
        (Match(path="evals/safety/b.json"), "did you mean `evals/safety/a.json`?"),
        (Match(kind="grader"), "no check is of the kind `grader`"),
        (Match(evaluator="Relevance"), "no suite uses the evaluator `Relevance`"),
        (Match(grader="tool-usage"), "no suite uses the grader `tool-usage`"),
        (Match(agent="nobody"), "no suite is answered by the agent `nobody`"),
        (Match(tag="slwo"), "nothing is tagged `slwo`, did you mean `slow`?"),
        (Match(id="rest"), "no case and no eval is called `rest`, did you mean `reset`?"),
        (Match(path="evals/**", tag="slwo"), "nothing is tagged `slwo`"),
    ],
    ids=str,
)  # fmt: skip
def test_a_key_that_matches_nothing_is_named(match: Match, said: str) -> None:
    (message,) = told(match)
    assert said in message
    assert "matches nothing" in message


def test_keys_that_match_only_apart_are_told() -> None:
    other = document("evals/b.json", case("other", turn(tags=("fast",))))
    both = Match(path=SAFETY, tag="fast")
    assert "no check matches all of its keys at once" in told(both, suites=(suite(), other))[0]


@pytest.mark.parametrize("match", [Match(tag="slwo"), Match(path=SAFETY, evaluator="Relevance")])
def test_of_a_suite_that_cant_be_read_nothing_is_said(match: Match) -> None:
    assert told(match, suites=(suite(broken=True),)) == []
    assert len(told(Match(path="evals/safty/**"), suites=(suite(broken=True),))) == 1


def test_names_that_the_configuration_is_told_of_anyway_are_told_once() -> None:
    assert told(Match(evaluator="Relevanse"), Match(grader="tool-usge")) == []


@pytest.mark.parametrize(
    ("options", "count"),
    [(PlanOptions(only=(SAFETY,)), 0), (PlanOptions(agent="support"), 1), (PlanOptions(tags=("slow",)), 1)],
)  # fmt: skip
def test_only_where_all_suites_are_known_is_a_rule_idle(options: PlanOptions, count: int) -> None:
    assert len(told(Match(path="evals/safty/**"), options=options)) == count


def test_only_the_idle_rules_are_told() -> None:
    assert len(told(*MATCHING, Match(tag="x"), *MATCHING, Match(id="y"))) == 2
