"""What protects nothing and what decides nothing: rules and verdicts with a typo are seen."""

from pathlib import Path

import pytest

from support import commands, gates, held
from support.gates import passing
from support.held import CONFIG, READS, SEEN, SKILL
from support.repositories import Repository

DIGEST = "sha256-" + "0" * 64
TAGGED = gates.document({**passing(), "tags": ["slow"]}, schemaVersion="1.9.0")


def rules(*matches: str) -> str:
    lines = "\n".join(f"  - {{match: {one}, must_pass: true}}" for one in matches)
    return f"{gates.CONFIG}rules:\n{lines}\n"


@pytest.mark.parametrize("command", ["check", "run", "plan"])
@pytest.mark.parametrize(
    ("match", "said"),
    [
        ('{path: "evels/**"}', "there is no suite at `evels/**`, did you mean `evals/**`?"),
        ("{kind: grader}", "no check is of the kind `grader`"),
        ("{evaluator: Relevance}", "no suite uses the evaluator `Relevance`"),
        ("{grader: tool-usage}", "no suite uses the grader `tool-usage`"),
        ("{tag: slwo}", "nothing is tagged `slwo`, did you mean `slow`?"),
        ("{id: reset}", "no case and no eval is called `reset`"),
        ("{evaluator: ExactMach}", "there is no evaluator `ExactMach`"),
        ("{grader: tool-usge}", "there is no grader `tool-usge`"),
    ],
)
def test_a_rule_that_matches_nothing_is_seen(
    command: str, match: str, said: str, tmp_path: Path
) -> None:
    text = rules("{evaluator: ExactMatch}", match)
    here = gates.repository(tmp_path, config=text, **{"evals/desk.json": TAGGED})

    ended = commands.inside(command, cwd=here.path)

    line = len(text.splitlines())
    assert ended.code == 0
    assert said in ended.said
    assert f"mergebar.yml:{line}:" in ended.said
    assert ended.said.count("matches nothing") == 1


def test_a_rule_may_be_about_an_agent_alone(tmp_path: Path) -> None:
    """Both agents exist, and only one of them answers anything."""
    other = "agents:\n  spare: {type: command, command: [x], sources: []}\n"
    text = rules("{agent: desk}", "{agent: spare}").replace("agents:\n", other)
    here = gates.repository(tmp_path, passing(), config=text)

    for command in ("check", "run"):
        said = commands.inside(command, cwd=here.path).said
        assert said.count("no suite is answered by the agent `spare`") == 1


def review(**given: str) -> str:
    entry = {
        "suite": SKILL,
        "eval": "looked-at",
        "session": "mend.jsonl",
        "digest": DIGEST,
        "verdict": "pass",
        "by": "ada",
        **given,
    }
    return "version: 1\nreviews:\n  - {" + ", ".join(f"{k}: {v}" for k, v in entry.items()) + "}\n"


def reviewed(tmp_path: Path, text: str) -> Repository:
    files = {
        SKILL: held.skill(READS, SEEN),
        "traces/mend.jsonl": held.recorded(held.session()),
        "mergebar.reviews.yml": text,
    }
    return held.repository(tmp_path, files, config=CONFIG)


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"suite": ".claude/skills/mand/SKILL.md"}, f"did you mean `{SKILL}`?"),
        ({"eval": "look-at"}, "there is no eval `look-at`: did you mean `looked-at`?"),
        ({"session": "mend.json"}, "there is no session `mend.json`: did you mean `mend.jsonl`?"),
    ],
    ids=["suite", "eval", "session"],
)
def test_a_verdict_on_nothing_is_seen(
    command: str, given: dict[str, str], said: str, tmp_path: Path
) -> None:
    here = reviewed(tmp_path, review(**given))

    ended = commands.inside(command, cwd=here.path)

    assert ended.code == (0 if command == "check" else 4)
    assert said in ended.said
    assert "doesn't count" in ended.said
    assert "mergebar.reviews.yml:3:" in ended.said


def test_a_verdict_on_another_version_is_seen(tmp_path: Path) -> None:
    here = reviewed(tmp_path, review())

    ended = commands.inside("run", cwd=here.path)

    assert ended.code == 4
    (told,) = [one for one in ended.report()["warnings"] if "doesn't count" in one["message"]]
    assert (told["path"], told["line"]) == ("mergebar.reviews.yml", 3)
    assert "is another one than was reviewed" in told["message"]
    assert told["message"] in (here.path / ".mergebar/comment.md").read_text().replace("\\", "")


def test_a_verdict_that_counts_is_no_trouble(tmp_path: Path) -> None:
    here = reviewed(tmp_path, "version: 1\n")
    (waiting,) = [
        one["review"]
        for one in commands.inside("run", cwd=here.path).report()["checks"]
        if one["outcome"] == "needs-review"
    ]
    here.commit({"mergebar.reviews.yml": review(digest=waiting)})

    ended = commands.inside("run", cwd=here.path)

    assert (ended.code, ended.report()["warnings"]) == (0, [])
    assert "no problems" in commands.inside("check", cwd=here.path).said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 1\nreviews: [{suite: a}]\n", "mergebar.reviews.yml:2:11"),
        (review(digest="abc"), "mergebar.reviews.yml:3:"),
        (review(verdict="maybe"), "mergebar.reviews.yml:3:"),
        (review() + review().split("reviews:\n")[1], "has two verdicts on the same session"),
        (review(vredict="pass"), "vredict"),
        ("version: 1\nreviews: [\n", "mergebar.reviews.yml:"),
    ],
    ids=["missing", "digest", "verdict", "twice", "key", "syntax"],
)
@pytest.mark.parametrize("named", [[], ["mergebar.reviews.yml"]], ids=["all", "named"])
def test_check_finds_what_run_refuses_in_the_verdicts(
    text: str, said: str, named: list[str], tmp_path: Path
) -> None:
    here = reviewed(tmp_path, text)

    ran = commands.inside("run", cwd=here.path)
    checked = commands.inside("check", *named, cwd=here.path)

    assert (ran.code, checked.code) == (2, 2)
    assert said in ran.said
    assert said in checked.said
    assert "mergebar check" in ran.said


def test_an_artifact_without_evals_is_no_suite(tmp_path: Path) -> None:
    here = reviewed(tmp_path, "version: 1\n")
    here.commit({held.OTHER: held.skill(name="paint")})

    said = commands.inside("check", cwd=here.path).said

    assert "1 suite and 1 artifact without evals checked" in said
