"""An agent that stands at an address is measured as deployed, and every drawing says so once."""

import json
from pathlib import Path

import pytest

from mergebar.model.reports import Report
from mergebar.report import comment, html, json_report, summary, terminal
from mergebar.report.presenting import Presentation
from mergebar.report.terminal import Style
from support import commands, gates
from support.gates import item
from support.servers import Reply, Request, Server

SAID = "measured as deployed at its address"


def answers(request: Request) -> Reply:
    """Says yes, as an agent of its own kind and as a model."""
    said = {"answer": "yes", "choices": [{"message": {"role": "assistant", "content": "yes"}}]}
    made = {"id": "1", "object": "x", "model": "m", "created": 1, **said}
    return Reply(body=json.dumps(made).encode())


def config(url: str) -> str:
    far = {"type": "http", "url": f"{url}/ask", "sources": ["prompts/**"]}
    asked = {"body": {"q": "{prompt}"}, "select": {"response": "answer"}}
    model = {"type": "openai", "base_url": f"{url}/v1", "model": "m", "sources": []}
    return json.dumps(
        {
            "version": 1,
            "agents": {
                "far": {**far, **asked},
                "model": model,
                "stored": {"type": "replay"},
            },
            "documents": [
                {"paths": [f"evals/{name}.json"], "agent": name}
                for name in ("far", "model", "stored")
            ],
        }
    )


@pytest.mark.parametrize(("agent", "times"), [("far", 1), ("model", 0), ("stored", 0)])
def test_an_agent_at_an_address_is_measured_as_deployed_and_that_is_said_once(
    tmp_path: Path, agent: str, times: int
) -> None:
    with Server(answers) as server:
        case = item("say yes", "yes", response="yes")
        gates.repository(
            tmp_path,
            config=config(server.url),
            **{f"evals/{name}.json": gates.document(case) for name in ("far", "model", "stored")},
        )
        ended = commands.inside("run", f"evals/{agent}.json", cwd=tmp_path)

    report = json_report.load((tmp_path / ".mergebar/report.json").read_bytes())
    assert isinstance(report, Report), report
    assert ended.code == 0, ended.said
    drawn = [
        ended.stdout,
        comment.draw(report, Presentation()),
        summary.draw(report, Presentation()),
        html.draw(report, Presentation()),
        terminal.draw(report, Style(width=400)),
    ]
    assert [" ".join(text.split()).count(SAID) for text in drawn] == [times] * 5
    assert report.run.deployed == ("far",)


def test_what_was_carried_or_not_answered_was_not_measured_there(tmp_path: Path) -> None:
    gates.repository(
        tmp_path,
        config=config("http://localhost:9"),
        **{"evals/far.json": gates.document(item("say yes", "yes"))},
    )

    ended = commands.inside("run", "evals/far.json", cwd=tmp_path)

    assert ended.code == 3
    assert SAID not in ended.stdout
