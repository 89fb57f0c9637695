"""Repositories with artifacts, and sessions that were recorded or are run: what a gate says."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any

from support import repositories, traces
from support.repositories import Repository
from support.traces import Record

SKILL = ".claude/skills/mend/SKILL.md"
OTHER = ".claude/skills/paint/SKILL.md"

CONFIG = """\
version: 1
documents: []
artifacts:
  - paths: [.claude/skills/**/SKILL.md]
    traces: [traces/**/*.jsonl]
"""

READS = "- {id: reads, grader: file-access, options: {path: pipes.txt, op: read}}"
QUIET = "- {id: quiet, grader: tool-usage, options: {tool: Bash, expect: not-used}}"
ASKED = "- {id: kind, assertion: The agent was kind.}"
SEEN = "- {id: looked-at, grader: human, assertion: The answer reads well.}"


def skill(*evals: str, name: str = "mend", body: str = "Mend the leak.\n") -> str:
    """A skill that declares these evals."""
    declared = f"metadata:\n  evals:\n{indent(chr(10).join(evals), '    ')}\n" if evals else ""
    return f"---\nname: {name}\ndescription: Mends.\n{declared}---\n{body}"


def session(name: str = "mend", *, runs: bool = False) -> list[Record]:
    """A session that uses a skill, reads a file, and maybe runs something."""
    more = [
        traces.replied(traces.call("Bash", "t3", command="ls")),
        traces.said([traces.result("t3")]),
    ]
    return traces.chained([
        traces.said("Please mend the leak."),
        traces.replied(traces.call("Skill", "t1", skill=name)),
        traces.said([traces.result("t1")]),
        traces.replied(traces.call("Read", "t2", file_path=f"{traces.CWD}/pipes.txt")),
        traces.said([traces.result("t2")]),
        *(more if runs else []),
        traces.replied(traces.text("It is dry now.")),
    ])  # fmt: skip


def recorded(records: Iterable[Mapping[str, object]]) -> str:
    return traces.lines(records).decode()


def repository(
    tmp_path: Path,
    files: Mapping[str, str],
    *,
    config: str = CONFIG,
) -> Repository:
    """A repository with these files in its first commit."""
    return repositories.start(
        tmp_path / "repository", {".gitignore": ".mergebar/\n", "mergebar.yml": config, **files}
    )


def checks(report: Mapping[str, Any]) -> dict[str, str]:
    """The outcome by `case::name`; what was skipped says how."""
    return {
        f"{one['case']}::{one['name']}": one["skip"] or one["outcome"] for one in report["checks"]
    }


def outcome(report: Mapping[str, Any]) -> str:
    found: str = report["decision"]["outcome"]
    return found


AGENT = r"""
import json, os, sys

prompt = sys.argv[1]
stream = {"session_id": "s1", "parent_tool_use_id": None}


def say(**record):
    print(json.dumps({**stream, **record}))


def use(name, key, **arguments):
    block = {"type": "tool_use", "id": key, "name": name, "input": arguments}
    say(type="assistant", message={"role": "assistant", "id": key, "model": "m", "content": [block]})
    done = {"type": "tool_result", "tool_use_id": key, "content": "done"}
    say(type="user", message={"role": "user", "content": [done]})


say(type="system", subtype="init", cwd=os.getcwd(), tools=["Read"], model="m",
    claude_code_version="2.1.0", skills=["mend"], agents=[], slash_commands=[])
use("Skill", "t1", skill="mend")
use("Read", "t2", file_path=os.path.join(os.getcwd(), "pipes.txt"))
for verb in prompt.split("; "):
    EXECUTE
say(type="result", subtype="success", is_error=False, num_turns=1, result="Dry.",
    total_cost_usd=0.25, usage={"input_tokens": 10, "output_tokens": 5})
"""


def agent(execute: str = "pass") -> str:
    """A program that behaves like a host: it prints stream-json. `execute` sees each `verb`."""
    return AGENT.replace("EXECUTE", execute)


def running(*more: str) -> str:
    """A configuration whose sessions are run."""
    return (
        "version: 1\n"
        "documents: []\n"
        "artifacts:\n"
        "  - paths: [.claude/skills/**/SKILL.md]\n"
        "    sessions:\n"
        f'      command: ["{sys.executable}", agent.py, "{{prompt}}", "{{workdir}}"]\n'
        "      prompts: [sessions/*.md]\n" + "".join(f"      {line}\n" for line in more)
    )
