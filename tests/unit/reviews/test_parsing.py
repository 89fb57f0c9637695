"""mergebar.reviews.yml: verdicts with their places, or what is wrong with them and where."""

import pytest

from mergebar import reviews
from mergebar.model.problems import Location
from mergebar.reviews import Judgement, Parsed, Review
from support import suites

DIGEST = "sha256-" + "ab" * 32
ENTRY = f"""\
  - suite: .claude/skills/mend/SKILL.md
    eval: dry
    session: trace.jsonl
    digest: {DIGEST}
    verdict: pass
    by: ada
    note: looked at the log
"""
HEAD = "version: 1\nreviews:\n"


def parse(text: str) -> Parsed:
    return reviews.parse(text.encode(), path=reviews.FILE, explain=suites.explain)


def test_a_verdict_is_read_with_its_place() -> None:
    assert parse(HEAD + ENTRY) == Parsed(
        reviews=(
            Review(
                suite=".claude/skills/mend/SKILL.md",
                eval="dry",
                session="trace.jsonl",
                digest=DIGEST,
                verdict=Judgement.PASS,
                by="ada",
                note="looked at the log",
                location=Location(path=reviews.FILE, line=3, column=5),
            ),
        ),
        problems=(),
    )


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "version: 1\n", "version: 1\nreviews:\n"])
def test_a_file_without_verdicts_holds_none(text: str) -> None:
    assert parse(text) == Parsed(reviews=(), problems=())


WRONG = [
    (HEAD + ENTRY.replace("pass", "maybe"), "config/", 7),
    (HEAD + ENTRY.replace("verdict: pass", "verdict:"), "config/", 7),
    (HEAD + ENTRY.replace("    by: ada\n", ""), "config/required", 3),
    (HEAD + ENTRY.replace("by: ada", "who: ada"), "config/unknown-key", 8),
    (HEAD + ENTRY.replace(DIGEST, "abc"), "config/pattern", 6),
    (HEAD + ENTRY.replace("eval: dry", "eval: 12"), "config/type", 4),
    (HEAD + ENTRY + ENTRY, "config/duplicate-review", 10),
    (HEAD + ENTRY + ENTRY.replace("pass", "fail"), "config/duplicate-review", 10),
    ("version: 2\n", "config/", 1),
    ("reviews: []\n", "config/required", 1),
    ("- a\n", "config/type", 1),
    ("a: 1\na: 2\n", "config/duplicate-key", 2),
    ("{", "config/yaml-syntax", 1),
]


@pytest.mark.parametrize(("text", "rule", "line"), WRONG)
def test_nothing_counts_of_a_file_with_a_mistake(text: str, rule: str, line: int) -> None:
    parsed = parse(text)

    assert parsed.reviews == ()
    found = [(problem.line, problem.rule) for problem in parsed.problems]
    assert any(at == line and name.startswith(rule) for at, name in found), parsed.problems
    assert all(problem.path == reviews.FILE for problem in parsed.problems)
