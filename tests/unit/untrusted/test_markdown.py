"""Markdown, rendered with GitHub's own engine and searched for what must not be there."""

import pytest
from hypothesis import given

from mergebar.untrusted import markdown
from support import github_markdown as github
from support import hostile

INERT = {"p", "code"}
SINKS = [markdown.inline, markdown.code, markdown.cell]


def _assert_inert(reader: github.Reader, allowed: set[str]) -> None:
    assert set(reader.tags) <= allowed, reader.tags
    assert reader.comments == []
    assert reader.linked_later == []


@pytest.mark.parametrize("sink", SINKS)
@given(text=hostile.texts)
def test_no_text_does_anything_on_a_line_of_its_own(sink: type[str], text: str) -> None:
    escaped = sink(text)
    _assert_inert(github.Reader(escaped), INERT)
    assert "<!--" not in escaped
    assert "\n" not in escaped


@pytest.mark.parametrize("sink", SINKS)
@given(text=hostile.texts, other=hostile.texts)
def test_no_text_breaks_a_row_of_a_table(sink: type[str], text: str, other: str) -> None:
    table = f"| a | b |\n|---|---|\n| {sink(text)} | {sink(other)} |\n\nafter\n"
    reader = github.Reader(table)
    assert reader.tags.count("tr") == 2
    assert reader.tags.count("td") == 2
    _assert_inert(reader, {"table", "thead", "tbody", "tr", "th", "td", "p", "code"})
    assert reader.plain.rstrip().endswith("after")


@given(text=hostile.texts)
def test_no_text_leaves_its_fence(text: str) -> None:
    folded = f"<details>\n<summary>s</summary>\n\n{markdown.block(text)}\n\n</details>\n\nafter"
    assert "<!--" not in folded
    reader = github.Reader(folded)
    assert reader.tags.count("pre") == 1
    _assert_inert(reader, {"details", "summary", "pre", "code", "p"})
    assert reader.closed.count("details") == 1
    assert reader.plain.rstrip().endswith("after")


@pytest.mark.parametrize("text", hostile.TEXTS)
def test_a_listed_text_does_nothing_in_a_list(text: str) -> None:
    reader = github.Reader(f"- {markdown.inline(text)} · {markdown.code(text)}\n- next")
    assert reader.tags.count("li") == 2
    _assert_inert(reader, {"ul", "li", "code", "p"})


def test_prose_stays_prose() -> None:
    text = "The answer names 3 of 4 steps (it's missing one), and so gets 2 < 3 points."
    assert markdown.inline(text) == text.replace("<", "&lt;")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- one", "&#45; one"),
        ("-1 left", "&#45;1 left"),
        ("+1 <b", "&#43;1 &lt;b"),
        ("=== two", "&#61;== two"),
        ("12. three", "12&#46; three"),
    ],
)
def test_what_could_begin_a_list_or_a_heading_loses_its_first_sign_and_nothing_else(
    text: str, shown: str
) -> None:
    assert markdown.inline(text) == shown


def test_what_could_be_more_than_a_word_becomes_code() -> None:
    assert markdown.inline("ask @org/team about #12 now") == "ask `@org/team` about `#12` now"
    assert markdown.inline("see www.evil.test [x](y)") == "see `www.evil.test [x](y)`"
    assert markdown.inline("evals/hr.json:4 is snake_case") == "`evals/hr.json:4` is `snake_case`"


def test_what_stands_in_backticks_already_is_code_and_nothing_around_it() -> None:
    assert markdown.inline("`a b` is below `c`, no?") == "`a b` is below `c`, no?"
    assert markdown.inline("`a``b`") == "`a` `b`"
    assert markdown.inline("one ` two") == "one `` ` `` two"


def test_a_pipe_stands_between_two_code_spans() -> None:
    assert markdown.code("a|b") == "`a`&#124;`b`"


def test_a_code_span_outruns_the_backticks_in_it() -> None:
    assert markdown.code("a ``b`` c") == "```a ``b`` c```"
    assert markdown.code("`") == "`` ` ``"


def test_hidden_characters_are_spelled_out() -> None:
    assert markdown.code("\u202eevil\u200b") == "`\\u202eevil\\u200b`"


def test_a_limit_is_in_characters_of_the_text_and_cuts_before_escaping() -> None:
    assert markdown.cell("<" * 50, limit=10) == "&lt;" * 9 + "…"


def test_long_hostile_text_takes_linear_time() -> None:
    for piece in hostile.PIECES:
        markdown.inline(piece * 20_000)
        markdown.block(piece * 20_000)
