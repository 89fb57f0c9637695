"""A thousand items while services fail: nothing is lost, and nothing goes on for ever."""

import json
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support import commands, gates, judge_server
from support.judge_server import JudgeServer
from support.servers import Reply, Request, Server

ITEMS = 1000
KEY = {"JUDGE_KEY": "k-1234567890-abcdef"}


def faults() -> list[Reply]:
    return [
        judge_server.refuses(500),
        judge_server.refuses(503),
        judge_server.throttled(retry_after="0"),
        judge_server.html(),
        judge_server.dropped(),
        judge_server.truncated(),
        judge_server.says("no verdict"),
        judge_server.says(None),
    ]


def at_times(share: float, good: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    """One reply in so many is a fault, any of them."""
    chance, bad, lock = random.Random(7), faults(), threading.Lock()  # noqa: S311 - no secret

    def script(request: Request) -> Reply:
        with lock:
            return chance.choice(bad) if chance.random() < share else good(request)

    return script


def answered(request: Request) -> Reply:
    return Reply(body=json.dumps({"response": f"to {request.json['prompt']}"}).encode())


def gate(path: Path, agent: Server, judge: JudgeServer, *, items: int) -> Path:
    config = f"""\
version: 1
agents:
  desk:
    type: http
    url: {agent.url}
    body: {{prompt: "{{prompt}}"}}
    select: {{response: response}}
    sources: []
    concurrency: 8
    attempts: 2
documents: [{{paths: [evals/*.json], agent: desk}}]
"""
    evaluators: dict[str, object] = {"Relevance": {}}
    documents = {
        f"evals/{suite}.json": gates.document(
            *(
                gates.item(f"{suite}-{number}", evaluators=evaluators)
                for number in range(items // 4)
            )
        )
        for suite in "abcd"
    }
    keys = gates.judge(judge.base_url, attempts=2)
    return gates.repository(path, config=config + keys, **documents).path


def test_one_fault_in_a_hundred_over_a_thousand_items_loses_nothing(tmp_path: Path) -> None:
    with (
        Server(at_times(0.01, answered)) as agent,
        JudgeServer(at_times(0.01, lambda _: judge_server.verdict(4))) as judge,
    ):
        root = gate(tmp_path, agent, judge, items=ITEMS)
        ended = commands.inside("run", "--all", cwd=root, environ=KEY)

    report = ended.report()
    checks = report["checks"]
    places = [(suite, number) for suite in "abcd" for number in range(ITEMS // 4)]
    assert [check["label"] for check in checks] == [f"{suite}-{number}" for suite, number in places]
    assert {check["outcome"] for check in checks} <= {"pass", "error"}
    assert sum(check["outcome"] == "pass" for check in checks) > ITEMS * 0.9
    for check in checks:
        assert (check["outcome"] == "error") == (check["error"] is not None)
        assert check["outcome"] == "pass" or check["score"] is None
    assert report["run"]["complete"]
    assert ended.code == (3 if report["totals"]["errors"] else 0)


@pytest.mark.parametrize("broken", ["agent", "judge"])
def test_nothing_but_faults_ends_soon_and_is_never_green(tmp_path: Path, broken: str) -> None:
    good = {"agent": answered, "judge": lambda _: judge_server.verdict(4)}
    share = {"agent": 0.0, "judge": 0.0, broken: 1.0}
    started = time.monotonic()
    with (
        Server(at_times(share["agent"], good["agent"])) as agent,
        JudgeServer(at_times(share["judge"], good["judge"])) as judge,
    ):
        root = gate(tmp_path, agent, judge, items=100)
        ended = commands.inside("run", "--all", cwd=root, environ=KEY)

    assert ended.code == 3
    assert {check["outcome"] for check in ended.report()["checks"]} == {"error"}
    assert len(ended.report()["checks"]) == 100
    assert time.monotonic() - started < 60
