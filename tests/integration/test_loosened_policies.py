"""A change that asks less of itself, in real repositories and without any baseline."""

from pathlib import Path

import pytest

from support import commands, gates, held
from support.commands import Ended
from support.gates import passing
from support.held import CONFIG, QUIET, READS, SKILL
from support.repositories import Repository

JUDGE = 'judge: {type: openai, model: strict, api_key: "${JUDGE_KEY}"}\n'
REWRITTEN = held.skill(READS, QUIET, body="Mend it twice.\n")


def start(tmp_path: Path) -> Repository:
    """A skill with a session, and the tag `base`."""
    files = {
        SKILL: held.skill(READS, QUIET),
        "traces/mend.jsonl": held.recorded(held.session()),
        "traces/other/mend.jsonl": held.recorded(held.session()),
    }
    here = held.repository(tmp_path, files)
    here.git("tag", "base")
    return here


def run(here: Repository, *options: str) -> Ended:
    return commands.inside("run", "--base", "base", *options, cwd=here.path)


def test_a_change_that_switches_off_its_own_block_says_so_in_the_headline(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({SKILL: REWRITTEN, "mergebar.yml": f"{CONFIG}    stale: warn\n"})

    ended = run(here)

    headline = "4 checks measured · 4 graded on stale sessions · 1 loosened"
    assert ended.report()["decision"]["headline"] == headline
    (told,) = ended.report()["comparison"]["loosened"]
    assert told["what"] == "`stale` of `.claude/skills/**/SKILL.md`"
    assert (told["was"], told["now"]) == ("block", "warn")


def test_a_change_that_drops_its_sessions_says_so(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({"mergebar.yml": CONFIG.replace("traces/**/*.jsonl", "traces/other/*.jsonl")})

    ended = run(here)

    (told,) = ended.report()["comparison"]["loosened"]
    assert (told["kind"], told["now"]) == ("trace", "`traces/other/*.jsonl`")
    assert "1 loosened" in ended.said


@pytest.mark.parametrize("options", [(), ("--replay",)], ids=["live", "replayed"])
def test_an_agent_that_watches_less_is_told_however_it_is_asked(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    here = gates.repository(tmp_path, passing())
    here.git("tag", "base")
    here.commit({"mergebar.yml": gates.CONFIG.replace("[agent.py, prompts/**]", "[agent.py]")})

    loosened = run(here, *options).report()["comparison"]["loosened"]

    assert [one["what"] for one in loosened] == ["`agents.desk.sources`"]


def test_only_a_replayed_run_is_replayed_on_both_sides(tmp_path: Path) -> None:
    """`--replay` replaces the agent of both configurations: that is no edit."""
    here = gates.repository(tmp_path, passing(), config=gates.CONFIG + JUDGE)
    here.git("tag", "base")
    here.commit({"mergebar.yml": gates.CONFIG + JUDGE + "gate: {reviews: ignore}\n"})

    loosened = run(here, "--replay").report()["comparison"]["loosened"]

    assert [one["what"] for one in loosened] == ["`gate.reviews`"]
