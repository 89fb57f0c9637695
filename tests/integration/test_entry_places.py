"""What keeps an agent or the judge from being called is said once, at the line of its key."""

import re
from pathlib import Path

import pytest

from support import commands, gates
from support.gates import judged, passing

ENTRIES = {
    "agents:\n  web:\n    type: http\n    url: ${NOPE}\n    sources: []\n    body: {q: '{prompt}'}\n": (
        5, "agent `web` needs `NOPE` for `agents.web.url`, which is unset or empty",
    ),
    "agents:\n  web:\n    type: http\n    url: 'http://127.0.0.1:9/'\n    sources: []\n"
    "    headers:\n      X-Key: Bearer ${NOPE}\n": (
        8, "agent `web` needs `NOPE` for `agents.web.headers.X-Key`",
    ),
    "agents:\n  web:\n    type: openai\n    model: m\n    sources: []\n    api_key: ${NOPE}\n": (
        7, "agent `web` needs `NOPE` for `agents.web.api_key`",
    ),
    "agents:\n  web:\n    type: http\n    method: GET\n    url: ${GIVEN}\n    sources: []\n": (
        6, "`agents.web.url` never mentions `{prompt}`",
    ),
    "agents:\n  web:\n    type: http\n    url: ${GIVEN}\n    body: {q: '${GIVEN}'}\n    sources: []\n": (
        6, "`agents.web.body` never mentions `{prompt}`",
    ),
}  # fmt: skip


@pytest.mark.parametrize("entry", ENTRIES)
def test_it_is_said_once_where_the_key_is(tmp_path: Path, entry: str) -> None:
    line, said = ENTRIES[entry]
    config = f"version: 1\n{entry}documents: [{{paths: [evals/*.json], agent: web}}]\n"
    here = gates.repository(tmp_path, passing(), config=config)

    environ = {"GIVEN": "http://127.0.0.1:9/"}
    ended = commands.inside("run", "--all", cwd=here.path, environ=environ)

    assert ended.code == 2, ended.said
    report = ended.report()
    found = [*report["problems"], *report["warnings"]]
    found += [one for suite in report["suites"] for one in suite["problems"]]
    told = [(one["path"], one["line"]) for one in found if said in one["message"]]
    assert told == [("mergebar.yml", line)]
    assert ended.said.count(said) <= 2  # in the text, and in its headline


def test_the_judges_variable_is_at_its_key(tmp_path: Path) -> None:
    more = "judge:\n  type: openai\n  base_url: http://127.0.0.1:9/v1\n  model: m\n  api_key: ${NOPE}\n"
    here = gates.repository(tmp_path, judged("a"), config=gates.CONFIG + more)

    ended = commands.inside("run", "--all", cwd=here.path)

    (problem,) = ended.report()["problems"] or [
        one for suite in ended.report()["suites"] for one in suite["problems"]
    ]
    assert "the judge needs `NOPE` for `judge.api_key`" in problem["message"]
    lines = (here.path / "mergebar.yml").read_text().splitlines()
    assert lines[problem["line"] - 1] == "  api_key: ${NOPE}"


def test_a_glob_that_matches_nothing_is_told_where_it_stands(tmp_path: Path) -> None:
    config = """\
version: 1
agents:
  web:
    type: command
    command: [python3, agent.py]
    sources:
      - agent.py
      - none/a/**
documents:
  - agent: web
    paths:
      - evals/*.json
      - none/b/*.json
artifacts:
  - paths: [AGENTS.md, none/c.md]
    traces: [none/d/*.jsonl]
    sessions:
      command: [x, "{prompt}"]
      prompts:
        - none/e/*.md
"""
    here = gates.repository(tmp_path, passing(), config=config)
    (here.path / "AGENTS.md").write_text("Be kind.\n")
    ended = commands.inside("check", cwd=here.path)
    told = re.findall(r"mergebar\.yml:(\d+):(\d+): .*?`(none/[^`]+)`", ended.said)
    assert len(told) == 5
    for line, column, glob in told:
        written = config.splitlines()[int(line) - 1][int(column) - 1 :]
        assert written.startswith(glob), (line, column, glob)
