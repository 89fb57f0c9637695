"""Everything that goes wrong on a wire, as `report.json` has it: a check for each fault."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from mergebar.model.conversations import Answer, ErrorClass
from mergebar.model.text import Json
from support import commands, gates, judge_server
from support.agent_server import WAYS
from support.judge_server import JudgeServer
from support.servers import Reply, Request, Server
from support.wire_faults import FAULTS, Fault

KEY = {"JUDGE_KEY": "k-1234567890-abcdef"}
AT_ONCE = {name: fault for name, fault in FAULTS.items() if not fault.waits}
"""Without those that ask us to wait: one attempt is made, and nobody waits for the next."""
STOPPING = {ErrorClass.AUTH, ErrorClass.CONFIG}
"""What no further call can mend is said of every later check too."""


def agent_entry(way: str, url: str, number: int) -> dict[str, Json]:
    """One agent for each fault: what stops one leaves the others alone."""
    chosen = WAYS[way]
    address = "url" if chosen.type == "http" else "base_url"
    own: dict[str, Json] = {
        "type": chosen.type,
        "sources": [],
        "attempts": 1,
        "timeout": "3s",  # all of them are asked at once
        "output_limit": "1MB",
        address: f"{url}/{number}{chosen.path}",
    }
    return {**chosen.options, **own}


def by_number(faults: Mapping[str, Fault], well: Reply) -> Callable[[Request], Reply]:
    replies = [fault.reply(well) for fault in faults.values()]
    return lambda request: replies[int(request.path.split("/")[1])]


@pytest.mark.parametrize("way", ["http, shaped", "openai, chat"])
def test_each_fault_of_an_agent_is_one_error_of_its_class(way: str, tmp_path: Path) -> None:
    expected = {
        name: fault.http[0] if way == "http, shaped" else fault.openai[0]
        for name, fault in AT_ONCE.items()
    }
    item = gates.item("Ask.", "Hold the button.")
    documents = {f"evals/{number}.json": gates.document(item) for number in range(len(expected))}
    with Server(by_number(AT_ONCE, WAYS[way].write(Answer(response="Hold the button.")))) as server:
        config: dict[str, Json] = {
            "version": 1,
            "agents": {
                f"a{number}": agent_entry(way, server.url, number)
                for number in range(len(expected))
            },
            "documents": [
                {"paths": [f"evals/{number}.json"], "agent": f"a{number}"}
                for number in range(len(expected))
            ],
        }
        here = gates.repository(tmp_path, config=json.dumps(config), **documents)
        ended = commands.inside("run", "--all", cwd=here.path)

    checks = {check["suite"]: check for check in ended.report()["checks"]}
    found = {
        name: in_report(checks[f"evals/{number}.json"]) for number, name in enumerate(expected)
    }
    assert found == {name: outcome(error_class) for name, error_class in expected.items()}
    assert ended.code == 3


def test_each_fault_of_the_judge_is_one_error_of_its_class(tmp_path: Path) -> None:
    expected = {
        name: fault.judge[0] for name, fault in AT_ONCE.items() if fault.judge[0] not in STOPPING
    }
    found, code = judged(expected, tmp_path)

    assert found == {name: outcome(error_class) for name, error_class in expected.items()}
    assert code == 3


@pytest.mark.parametrize(
    "name", [name for name, fault in AT_ONCE.items() if fault.judge[0] in STOPPING]
)
def test_a_judge_that_no_call_can_mend_is_an_error_of_every_check(
    name: str, tmp_path: Path
) -> None:
    error_class = AT_ONCE[name].judge[0]

    found, code = judged({name: error_class}, tmp_path)

    assert found == {name: outcome(error_class)}
    assert code == 3


def judged(faults: Mapping[str, ErrorClass | None], root: Path) -> tuple[dict[str, Json], int]:
    """What the report has of each fault; after each comes a verdict, so that nobody is down."""
    answers = [text for name in faults for text in (name, "well")]
    items = [gates.judged(f"<{text}> as number {number}") for number, text in enumerate(answers)]

    def script(request: Request) -> Reply:
        said = json.dumps(request.json)
        well = judge_server.verdict(4)
        return next((AT_ONCE[name].reply(well) for name in faults if f"<{name}> as" in said), well)

    with JudgeServer(script) as server:
        judge = gates.judge(server.base_url, attempts=1, timeout="1s", concurrency=1)
        here = gates.repository(
            root, config=gates.CONFIG + judge, **{"evals/a.json": gates.document(*items)}
        )
        ended = commands.inside("run", "--all", cwd=here.path, environ=KEY)
    checks = ended.report()["checks"]
    return {
        name: in_report(check) for name, check in zip(faults, checks[::2], strict=True)
    }, ended.code


def in_report(check: Mapping[str, Json]) -> Json:
    error = check["error"]
    return [check["outcome"], error["class"] if isinstance(error, dict) else None]


def outcome(error_class: ErrorClass | None) -> Json:
    return ["error", error_class.value] if error_class else ["pass", None]
