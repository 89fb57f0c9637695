"""`mergebar trace` as a process: what it prints where, and how it exits."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import traces as t

SECRET = "ghp_" + "a1" * 18


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a session: a prompt, two calls, a sub-agent that isn't there, an answer."""
    t.write(
        tmp_path / "traces" / "run.jsonl",
        t.chained(
            [
                t.said("Deploy it."),
                t.replied(
                    t.call("Skill", "a", skill="deploy"),
                    t.call("Edit", "b", file_path=f"{t.CWD}/price.py"),
                    t.call("Agent", "c", subagent_type="reviewer", prompt="Review."),
                    name="m",
                    usage=t.usage(1000, 234),
                ),
                t.said([t.result("a"), t.result("b", "boom", error=True)]),
                t.replied(t.text(f"Deployed with {SECRET}.\n::error::x")),
            ]
        ),
    )
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-m", "mergebar", "trace", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def told(folder: Path, *arguments: str) -> dict[str, Any]:
    done = run(folder, *arguments, "--format", "json")
    assert done.stderr == ""
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def test_people_see_what_was_understood(folder: Path) -> None:
    done = run(folder, "traces/run.jsonl")

    assert (done.returncode, done.stderr) == (0, "")
    first, *rows = done.stdout.splitlines()
    assert first == "traces/run.jsonl: a Claude Code session"
    shown = dict(row.split(maxsplit=1) for row in rows if not row.startswith("  last"))
    assert shown["turns"] == "1 typed; replies: 2"
    assert shown["tools"] == ("3 calls: Skill 1, Edit 1, Agent 1 (1 failed, 1 with an unknown end)")
    assert shown["files"] == "price.py (edit)"
    assert shown["skills"] == "deploy (tool)"
    assert shown["sub-agents"] == "reviewer (not in the trace)"
    assert shown["tokens"].startswith("1,234 (1,000 in, 234 out)")
    assert "cost" in shown["not"]


def test_programs_get_all_of_it(folder: Path) -> None:
    value = told(folder, "traces/run.jsonl")

    assert (value["format"], value["complete"]) == ("claude-session", True)
    assert value["session"]["cwd"] == t.CWD
    assert value["turns"] == {"typed": 1, "implied": 0, "subagents": 0, "replies": 2}
    assert [(each["name"], each["calls"], each["error"]) for each in value["tools"]] == [
        ("Agent", 1, 0), ("Edit", 1, 1), ("Skill", 1, 0),
    ]  # fmt: skip
    assert value["files"] == [{"path": f"{t.CWD}/price.py", "relative": "price.py", "edit": 1}]
    assert value["records"]["tool_calls"] is True
    assert value["records"]["cost"] is False
    assert value["usage"]["total"] == 1234
    assert value["subagents"] == [
        {
            "type": "reviewer", "started_at_event": 3, "by_branch": 0, "branch": None,
            "events": None,
        }
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_a_trace_says_is_shown_without_secrets_and_steers_nobody(
    folder: Path, form: str
) -> None:
    done = run(folder, "traces/run.jsonl", "--format", form)

    assert "Deployed with ***." in done.stdout
    assert SECRET not in done.stdout
    assert not any(line.lstrip().startswith("::") for line in done.stdout.splitlines())


def test_a_broken_trace_is_shown_with_what_is_wrong_and_where(folder: Path) -> None:
    path = folder / "traces" / "run.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    done = run(folder, "traces/run.jsonl")

    assert done.returncode == 0
    assert done.stdout.startswith("traces/run.jsonl: a Claude Code session, incomplete\n")
    assert "warning: traces/run.jsonl:4: the file ends in the middle of this line" in done.stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b'{"type": "thread.started", "thread_id": "1"}', "this is the output of `codex exec"),
        (b"\x7fELF\x00\x01", "binary"),
        (b"Dear diary", "no line of this is a JSON object"),
        (b'{"a": 1}', "no format that mergebar knows"),
    ],
)
def test_what_is_no_trace_exits_2_with_one_line(folder: Path, content: bytes, words: str) -> None:
    (folder / "odd").write_bytes(content)
    done = run(folder, "odd")

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("mergebar: odd")
    assert words in done.stderr
    refused = told(folder, "odd")
    assert words in refused["problem"]["message"]


def test_a_folder_and_a_missing_file_exit_2(folder: Path) -> None:
    assert "this is a directory" in run(folder, "traces").stderr
    missing = run(folder, "traces/none.jsonl")
    assert (missing.returncode, missing.stderr) == (
        2, "mergebar: traces/none.jsonl: there is no such file\n",
    )  # fmt: skip


def test_help_has_an_example_and_a_wrong_option_exits_2(folder: Path) -> None:
    assert "mergebar trace traces/deploy.jsonl" in run(folder, "--help").stdout
    assert run(folder).returncode == 2
    assert run(folder, "traces/run.jsonl", "--what").returncode == 2


def test_a_hostile_path_steers_no_terminal(folder: Path) -> None:
    done = run(folder, "a\x1b[31m\n::error::b")

    assert "\x1b" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
