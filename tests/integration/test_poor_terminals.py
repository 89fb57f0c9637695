"""A terminal that knows ASCII alone: what programs read loses nothing, and people are told where."""

import json
from pathlib import Path

import pytest

from support import commands, gates, held
from support.commands import Ended
from support.gates import item, passing

WORDS = "Größe 日本 — 😀"
REPORT = ".mergebar/report.json"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a report, and a recorded session."""
    trace = held.recorded(held.session(WORDS))
    path = tmp_path_factory.mktemp("gate")
    here = gates.repository(path, passing(WORDS), **{f"{WORDS}.jsonl": trace})
    assert commands.inside("run", cwd=here.path).code == 0
    return here.path


FORMATS = (
    ["run", "--format", "json"],
    ["run", "--format", "markdown"],
    ["plan", "--format", "json"],
    ["check", "--format", "json"],
    ["compare", "--format", "json", REPORT, REPORT],
    ["compare", "--format", "markdown", REPORT, REPORT],
    ["trace", "--format", "json", f"{WORDS}.jsonl"],
    *(
        ["report", REPORT, "--format", form]
        for form in ("markdown", "summary", "html", "junit", "sarif", "csv")
    ),
)


def shown(gate: Path, *arguments: str, rich: bool) -> str:
    ended = commands.inside(*arguments, cwd=gate, encoding="utf-8" if rich else "ascii")
    assert ended.code == 0, ended.said
    return ended.stdout


@pytest.mark.parametrize("arguments", FORMATS, ids=" ".join)
def test_what_programs_read_is_the_same_on_a_poor_terminal(
    arguments: list[str], gate: Path
) -> None:
    drawn = shown(gate, *arguments, rich=False)

    assert "\N{REPLACEMENT CHARACTER}" not in drawn
    if arguments[:1] != ["run"]:  # each run has its own times
        assert drawn == shown(gate, *arguments, rich=True)
    elif "json" in arguments:
        assert json.loads(drawn)["checks"][0]["label"] == f"say {WORDS}"


def _broken(tmp_path: Path, *, policy: str = "") -> Ended:
    here = gates.repository(tmp_path, item("exit now", "x"), config=gates.CONFIG + policy)
    return commands.inside("run", "--output", "kept", cwd=here.path)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("", "may quote a prompt or a response are in `kept/report.html`."),
        ("report: {responses: none}\n", "may quote a prompt or a response are kept nowhere"),
        ("report: {responses: everywhere}\n", None),
    ],
    ids=["artifact", "none", "everywhere"],
)
def test_where_the_words_are_that_may_not_be_shown_is_told(
    policy: str, said: str | None, tmp_path: Path
) -> None:
    ended = _broken(tmp_path, policy=policy)

    assert ended.code == 3
    assert ("the agent says: it broke" in ended.said) == (said is None)
    assert "may quote a prompt" in ended.said if said else "may quote" not in ended.said
    assert said is None or said in ended.said


def test_nothing_is_told_where_nothing_is_held_back(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing())
    assert "may quote" not in commands.inside("run", cwd=here.path).said
