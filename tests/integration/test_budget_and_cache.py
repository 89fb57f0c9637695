"""Budget, cache and journal of the real command, with agent and judge on loopback."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support import commands, gates, judge_server
from support.commands import Ended
from support.gates import judged, passing
from support.judge_server import JudgeServer
from support.repositories import Repository

KEY = {"JUDGE_KEY": "k-1234567890-abcdef"}


def gate(path: Path, server: JudgeServer, *items: Any, more: str = "", **keys: Any) -> Repository:
    config = gates.CONFIG + gates.judge(server.base_url, **keys) + more
    return gates.repository(path, *items, config=config)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One of several in the same folder, with its report as it was then."""

    ended: Ended
    report: dict[str, Any]

    @property
    def usage(self) -> tuple[int, int, int]:
        found = self.report["usage"]
        return found["agent_calls"], found["judge_calls"], found["cache_hits"]


def ran(*arguments: str, cwd: Path) -> Run:
    ended = commands.inside("run", *arguments, cwd=cwd, environ=KEY)
    return Run(ended=ended, report=ended.report())


def test_a_plan_that_takes_too_much_stops_before_its_first_call(tmp_path: Path) -> None:
    with JudgeServer() as server:
        here = gate(
            tmp_path,
            server,
            judged("a", "Relevance", "Coherence"),
            passing("b", runs=3),
            more="budget: {agent_calls: 3, judge_calls: 1}\ngate: {unmeasured: 1}\n",
        )
        ended = commands.inside("run", cwd=here.path, environ=KEY)
        planned = commands.inside("plan", cwd=here.path)

    assert (ended.code, planned.code) == (3, 3)
    assert server.requests == []
    assert gates.calls(tmp_path) == []
    assert {check["error"]["class"] for check in ended.report()["checks"]} == {"budget"}
    (reason,) = {
        one["message"]
        for one in ended.report()["decision"]["reasons"]
        if one["rule"] == "budget-used-up"
    }
    assert "4 agent calls, 1 more than `budget.agent_calls: 3` allows" in reason
    assert "2 judge calls, 1 more than `budget.judge_calls: 1` allows" in reason
    assert (
        "calls: 4 to agents (budget 3), 2 to the judge (budget 1); `mergebar run` would stop"
        in planned.stdout
    )


def test_the_minutes_end_a_run_and_what_was_measured_stays(tmp_path: Path) -> None:
    with JudgeServer() as server:
        here = gate(
            tmp_path,
            server,
            passing("quick"),
            gates.item("hang", "x"),
            more="budget: {minutes: 0.04}\ngate: {unmeasured: 1}\n",
        )
        ended = commands.inside("run", cwd=here.path, environ=KEY)

    assert ended.code == 3
    checks = ended.report()["checks"]
    assert [check["outcome"] for check in checks] == ["pass", "error"]
    assert checks[1]["error"]["class"] == "budget"
    assert ended.report()["run"]["complete"] is False
    assert (tmp_path / ".mergebar" / "journal.jsonl").exists()


def test_a_second_run_asks_no_judge_and_loads_no_client(tmp_path: Path) -> None:
    with JudgeServer() as server:
        here = gate(tmp_path, server, judged("a"), judged("b", "Coherence"), runs=2)
        first = ran(cwd=here.path)
        asked = len(server.requests)
        second = ran(cwd=here.path)
        loaded = subprocess.run(
            [sys.executable, "-I", "-c", _LOADED, "run"],
            cwd=here.path,
            env=commands.environment(KEY),
            capture_output=True,
            text=True,
            check=True,
        )
        anew = ran("--no-cache", cwd=here.path)

    assert asked == 4
    assert (first.usage, second.usage, anew.usage) == ((2, 4, 0), (2, 0, 4), (2, 4, 0))
    assert len(server.requests) == 8
    assert loaded.stdout.splitlines()[-1] == "[]"
    assert "4 cache hits" in second.ended.said
    scores = [[check["score"] for check in one.report["checks"]] for one in (first, second)]
    assert scores[0] == scores[1]
    assert first.report["run"]["judge"] == second.report["run"]["judge"]


_LOADED = """
import sys
from mergebar import cli
cli.main(sys.argv[1:])
print([name for name in ("openai", "httpx2", "azure") if name in sys.modules])
"""


def test_another_model_is_asked_and_failures_are_asked_again(tmp_path: Path) -> None:
    replies = [judge_server.refuses(500), judge_server.verdict(4)]
    with JudgeServer(replies) as server:
        here = gate(tmp_path, server, judged("a"))
        broken = ran(cwd=here.path)
        mended = ran(cwd=here.path)
        other = here.path / "mergebar.yml"
        other.write_text(other.read_text().replace("scripted", "another"))
        changed = ran(cwd=here.path)

    assert (broken.ended.code, mended.ended.code) == (3, 0)
    assert [one.usage[1:] for one in (broken, mended, changed)] == [(1, 0), (1, 0), (1, 0)]


def test_an_agent_is_asked_again_when_a_file_of_it_changed(tmp_path: Path) -> None:
    with JudgeServer() as server:
        here = gate(tmp_path, server, passing("a"))
        config = here.path / "mergebar.yml"
        config.write_text(config.read_text().replace("timeout: 20s", "cache: true"))
        ended = [ran("--all", cwd=here.path)]
        ended.append(ran("--all", cwd=here.path))
        agent = here.path / "agent.py"
        agent.write_text(agent.read_text() + "# another\n")
        ended.append(ran("--all", cwd=here.path))

    assert [one.usage for one in ended] == [(1, 0, 0), (0, 0, 1), (1, 0, 0)]
    assert gates.calls(tmp_path) == ["say a", "say a"]


@pytest.mark.parametrize(("path", "named"), [(".mergebar/cache", "cache"), ("kept", "kept")])
def test_a_cache_that_git_tracks_is_refused(tmp_path: Path, path: str, named: str) -> None:
    with JudgeServer() as server:
        here = gate(tmp_path, server, judged("a"), more=f"cache: {{path: {path}}}\n")
        (here.path / path).mkdir(parents=True)
        (here.path / path / "x.json").write_text("{}")
        subprocess.run(["git", "add", "-f", f"{path}/x.json"], cwd=here.path, check=True)
        output = ("--output", "elsewhere") if path.startswith(".mergebar") else ()
        ended = commands.inside("run", *output, cwd=here.path, environ=KEY)

    assert ended.code == 2
    assert f"git tracks the cache folder `{named}`" in ended.said
    assert server.requests == []


def test_a_journal_that_git_tracks_is_refused(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing("a"))
    (here.path / ".mergebar").mkdir()
    (here.path / ".mergebar" / "journal.jsonl").write_text("{}")
    subprocess.run(["git", "add", "-f", ".mergebar/journal.jsonl"], cwd=here.path, check=True)

    ended = commands.inside("run", cwd=here.path)

    assert ended.code == 2
    assert "git tracks the output folder" in ended.said


def test_an_agent_that_changed_since_the_interruption_is_asked_everything(tmp_path: Path) -> None:
    here = gates.repository(
        tmp_path,
        passing("quick"),
        gates.item("hang", "x"),
        config=gates.CONFIG + "budget: {minutes: 0.03}\n",
    )
    for change in ("", "# another\n"):
        agent = here.path / "agent.py"
        if change:
            agent.write_text(agent.read_text() + change)
        ended = commands.inside("run", "--all", cwd=here.path)
        assert ended.code == 3
        assert "going on" not in ended.stderr
    again = commands.inside("run", "--all", cwd=here.path)

    assert "going on with the interrupted run of this plan: 1 of 2 checks" in again.stderr
    assert gates.calls(tmp_path) == sorted(["hang"] * 3 + ["say quick"] * 2)
    journal = (here.path / ".mergebar" / "journal.jsonl").read_text().splitlines()
    assert json.loads(journal[0])["schema"] == "mergebar.journal/1"


def test_a_cache_that_keeps_nothing_says_so_once_and_changes_no_verdict(tmp_path: Path) -> None:
    with JudgeServer() as server:
        here = gate(tmp_path, server, judged("a"), judged("b"), more="cache: {path: kept}\n")
        (here.path / "kept").mkdir()
        for name in "0123456789abcdef":  # where its folders would be: no right to write is needed
            (here.path / "kept" / name).write_text("")

        ended = commands.inside("run", "--all", cwd=here.path, environ=KEY)

    assert ended.code == 0
    assert ended.stderr.count("not everything could be kept in the cache") == 1
    assert "warning: kept: not everything could be kept in the cache: Not a dir" in ended.said


@pytest.mark.parametrize(("limit", "code"), [(1, 0), (0, 3)])
def test_what_is_tried_again_is_one_call_of_the_budget(
    tmp_path: Path, limit: int, code: int
) -> None:
    replies = [judge_server.throttled(retry_after="0"), judge_server.verdict(5)]
    with JudgeServer(replies) as server:
        more = f"budget: {{judge_calls: {limit}}}\n"
        here = gate(tmp_path, server, judged("a"), more=more, attempts=3)
        ended = commands.inside("run", "--all", cwd=here.path, environ=KEY)

    assert ended.code == code, ended.said
    assert ended.report()["usage"]["judge_calls"] == limit
    assert len(server.requests) == 2 * limit
