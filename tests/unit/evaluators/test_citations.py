"""Citations (spec, section 2.3)."""

import time
from typing import Any, cast

import pytest

from mergebar.model.conversations import Citation
from mergebar.model.evaluations import Evidence
from support.evaluating import answered, failure, score

CITE, NEXT, END = "\ue200cite", "\ue202", "\ue201"


def count(text: str, citation_format: str | None = None) -> int:
    options = {} if citation_format is None else {"citation_format": citation_format}
    return cast("int", score("Citations", answered(text), options=options).record["count"])


def listed(text: str, citation_format: str) -> list[dict[str, Any]]:
    record = score("Citations", answered(text), options={"citation_format": citation_format}).record
    return cast("list[dict[str, Any]]", record["citations"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Hold it. {CITE}{NEXT}turn0search1{END}", 1),
        (f"Hold it. {CITE}{NEXT}turn0search1{NEXT}turn0search2{END}", 2),
        (f"{CITE}{NEXT}a{END} and {CITE}{NEXT}a{END}", 1),
        ("Hold it.【1†manual】 Wait.【2†manual】", 2),
        ("Hold it.【4:0†source】", 1),
        (f"{CITE}{NEXT}a{END}【1†manual】", 2),
        (f"{CITE}{NEXT}unclosed", 0),
        (f"{CITE}{END}", 0),
        ("【manual】", 0),
        ("[1] [^1^] [1](https://a.example)", 0),
    ],
)
def test_the_default_format_is_the_unicode_one(text: str, expected: int) -> None:
    assert count(text) == expected
    assert count(text, "oai_unicode") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hold it [^1^]. Wait [^2^].", 2),
        ("Hold it [^1].", 1),
        ("Hold it [1]. Wait [2][3].", 3),
        ("Hold it [1]. Wait [1].", 1),
        ("The same [1] and [^1^].", 1),
        ("A link [1](https://a.example).", 0),
        ("An index `a[1]` in a span, and [2].", 1),
        ("```\na[1]\n```\n[2]", 1),
        ("~~~\na[1]\n\n[3]\n~~~\n[2]", 1),
        ("- step:\n    ```\n    a[1]\n    ```\n[2]", 1),
        ("``a ` [1]`` and [2]", 1),
        ("A lone ` tick.\n\n[1] in the next paragraph `", 1),
        ("```\nnever closed [1]", 0),
        ("Even in code: `[^1^]`", 1),
        ("[0] [01] [x] [1a] []", 0),
        (r"Escaped \[1]", 0),
        ("[1", 0),
    ],
)
def test_brackets_count_outside_of_links_and_code(text: str, expected: int) -> None:
    assert count(text, "bracket") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hold it [1](https://a.example/x#y).", 1),
        ("Hold it ([1](https://a.example/x)).", 1),
        ("[1](https://a.example/x_(y)_z) [2](http://b.example)", 2),
        ("[1](https://a.example) [1](https://a.example/other)", 1),
        ('[1](https://a.example "The manual")', 1),
        ("![1](https://a.example/picture.png)", 0),
        ("[manual](https://a.example)", 0),
        ("[1](#below)", 0),
        ("[1](javascript:alert(1))", 0),
        ("[1](https://a.example/ two)", 0),
    ],
)
def test_markdown_counts_links_whose_label_is_a_number(text: str, expected: int) -> None:
    assert count(text, "markdown") == expected


def test_mixed_counts_every_format_once_and_nothing_inside_another_mark() -> None:
    text = f"a [1] b [^2^] c [1](https://a.example) d【3†[9]】 e {CITE}{NEXT}x{NEXT}y{END}"

    scored = score("Citations", answered(text), options={"citation_format": "mixed"})

    assert scored.record["count"] == 6
    assert scored.record["format"] == "mixed"
    assert [each["format"] for each in listed(text, "mixed")] == [
        "bracket",
        "bracket",
        "markdown",
        "oai_unicode",
        "oai_unicode",
        "oai_unicode",
    ]


def test_the_format_is_the_one_that_was_found_or_else_the_one_asked_for() -> None:
    mixed = {"citation_format": "mixed"}

    assert score("Citations", answered("a [1]"), options=mixed).record["format"] == "bracket"
    assert score("Citations", answered("none"), options=mixed).record["format"] == "mixed"
    assert score("Citations", answered("none")).record["format"] == "oai_unicode"


def test_inline_means_mixed() -> None:
    assert count("a [1] b [2](https://a.example)", "inline") == 2


def test_a_format_that_nobody_knows_is_a_mistake_of_the_document() -> None:
    failed = failure("Citations", answered("a [1]"), options={"citation_format": "footnotes"})

    assert failed.code == "evaluatorConfigurationError"
    assert "`footnotes`" in failed.message
    assert "`bracket`" in failed.message


def test_the_threshold_counts_sources_and_the_total_is_told_too() -> None:
    evidence = answered("a [1] b [1] c [2]")
    options = {"citation_format": "bracket"}

    scored = score("Citations", evidence, options=options, threshold=3)

    assert not scored.passed
    assert scored.score == 2.0
    assert (scored.record["count"], scored.record["total"]) == (2, 3)
    assert scored.record["threshold"] == 3
    assert scored.reason == "2 sources cited, 3 times in all (`bracket`), 3 wanted"
    assert score("Citations", evidence, options=options, threshold=2).passed


def test_the_list_keeps_the_number_that_is_displayed_and_numbers_what_has_none() -> None:
    assert listed("b [7](https://a.example/x)", "markdown") == [
        {"index": 7, "text": "7", "format": "markdown", "source": "https://a.example/x"}
    ]
    assert [each["index"] for each in listed("【0†a】【4:0†b】", "oai_unicode")] == [1, 2]


def test_no_citation_under_the_default_format_points_to_where_they_are() -> None:
    evidence = Evidence(
        prompt="How?",
        response="Hold it [1], wait [2], see [1](https://a.example).",
        citations=(Citation(index=1, source="manual.md"),),
    )

    scored = score("Citations", evidence)

    assert not scored.passed
    assert scored.reason == (
        "0 sources cited (`oai_unicode`), 1 wanted; `citation_format: bracket` would find 2; "
        "`citation_format: markdown` would find 1; the agent names 1 source beside its answer, "
        "which don't count: this evaluator reads the text"
    )


def test_the_reason_never_quotes_the_answer() -> None:
    text = f"hunter2 [1](https://hunter2.example) {CITE}{NEXT}hunter2{END}【1†hunter2】"

    for name in ("oai_unicode", "bracket", "markdown", "mixed"):
        scored = score("Citations", answered(text), options={"citation_format": name}, threshold=9)
        assert "hunter2" not in scored.reason


def test_structured_citations_never_stand_in_for_those_in_the_text() -> None:
    evidence = Evidence(prompt="How?", response="Hold it.", citations=(Citation(index=1),) * 3)

    assert not score("Citations", evidence).passed


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 1_000_000,
        "[1](http://a" * 80_000,
        "[1](http(a)" * 80_000,
        "[1](http" + "(a)" * 300_000,
        "【1†" * 300_000,
        f"{CITE}{NEXT}a" * 150_000,
        "`" * 1_000_000,
        "".join("`" * length + " " for length in range(1, 1400)) + "[1]",
        "`[1]\n\n" * 150_000,
        "[^1" * 300_000,
        '[1](http://a "' * 70_000,
        "[1](http://a" + " \t" * 400_000,
    ],
)
def test_a_megabyte_of_marks_takes_no_more_than_a_moment(hostile: str) -> None:
    began = time.process_time()

    score("Citations", answered(hostile), options={"citation_format": "mixed"})

    assert time.process_time() - began < 5
