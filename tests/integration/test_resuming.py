"""`kill -9` at any moment: the next run goes on, asks nothing twice, and ends as if undisturbed."""

import json
import random
import re
import shlex
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support import commands, gates, judge_server
from support.forking import Forker
from support.judge_server import JudgeServer
from support.repositories import Repository
from support.servers import Reply, Request, Server

KILLS = 20
KEY = {"JUDGE_KEY": "k-1234567890-abcdef"}
TIMES = {"started_at", "finished_at", "duration_s"}
FROM_CACHE = {"cached", "usage"}
"""A vote that was kept in the cache, but whose check was not yet in the journal."""


@dataclass
class Asked:
    """What the agent and the judge were asked, by the prompt's number."""

    agent: Counter[str] = field(default_factory=Counter)
    judge: Counter[str] = field(default_factory=Counter)

    def answer(self, request: Request) -> Reply:
        prompt = str(request.json["prompt"])
        self.agent[prompt] += 1
        return Reply(body=json.dumps({"response": f"answer to {prompt}"}).encode(), delay_s=0.02)

    def judged(self, request: Request) -> Reply:
        text = request.body.decode()
        *_, prompt = (word for word in text.split("\\n") if word.startswith("answer to "))
        self.judge[prompt.removeprefix("answer to ")] += 1
        return judge_server.verdict(4)


def gate(path: Path, agent: Server, judge: JudgeServer) -> Repository:
    config = f"""\
version: 1
agents:
  desk:
    type: http
    url: {agent.url}
    body: {{prompt: "{{prompt}}"}}
    select: {{response: response}}
    sources: []
    concurrency: 3
documents: [{{paths: [evals/*.json], agent: desk}}]
"""
    checks: dict[str, object] = {"Relevance": {}, "ExactMatch": {}}
    turns = [
        [
            gates.item(f"{case}.{turn}", f"answer to {case}.{turn}", evaluators=checks)
            for turn in "ab"
        ]
        for case in range(12)
    ]
    threads = [{"name": f"t{number}", "turns": pair} for number, pair in enumerate(turns)]
    return gates.repository(
        path, *threads, config=config + gates.judge(judge.base_url, concurrency=3)
    )


def modulo_times(value: Any) -> Any:
    """The report without times, and without what a kept vote is marked by."""
    if isinstance(value, list):
        return [modulo_times(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "judge_calls" in value:
        return value["agent_calls"], value["judge_calls"] + value["cache_hits"]
    return {
        key: modulo_times(one)
        for key, one in value.items()
        if key not in TIMES and (key not in FROM_CACHE or "judge_calls" in str(one))
    }


def journalled(path: Path) -> tuple[set[str], set[str]]:
    """The prompts whose answers are in the journal, and those whose verdicts are."""
    turns, verdicts = set(), set()
    for line in path.read_bytes().splitlines() if path.exists() else []:
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # torn
        if "turn" in entry:
            turns.add(f"{entry['turn'][1].removeprefix('t')}.{'ab'[entry['turn'][3]]}")
        elif "check" in entry and entry["check"][0].endswith("Relevance"):
            _, case, turn, _ = entry["check"][0].split("::")
            verdicts.add(f"{case.removeprefix('t')}.{'ab'[int(turn)]}")
    return turns, verdicts


def test_killed_at_twenty_random_moments_it_asks_nothing_twice_and_ends_the_same(
    tmp_path: Path,
) -> None:
    asked, chance = Asked(), random.Random(1)  # noqa: S311 - no secret
    with (
        Server(asked.answer) as agent,
        JudgeServer(asked.judged, latency_s=0.02) as judge,
        Forker() as forker,
    ):
        here = gate(tmp_path / "gate", agent, judge)
        said, journal = tmp_path / "said", here.path / ".mergebar" / "journal.jsonl"

        def run() -> Any:
            return forker.start("run", "--all", cwd=here.path, said=said, environ=KEY)

        def ends() -> Any:
            assert not journal.exists()
            return modulo_times(commands.report(here.path / ".mergebar" / "report.json"))

        assert run().wait() == 0, said.read_text()  # what isn't loaded yet is compiled at the most
        _forget(here.path)
        began = time.monotonic()
        assert run().wait() == 0, said.read_text()
        lasting = time.monotonic() - began
        undisturbed = ends()
        assert undisturbed["totals"]["passed"] == 48

        killed = resumed = 0
        while killed < KILLS:
            _forget(here.path)
            asked.agent.clear()
            asked.judge.clear()
            code = None
            while code != 0:
                turns, verdicts = journalled(journal)
                resumed += bool(turns)
                before = Asked(agent=asked.agent.copy(), judge=asked.judge.copy())
                process = run()
                if killed < KILLS:
                    time.sleep(chance.uniform(0, lasting))
                    code = process.kill()
                    killed += code == -9
                else:
                    code = process.wait()
                assert code in {0, -9}, said.read_text()
                assert {one: asked.agent[one] for one in turns} == {
                    one: before.agent[one] for one in turns
                }
                assert {one: asked.judge[one] for one in verdicts} == {
                    one: before.judge[one] for one in verdicts
                }
            assert ends() == undisturbed
    assert resumed > KILLS // 4
    assert "going on with the interrupted run of this plan" in said.read_text()


def _forget(root: Path) -> None:
    """Without its votes, a new round asks for everything again."""
    for path in (root / ".mergebar" / "cache").rglob("*.json"):
        path.unlink()


@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_minutes_that_are_used_up_are_named_and_the_advice_goes_on_from_there(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    config = gates.CONFIG.replace("    timeout: 20s\n", "    timeout: 60s\n    concurrency: 1\n")
    here = gates.repository(
        tmp_path,
        gates.passing("quick"),
        gates.item("hang", "x"),
        config=config + "budget: {minutes: 0.03}\n",
    )

    ended = commands.run("run", "--all", *options, cwd=here.path)

    said = "the budget of 0.03 minutes (`budget.minutes`) is used up"
    report = ended.report()
    assert (ended.code, report["run"]["complete"]) == (3, False)
    assert report["decision"]["headline"] == f"1 of 2 checks not measured: {said}"
    assert report["decision"]["reasons"][0]["rule"] == "budget-used-up"
    assert "interrupted" not in ended.said
    assert "Raise `budget.minutes`" in ended.said
    comment = (here.path / ".mergebar/comment.md").read_text()
    command = re.search(r"^mergebar (run .*)$", comment, re.MULTILINE)
    assert command is not None
    again = commands.run(*shlex.split(command[1]), cwd=here.path)
    assert again.code == 3
    assert gates.calls(here.path).count("say quick") == 1
