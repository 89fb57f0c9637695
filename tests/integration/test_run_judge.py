"""`mergebar run` with a judge on loopback: verdicts, faults of every kind, recordings, secrets."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support import commands, gates, judge_server
from support.commands import Ended
from support.gates import judged, passing
from support.judge_server import JudgeServer
from support.repositories import Repository
from support.servers import Reply, Request

KEY = {"JUDGE_KEY": "k-1234567890-abcdef"}


def gate(path: Path, server: JudgeServer, *items: Mapping[str, object], **keys: Any) -> Repository:
    return gates.repository(
        path, *items, config=gates.CONFIG + gates.judge(server.base_url, **keys)
    )


def found(ended: Ended, folder: str = ".mergebar") -> dict[str, tuple[str, float | None, str]]:
    """Outcome, score and class of error, by case."""
    return {
        f"{check['label'].removeprefix('say ')} {check['name']}": (
            check["outcome"],
            check["score"],
            (check["error"] or {"class": ""})["class"],
        )
        for check in ended.report(folder)["checks"]
    }


def by_answer(replies: dict[str, list[Reply]]) -> Any:
    """A script that replies by the answer which is judged; the last reply is repeated."""
    left = {answer: list(scripted) for answer, scripted in replies.items()}

    def script(request: Request) -> Reply:
        text = request.body.decode()
        answer = next(one for one in left if f"\\n{one}\\n" in text)
        return left[answer].pop(0) if len(left[answer]) > 1 else left[answer][0]

    return script


FAULTS: dict[str, tuple[list[Reply], str, str]] = {
    "prose": (
        [judge_server.says("I think that it is rather good.")],
        "bad-response",
        "the judge's reply is no verdict, asked twice",
    ),
    "seven": ([judge_server.verdict(7)], "bad-response", "7"),
    "empty": ([judge_server.says("")], "bad-response", "asked twice"),
    "null": ([judge_server.says(None)], "bad-response", "asked twice"),
    "throttled": (
        [judge_server.throttled(retry_after="0")],
        "throttled",
        "lower `judge.concurrency`",
    ),
    "broken": ([judge_server.refuses(500)], "unavailable", "the judge is not available"),
    "page": ([judge_server.html()], "bad-response", "judge"),
    "dropped": ([judge_server.dropped()], "unavailable", "the connection to the judge broke off"),
}


def test_what_a_judge_says_badly_is_an_error_of_its_class_and_never_a_score(
    tmp_path: Path,
) -> None:
    """All faults in one run, beside verdicts that are good: bare, fenced, or at the second try."""
    good = {
        "bare": [judge_server.verdict(4)],
        "fenced": [judge_server.verdict(5, fenced=True)],
        "second": [judge_server.says("Well …"), judge_server.verdict(2)],
    }
    script = by_answer({**{name: replies for name, (replies, _, _) in FAULTS.items()}, **good})

    with JudgeServer(script) as server:
        here = gate(tmp_path, server, *(judged(name) for name in (*FAULTS, *good)))
        ended = commands.inside("run", cwd=here.path, environ=KEY)

    outcomes = found(ended)
    assert outcomes == {
        **{f"{name} Relevance": ("error", None, kind) for name, (_, kind, _) in FAULTS.items()},
        "bare Relevance": ("pass", 4.0, ""),
        "fenced Relevance": ("pass", 5.0, ""),
        "second Relevance": ("fail", 2.0, ""),
    }
    for check in ended.report()["checks"]:
        name = check["label"].removeprefix("say ")
        if name in FAULTS:
            assert FAULTS[name][2] in check["error"]["message"]
    assert ended.code == 1  # quality first
    documents = commands.documents(tmp_path / ".mergebar")["evals/desk.json"]["items"]
    assert [one["status"] for one in documents] == ["partial"] * len(FAULTS) + ["pass"] * 2 + [
        "fail"
    ]
    assert all(
        request.headers["authorization"] == f"Bearer {KEY['JUDGE_KEY']}"
        for request in server.requests
    )
    written = b"".join(path.read_bytes() for path in (tmp_path / ".mergebar").rglob("*.*"))
    assert KEY["JUDGE_KEY"] not in written.decode() + ended.said


def test_a_judge_that_nobody_can_use_is_never_green(tmp_path: Path) -> None:
    with JudgeServer([judge_server.says("No.")]) as server:
        here = gate(tmp_path, server, judged("a"), passing())
        ended = commands.inside("run", cwd=here.path, environ=KEY)

    assert ended.code == 3
    assert "1 of 2 checks not measured" in ended.stdout


def test_a_refused_key_is_said_once_and_stops_the_calls(tmp_path: Path) -> None:
    items = [judged(f"answer {number}", "Relevance", "Coherence") for number in range(20)]
    refusal = judge_server.refuses(401, "Incorrect API key provided: k-1234567890-abcdef.")

    with JudgeServer([refusal], latency_s=0.02) as server:
        here = gate(tmp_path, server, *items, attempts=5, concurrency=4)
        ended = commands.inside("run", cwd=here.path, environ=KEY)

    assert ended.code == 3
    assert set(found(ended).values()) == {("error", None, "auth")}
    assert len(server.requests) <= 4
    assert ended.said.count("check `judge.api_key`") == 1
    comment = (tmp_path / ".mergebar/comment.md").read_text()
    assert comment.count("`judge.api_key`") + comment.count("judge.api\\_key") == 1
    assert KEY["JUDGE_KEY"] not in ended.said + comment


def test_without_the_judge_only_what_needs_none_is_measured(tmp_path: Path) -> None:
    with JudgeServer() as server:
        here = gate(tmp_path, server, judged("a"), passing())
        ended = commands.inside("run", "--no-judge", cwd=here.path)

    assert ended.code == 0
    assert server.requests == []
    assert {name: one[0] for name, one in found(ended).items()} == {
        "a Relevance": "skipped",
        "yes ExactMatch": "pass",
    }
    assert gates.calls(tmp_path) == ["say yes"]
    assert "declined by `--no-judge`" in ended.said


def test_a_judge_that_is_needed_and_missing_is_invalid_before_anything_is_asked(
    tmp_path: Path,
) -> None:
    here = gates.repository(tmp_path, judged("a"))

    ended = commands.inside("run", cwd=here.path)

    assert ended.code == 2
    assert "a judge is needed for `Relevance`, and none is configured" in ended.said
    assert gates.calls(tmp_path) == []
    assert ended.report()["decision"]["outcome"] == "invalid"


@pytest.mark.parametrize("environ", [{}, {"JUDGE_KEY": ""}])
def test_a_key_that_is_not_set_is_named_and_needed_only_where_it_is_used(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    with JudgeServer() as server:
        here = gate(tmp_path, server, judged("a"))

        needed = commands.inside("run", cwd=here.path, environ=environ)
        assert needed.code == 2
        assert (
            "the judge needs `JUDGE_KEY` for `judge.api_key`, which is unset or empty"
            in needed.said
        )
        assert "mergebar.yml:11:68" in needed.said
        assert gates.calls(tmp_path) == []

        unneeded = commands.inside("run", "--changed", ".gitignore", cwd=here.path, environ=environ)
        assert unneeded.code == 0
    assert server.requests == []


def test_what_was_recorded_replays_to_the_same_outcomes_without_a_call(tmp_path: Path) -> None:
    script = by_answer({"good": [judge_server.verdict(4)], "bad": [judge_server.verdict(1)]})
    thread = {
        "name": "talk",
        "turns": [gates.item("count a", "a after 0"), gates.item("count b", "b after 1")],
    }

    with JudgeServer(script) as server:
        here = gate(tmp_path, server, judged("good"), judged("bad"), passing(), thread)
        live = commands.inside("run", "--record", "--output", "live", cwd=here.path, environ=KEY)
        asked = len(server.requests)

        replayed = commands.inside("run", "--replay", "--output", "replayed", cwd=here.path)
        assert len(server.requests) == asked == 2

    assert (live.code, replayed.code) == (1, 1)
    assert found(live, "live") == found(replayed, "replayed")
    assert len(gates.calls(tmp_path)) == 5
    first, second = live.report("live"), replayed.report("replayed")
    assert [one["replayed"] for one in first["checks"]] == [False] * 5
    assert [one["replayed"] for one in second["checks"]] == [True] * 5
    assert (second["usage"]["agent_calls"], second["usage"]["judge_calls"]) == (0, 0)
    assert (first["usage"]["agent_calls"], first["usage"]["judge_calls"]) == (5, 2)
    recording = json.loads((tmp_path / ".mergebar/recordings/evals/desk.json.json").read_text())
    assert recording["schema"] == "mergebar.recording/1"
    assert all(len(one["digest"]) == 64 for one in recording["answers"] + recording["verdicts"])

    here.write("evals/desk.json", gates.document(judged("new"), passing()))
    stale = commands.inside("run", "--replay", cwd=here.path)
    assert stale.code == 3
    assert found(stale)["new Relevance"] == ("error", None, "config")
    assert found(stale)["yes ExactMatch"] == ("pass", 1.0, "")
    assert "record it again" in stale.said


def test_a_repeated_case_is_judged_each_time_and_votes_are_counted(tmp_path: Path) -> None:
    replies = [judge_server.verdict(score) for score in (1, 4, 5)]

    with JudgeServer(replies) as server:
        here = gate(tmp_path, server, judged("a"), runs=3, concurrency=1)
        ended = commands.inside("run", cwd=here.path, environ=KEY)

    (check,) = ended.report()["checks"]
    assert check["outcome"] == "pass"
    assert check["score"] == 4
    assert sorted(check["runs"][0]["votes"]) == [1, 4, 5]
    assert ended.report()["run"]["judge"]["model"] == "scripted"
    assert ended.report()["usage"]["judge_calls"] == 3


def test_recordings_may_be_committed_at_their_default_place(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing(), **{".gitignore": ".calls\n"})
    assert commands.inside("run", "--record", cwd=here.path).code == 0
    here.git("add", ".mergebar/recordings")
    here.git("commit", "--quiet", "--message", "record")

    assert commands.inside("run", "--replay", cwd=here.path).code == 0

    here.git("add", ".mergebar/report.json")
    refused = commands.inside("run", "--replay", cwd=here.path)
    assert refused.code == 2
    assert "git tracks the output folder `.mergebar`" in refused.said
