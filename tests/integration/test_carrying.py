"""What is carried, what isn't, and what is said of it."""

import json
import shutil
from pathlib import Path

import pytest

from support import commands, gates, repositories, scenarios
from support.gates import judged
from support.judge_server import JudgeServer, verdict
from support.scenarios import DESK, Desk, answers, config, document, item

ASKED: dict[str, object] = {"Relevance": {}}
KEY = {"JUDGE_KEY": "k-1234567890"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = scenarios.desk(tmp_path)
    made.measure()
    return made


def test_a_carried_check_is_marked_and_keeps_its_result(desk: Desk) -> None:
    base = json.loads(desk.stored.read_bytes())
    desk.change({"README.md": "x"})

    ran = desk.compare()

    for was, now in zip(base["checks"], ran.report["checks"], strict=True):
        assert {**was, "carried": True} == {
            **now,
            "usage": was["usage"],
            "duration_s": was["duration_s"],
        }
    assert ran.report["usage"]["agent_calls"] == 0
    assert ran.report["totals"]["carried"] == 3
    assert ran.report["totals"]["base_pass_rate"] == base["totals"]["pass_rate"]
    assert f"3 carried from `{desk.here.git('rev-parse', 'main')[:7]}`" in ran.headline


def test_results_stand_in_the_order_of_the_documents(desk: Desk) -> None:
    desk.change({DESK: document("c", item("b", expected="no"), "a")})

    ran = desk.compare()

    assert [one["case"] for one in ran.report["checks"]] == ["c", "b", "a"]
    assert [one["carried"] for one in ran.report["checks"]] == [True, False, True]


def test_only_what_was_measured_here_is_filled_into_documents(desk: Desk) -> None:
    desk.change({DESK: document("a", "b", "c", item("d", expected="unknown"))})

    desk.compare()

    filled = json.loads((desk.folder / "out/documents" / DESK).read_bytes())
    assert ["response" in one for one in filled["items"]] == [False, False, False, True]


def test_severity_of_today_holds_for_what_is_carried(desk: Desk) -> None:
    desk.change({DESK: document("a", "b", item("c", severity="warning"))})

    ran = desk.compare()

    assert [one["severity"] for one in ran.report["checks"]] == ["error", "error", "warning"]
    assert ran.measured == ""
    assert ran.report["totals"]["pass_rate"] == 1.0


def test_what_was_not_measured_in_the_baseline_is_measured(desk: Desk, tmp_path: Path) -> None:
    report = json.loads(desk.stored.read_bytes())
    report["checks"][0] |= {"outcome": "error", "score": None}
    report["checks"][0]["error"] = {"class": "timeout", "message": "too late"}
    report["totals"] |= {"passed": 1, "errors": 1, "pass_rate": 0.5}
    desk.stored.write_text(json.dumps(report))
    desk.change({"README.md": "x"})

    plan = desk.plan("--base", "main", "--baseline", "../base.json")
    ran = desk.compare()

    (suite,) = plan["suites"]
    assert suite["reason"] == (
        "affected: 1 of its 3 checks can't be carried: not measured in the baseline (timeout)"
    )
    assert [one["reason"] for one in suite["checks"]] == [
        "affected: not measured in the baseline (timeout)",
        "carried from the baseline",
        "carried from the baseline",
    ]
    assert (plan["calls"]["agent"], ran.measured, ran.carried) == (1, "a", "b c")


def test_without_a_baseline_what_is_not_affected_is_not_in_the_report(desk: Desk) -> None:
    desk.change({DESK: document("a", "b", "c", "d")})

    ran = desk.run("--base", "main")

    assert (ran.measured, ran.carried, ran.code) == ("d", "", 1)
    assert ran.report["comparison"]["baseline"] is None


def test_another_judge_judges_anew_what_the_old_one_judged(tmp_path: Path) -> None:
    with JudgeServer([verdict(4)]) as server:
        asked = config(judge=judge(server))
        both = {DESK: document(item("a"), item("b", evaluators=ASKED)), "mergebar.yml": asked}
        desk = scenarios.desk(tmp_path, both)
        desk.run("--all", environ={**KEY, "MODEL": "one"})
        (desk.folder / "out/report.json").rename(desk.stored)
        desk.change({"README.md": "x"})
        options = ("--base", "main", "--baseline", "../base.json")
        same = desk.run(*options, environ={**KEY, "MODEL": "one"})
        before = len(server.requests)
        other = desk.run(*options, environ={**KEY, "MODEL": "two"})
        unknown = desk.run(*options)

    assert (same.measured, same.carried) == ("", "a b")
    assert (before, len(server.requests)) == (1, 2)
    assert (other.measured, other.carried) == ("b", "a")
    (change,) = [
        one for one in other.report["comparison"]["changes"] if one["change"] == "not-comparable"
    ]
    assert change["reason"] == "judge `one` → `two`"
    assert (unknown.code, unknown.carried) == (0, "a b")
    assert same.report["run"]["judge"]["model"] == "one"


def judge(server: JudgeServer) -> object:
    """The judge of `gates`, with the model from the environment."""
    line = gates.judge(server.base_url).removeprefix("judge: ")
    return {**json.loads(line), "model": "${MODEL}"}


def test_a_judge_is_not_asked_for_what_is_carried(tmp_path: Path) -> None:
    with JudgeServer([verdict(4)]) as server:
        settings = gates.CONFIG + gates.judge(server.base_url)
        here = gates.repository(tmp_path / "here", judged("a"), config=settings)
        made = Desk(here=here, folder=tmp_path)
        made.run("--all", environ=KEY)
        (made.folder / "out/report.json").rename(made.stored)
        made.change({"README.md": "x", "answers.json": answers()})

        ran = made.run("--base", "main", "--baseline", "../base.json", environ=KEY)

    assert (ran.code, len(server.requests)) == (0, 1)
    assert ran.report["run"]["judge"]["model"] == "scripted"


def test_evals_of_artifacts_are_carried_too_those_included_that_never_armed(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples/support-agent"
    copy = tmp_path / "here/examples/support-agent"
    shutil.copytree(example, copy, ignore=shutil.ignore_patterns(".mergebar"))
    here = repositories.start(tmp_path / "here")
    here.commit()
    out = str(tmp_path / "out")
    commands.inside("run", "--all", "--output", out, cwd=copy)
    base = shutil.copyfile(tmp_path / "out/report.json", tmp_path / "base.json")
    here.branch("change")
    here.commit({"notes.md": "x"})

    options = ("--base", "main", "--baseline", str(base), "--output", out)
    ended = commands.inside("run", *options, cwd=copy)

    report = commands.report(tmp_path / "out/report.json")
    assert ended.code == 0
    assert [one for one in report["checks"] if not one["carried"]] == []
    assert "declined" in {one["skip"] for one in report["checks"]}
