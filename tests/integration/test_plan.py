"""`mergebar plan`: what would run and why, what it takes, and nothing that it does."""

import json
from pathlib import Path
from typing import Any

from support import commands, gates, held, judge_server
from support.gates import item, judged, passing
from support.judge_server import JudgeServer


def planned(*arguments: str, cwd: Path, code: int = 0) -> dict[str, Any]:
    ended = commands.inside("plan", "--format", "json", *arguments, cwd=cwd)
    assert ended.code == code, ended.said
    assert ended.stderr == ""
    value: dict[str, Any] = json.loads(ended.stdout)
    return value


def reasons(plan: dict[str, Any]) -> dict[str, tuple[bool, str]]:
    return {suite["path"]: (suite["affected"], suite["reason"]) for suite in plan["suites"]}


OTHER = """\
  - paths: [stored/*.json]
    agent: stored
    runs: 2
"""


def test_a_plan_says_what_runs_and_why_and_how_many_calls_that_takes(tmp_path: Path) -> None:
    thread = {
        "name": "talk",
        "turns": [
            judged("a", "Relevance", "Coherence"),
            item("cite b", evaluators={"Citations": {}}),
        ],
    }
    with JudgeServer() as server:
        config = gates.CONFIG.replace("agents:\n", "agents:\n  stored: {type: replay}\n")
        here = gates.repository(
            tmp_path,
            passing("once"),
            passing("thrice", runs=3),
            thread,
            config=config + OTHER + gates.judge(server.base_url, runs=2),
            **{"stored/a.json": gates.document(item("Hi", "Hello", response="Hello"))},
        )

        everything = planned(cwd=here.path)
        nothing = planned("--changed", ".gitignore", cwd=here.path)
        text = commands.run("plan", "--changed", "evals/desk.json", cwd=here.path)
    assert server.requests == []

    desk, stored = everything["suites"]
    assert [(case["case"], case["runs"], len(case["checks"])) for case in desk["cases"][2:]] == [
        ("talk", 1, 3)
    ]
    assert [case["runs"] for case in desk["cases"]] == [1, 3, 1]
    assert [case["runs"] for case in stored["cases"]] == [2]
    assert [case["agent"] for case in stored["cases"]] == ["stored"]
    assert everything["calls"]["judge"] == 4
    assert everything["calls"]["agent"] == 1 + 3 + 2
    assert everything["problems"] == []

    assert nothing["calls"] == {"agent": 0, "judge": 0}
    assert reasons(nothing) == {
        "evals/desk.json": (
            False,
            "not affected: neither `evals/desk.json` nor a source of `desk` changed",
        ),
        "stored/a.json": (
            False,
            "not affected: neither `stored/a.json` nor a source of `stored` changed",
        ),
    }
    assert text.stdout.splitlines() == [
        "changes: the changed files were listed",
        "evals/desk.json: affected: `evals/desk.json` changed (3 cases, 5 checks)",
        "stored/a.json: not affected: neither `stored/a.json` nor a source of `stored` changed",
        "calls: 6 to agents (budget 2,000), 4 to the judge (budget 5,000)",
    ]
    assert (text.code, text.stderr) == (0, "")
    assert gates.calls(tmp_path) == []
    assert not (tmp_path / ".mergebar").exists()


def test_a_plan_estimates_what_the_run_then_calls(tmp_path: Path) -> None:
    thread = {"turns": [judged("a", "Relevance", "Coherence"), judged("b")]}
    with JudgeServer([judge_server.verdict(4)]) as server:
        config = gates.CONFIG + gates.judge(server.base_url, runs=2)
        here = gates.repository(tmp_path, passing(runs=3), thread, config=config)
        plan = planned("--runs", "2", cwd=here.path)
        key = {"JUDGE_KEY": "k-1234567890"}
        ran = commands.inside("run", "--runs", "2", cwd=here.path, environ=key).report()
        asked = len(server.requests)

    assert plan["calls"] == {"agent": 6, "judge": 12}
    assert (ran["usage"]["agent_calls"], ran["usage"]["judge_calls"], asked) == (6, 12, 12)
    ids = [check for suite in plan["suites"] for case in suite["cases"] for check in case["checks"]]
    assert ids == [check["id"] for check in ran["checks"]]


def test_a_plan_that_run_would_refuse_is_invalid_and_says_all_of_it(tmp_path: Path) -> None:
    broken = gates.document(item("say a", "a", evaluators={"ExactMach": {}}))
    here = gates.repository(tmp_path, judged("a"), **{"evals/broken.json": broken})

    plan = planned(cwd=here.path, code=2)
    text = commands.inside("plan", "--tag", "nothing", cwd=here.path)
    unaffected = planned("--changed", ".gitignore", cwd=here.path)

    assert [problem["rule"] for problem in plan["problems"]] == ["config/no-judge"]
    broken_suite = plan["suites"][0]
    assert broken_suite["path"] == "evals/broken.json"
    assert [problem["rule"] for problem in broken_suite["problems"]] == [
        "document/unknown-evaluator"
    ]
    assert text.code == 2
    assert "evals/broken.json:8:5" in text.said
    assert "no case is tagged `nothing`" in text.said
    assert unaffected["suites"][0]["problems"] != []


def test_a_skipped_case_says_why(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, judged("a"), passing())

    plan = planned("--no-judge", cwd=here.path)

    assert [case["skip"] for case in plan["suites"][0]["cases"]] == [
        "declined by `--no-judge`",
        None,
    ]
    assert plan["calls"] == {"agent": 1, "judge": 0}


def test_what_would_not_be_measured_is_counted_with_its_reason_once(tmp_path: Path) -> None:
    """The line of the suite says what a run would come to: that can't be seen from its checks."""
    files = {"traces/mend.jsonl": held.recorded(held.session())}
    here = held.repository(tmp_path, {held.SKILL: held.skill(held.SEEN), **files})
    here.commit({held.SKILL: held.skill(held.SEEN, body="Mend it otherwise.\n")})
    root = here.path

    (line,) = [
        one
        for one in commands.inside("plan", "--base", "HEAD~1", cwd=root).stdout.splitlines()
        if one.startswith(held.SKILL)
    ]
    plan = planned("--base", "HEAD~1", cwd=root)

    assert line.count("withheld: recorded with the previous text") == 1
    (check,) = plan["suites"][0]["checks"]
    assert check["skip"]["kind"] == "withheld"


def test_a_declined_check_is_counted_and_a_prompt_stands_beside_its_digest(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, judged("a"), passing("b", id="b"))

    lines = commands.inside("plan", "--no-judge", "-v", cwd=here.path).stdout.splitlines()
    plan = planned("--no-judge", cwd=here.path)

    assert lines[-4].endswith("(2 cases, 2 checks; 1 check declined: declined by `--no-judge`)")
    assert '::0::Relevance ("say a"): affected: ' in lines[-3]
    assert lines[-2].startswith("  evals/desk.json::b::0::ExactMatch: affected: ")
    assert [check["label"] for check in plan["suites"][0]["checks"]] == ["say a", "b"]
    assert [check["skip"] for check in plan["suites"][0]["checks"]] == [
        {"kind": "declined", "reason": "declined by `--no-judge`"},
        None,
    ]
