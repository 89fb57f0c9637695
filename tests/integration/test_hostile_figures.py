"""Figures that no report needs, and outputs that can't show a dash: the decision is there anyway."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mergebar.model.problems import Problem
from mergebar.report import json_report
from support import commands, gates
from support.gates import passing

WEIGHTS = ["1e308", "1" + "0" * 18]
FIGURES = {
    "cost": '{"response": "a", "usage": {"cost_usd": 1e308}}',
    "tokens": '{"response": "a", "usage": {"input_tokens": ' + "9" * 300 + "}}",
    "many digits": '{"response": "a", "usage": {"input_tokens": ' + "9" * 400 + "}}",
    "index": '{"response": "a", "citations": [{"index": ' + "9" * 300 + "}]}",
    "diagnostics": '{"response": "a", "diagnostics": {"n": ' + "9" * 400 + "}}",
}
FORGED = ("1e30", "1e400", "-1e400", "1e308 as written", "-1e308 as written")


@pytest.mark.parametrize("weight", WEIGHTS)
def test_a_weight_beyond_all_bounds_is_said_by_check(tmp_path: Path, weight: str) -> None:
    case = json.loads(json.dumps(passing()))
    case["extensions"] = {"io.github.mergebar": {"weight": 1}}
    text = gates.document(case).replace('"weight": 1', f'"weight": {weight}')
    assert weight in text
    here = gates.repository(tmp_path, passing(), **{"evals/heavy.json": text})

    ended = commands.inside("check", cwd=here.path)

    assert ended.code == 2
    assert "at most 1,000,000,000" in ended.said


def test_a_rule_may_not_weigh_everything_either(tmp_path: Path) -> None:
    config = f"{gates.CONFIG}\nrules:\n  - match: {{}}\n    weight: 1.0e+308\n"
    here = gates.repository(tmp_path, passing(), config=config)

    ended = commands.inside("check", cwd=here.path)

    assert ended.code == 2
    assert "scale the weights down" in ended.said


@pytest.mark.parametrize("name", FIGURES)
def test_what_an_agent_claims_beyond_all_bounds_is_a_bad_response(
    tmp_path: Path, name: str
) -> None:
    agent = f"import sys\nsys.stdin.readline()\nprint({FIGURES[name]!r})\n"
    here = gates.repository(tmp_path, passing(), **{"agent.py": agent})

    ended = commands.inside("run", "--all", cwd=here.path)

    assert ended.code == 3, ended.said
    assert {one["error"]["class"] for one in ended.report()["checks"]} == {"bad-response"}
    for path in commands.documents(here.path / ".mergebar"):
        assert commands.inside("check", f".mergebar/documents/{path}", cwd=here.path).code == 0


def test_an_output_without_dashes_shows_the_decision(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing("Größe 日本 — …"))

    for arguments in (
        ["run", "--all"],
        ["run", "--all", "--format", "markdown"],
        ["check"],
        ["plan"],
    ):
        ended = commands.inside(*arguments, cwd=here.path, encoding="ascii")
        assert ended.code == 0, ended.said
    for command in ("run", "check", "plan", "action", "publish", "report", "compare", "trace"):
        assert commands.inside(command, "--help", cwd=here.path, encoding="ascii").code == 0


def test_a_terminal_that_python_takes_for_ascii_shows_the_decision(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing("Größe 日本 — …"))

    done = subprocess.run(
        [sys.executable, "-m", "mergebar", "run", "--all"],
        cwd=here.path,
        env={**commands.environment(), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert b"passed: 1 check measured" in done.stdout


def _numbers(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [one for key, child in value.items() for one in _numbers(child, (*path, key))]
    if isinstance(value, list):
        return [one for at, child in enumerate(value) for one in _numbers(child, (*path, at))]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return [path] if is_number else []


@pytest.mark.parametrize("figure", [10**30, 10**400, -(10**400), 1e308, -1e308], ids=FORGED)
def test_no_figure_of_a_forged_report_is_beyond_bounds(tmp_path: Path, figure: float) -> None:
    here = gates.repository(tmp_path, passing())
    report = commands.inside("run", "--all", cwd=here.path).report()
    report["usage"] |= {"input_tokens": 1, "output_tokens": 1, "cost_usd": 1}

    for *parents, last in _numbers(report):
        forged = json.loads(json.dumps(report))
        holder = forged
        for step in parents:
            holder = holder[step]
        holder[last] = figure
        read = json_report.load(json.dumps(forged).encode())
        assert isinstance(read, Problem), (*parents, last)
