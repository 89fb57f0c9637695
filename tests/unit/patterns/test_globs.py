"""Globs: held against git itself, and against what a list that selects has to mean."""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from mergebar.patterns import GlobSet, TextGlob, fault

MATCHES = [
    (["evals/**/*.json"], "evals/a.json", True),
    (["evals/**/*.json"], "evals/deep/er/a.json", True),
    (["evals/**/*.json"], "other/evals/a.json", False),
    (["*.json"], "at/any/depth.json", True),
    (["/*.json"], "top.json", True),
    (["/*.json"], "sub/top.json", False),
    (["prompts/support/*.md"], "prompts/support/a.md", True),
    (["prompts/support/*.md"], "prompts/support/x/a.md", False),
    (["agents/support/**"], "agents/support/x/y", True),
    (["agents/support/**"], "agents/support", False),
    (["docs"], "a/docs/b.md", True),
    (["docs/"], "docs", False),
    (["docs/"], "a/docs/b.md", True),
    (["/docs/"], "a/docs/b.md", False),
    (["agent.py"], "agent.py", True),
    (["**/SKILL.md"], "SKILL.md", True),
    (["a/**/b"], "a/b", True),
    (["a/**/b"], "a/x/y/b", True),
    (["a/**/b"], "a/x/yb", False),
    (["[!a]bc"], "abc", False),
    (["[!a]bc"], "xbc", True),
    (["[[:digit:]]x"], "7x", True),
    ([r"\!important"], "!important", True),
    ([r"a\*b"], "a*b", True),
    ([r"a\*b"], "axb", False),
    (["?.md"], "é.md", True),
    (["*"], ".hidden", True),
    ([], "anything", False),
    (["#notes"], "#notes", True),
    (["a.json  "], "a.json", True),
    (["docs/ "], "docs/a.md", True),
    (["*.json", "!b.json "], "b.json", False),
    (["a\\ "], "a ", True),
    (["a\\  "], "a ", True),
    (["a\\ "], "a", False),
    (["a\\\\ "], "a\\", True),
    (["a b"], "a b", True),
    (["\\\\/a"], "\\/a", True),
    (["*.json", "!b.json"], "b.json", False),
    (["*.json", "!b.json", "sub/b.json"], "sub/b.json", True),
    (["!b.json"], "a.json", False),
    (["docs/**", "!docs/drafts/**"], "docs/drafts/a.md", False),
    (["evals/**/*.json", "!drafts/"], "evals/drafts/a.json", False),
    (["evals/", "!evals/old.json"], "evals/old.json", False),
]

MALFORMED = [
    ("", "is empty"),
    ("!", "is empty"),
    ("/", "write `**` for everything"),
    ("../other/*.json", "remove `..`"),
    ("./evals/*.json", "has a `.` segment"),
    ("evals//x.json", "two slashes in a row"),
    ("evals/[ab", r"write `\[` for a bracket"),
    ("[]", "has a `[` without its `]`"),
    ("[z-a]", "`z-a`, which is the wrong way round"),
    ("[[:vowel:]]", "names the character class `vowel`"),
    ("evals\\", "escapes nothing"),
    ("\\/", "write the slash alone"),
    ("evals\\/*.json", "write the slash alone"),
    ("a\\\\\\/b", "write the slash alone"),
    ("  ", "is empty"),
    ("!  ", "is empty"),
    ("[a-\\", "escapes nothing"),
]


@pytest.mark.parametrize(("patterns", "path", "expected"), MATCHES)
def test_a_path_is_selected_as_the_table_says(
    patterns: Sequence[str], path: str, *, expected: bool
) -> None:
    assert GlobSet(patterns).matches(path) is expected


def test_the_deciding_pattern_is_the_last_that_matches() -> None:
    globs = GlobSet(["prompts/**", "*.md", "!*.txt"])

    assert globs.first_match("prompts/support.md") == "*.md"
    assert globs.first_match("prompts/support.yml") == "prompts/**"
    assert globs.first_match("prompts/notes.txt") is None
    assert globs.first_match("elsewhere.yml") is None


@pytest.mark.parametrize(("pattern", "reason"), MALFORMED)
def test_a_malformed_pattern_is_a_sentence_and_matches_nothing(pattern: str, reason: str) -> None:
    message = fault(pattern)

    assert message is not None
    assert message.startswith(f"the pattern `{pattern}` ")
    assert reason in message
    assert not GlobSet([pattern]).matches("evals/x.json")


def test_a_sound_pattern_has_no_fault() -> None:
    assert [pattern for patterns, _, _ in MATCHES for pattern in patterns if fault(pattern)] == []


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("refund-*", "refund-late", True),
        ("refund-*", "a-refund-late", False),
        ("*late", "refund/late", True),
        ("a?c", "a/c", True),
        ("[ab]*", "b", True),
        ("exact", "exact", True),
        ("exact", "exactly", False),
        ("*a*b*", "xxaxxbxx", True),
        ("two\nlines", "two\nlines", True),
        ("[", "[", False),
    ],
)
def test_a_text_glob_takes_a_slash_as_any_character(
    pattern: str, text: str, *, expected: bool
) -> None:
    assert TextGlob(pattern).matches(text) is expected


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", "a" * 20_000),
        ("**/a/" * 20 + "b", "a/" * 10_000 + "c"),
        ("**/*a*a*a*a/" * 8 + "b", "aaaaaaaa/" * 2_000 + "c"),
        ("x/**/*/**/*/**/*/y", "x/" + "a/" * 10_000 + "z"),
    ],
)
def test_hostile_patterns_take_time_in_proportion_to_the_path(pattern: str, path: str) -> None:
    globs, text = GlobSet([pattern]), TextGlob(pattern)

    started = time.process_time()
    found = globs.matches(path) or text.matches(path)

    assert not found
    assert time.process_time() - started < 2


@given(st.lists(st.text(max_size=12), max_size=4), st.text(max_size=20))
def test_no_pattern_raises(patterns: list[str], path: str) -> None:
    selected = GlobSet(patterns).matches(path)

    assert not (selected and all(map(fault, patterns)))
    assert not (TextGlob(path).matches(path + "x") and not set(path) & set("*?[\\"))


def _segments() -> st.SearchStrategy[str]:
    pieces = st.sampled_from(
        ["a", "b", "ab", "-", ".", "*", "?", "[ab]", "[!a]", "[a-]", "[]a]", r"\*", r"\a"]
    )
    return st.one_of(st.just("**"), st.lists(pieces, min_size=1, max_size=3).map("".join)).filter(
        lambda segment: "**" not in segment or segment == "**"
    )


def _patterns() -> st.SearchStrategy[str]:
    body = st.lists(_segments(), min_size=1, max_size=4).map("/".join)
    return st.tuples(st.sampled_from(["", "", "/"]), body, st.sampled_from(["", "", "/"])).map(
        "".join
    )


def _paths(depth: int = 4) -> st.SearchStrategy[str]:
    name = st.text("ab-*.", min_size=1, max_size=3).filter(lambda name: name.strip("."))
    return st.lists(name, min_size=1, max_size=depth).map("/".join)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def _ignored(repository: Path, patterns: Sequence[str], paths: Sequence[str]) -> set[str]:
    (repository / ".gitignore").write_text("\n".join(patterns) + "\n")
    asked = subprocess.run(
        ["git", "-C", str(repository), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths) + "\0",
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode in {0, 1}, asked.stderr
    return set(asked.stdout.split("\0")) - {""}


GIT = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@GIT
@given(
    patterns=st.lists(_patterns(), min_size=1, max_size=3),
    paths=st.lists(_paths(), min_size=8, max_size=24, unique=True),
)
def test_git_agrees_on_every_path(repository: Path, patterns: list[str], paths: list[str]) -> None:
    assume(not any(map(fault, patterns)))
    globs = GlobSet(patterns)

    assert {path for path in paths if globs.matches(path)} == _ignored(repository, patterns, paths)


@GIT
@given(
    patterns=st.lists(
        st.tuples(st.sampled_from(["", "!"]), _patterns()).map("".join), min_size=2, max_size=5
    ),
    paths=st.lists(_paths(depth=1), min_size=8, max_size=24, unique=True),
)
def test_git_agrees_on_what_is_taken_back(
    repository: Path, patterns: list[str], paths: list[str]
) -> None:
    assume(not any(map(fault, patterns)))
    globs = GlobSet(patterns)

    assert {path for path in paths if globs.matches(path)} == _ignored(repository, patterns, paths)
