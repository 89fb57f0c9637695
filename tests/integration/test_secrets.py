"""A key that an agent got hold of, whatever it does with it: in nothing that a run leaves."""

from pathlib import Path

import pytest

from mergebar.commands.drawings import Drawings
from mergebar.edge import left_tokens, output_files
from support import commands, gates, judge_server, repositories
from support.gates import judged, passing
from support.judge_server import JudgeServer

KEY = "k3y/of=an-endpoint+0123456789"
AGENT = f"""\
import json, sys
sys.stdin.readline()
key = {KEY!r}
print(json.dumps({{
    "response": key, "conversation_id": key, "diagnostics": {{key: [key]}},
    "citations": [{{"index": 1, "text": key, "source": key}}], "tool_calls": [{{"key": key}}],
}}))
"""
SECRETS = (
    "GITHUB_TOKEN", "INPUT_GITHUB-TOKEN", "INPUT_GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "SOME_API_KEY", "DEPLOY_PASSWORD", "NPM_TOKEN",
)  # fmt: skip


def left(ended: commands.Ended) -> str:
    """All that was printed and written."""
    written = [
        path.read_text(encoding="utf-8", errors="replace")
        for path in (ended.folder / ".mergebar").rglob("*")
        if path.is_file()
    ]
    assert written
    return "\n".join([ended.stdout, ended.stderr, *written])


@pytest.mark.parametrize("name", SECRETS)
def test_what_the_environment_calls_a_secret_is_in_no_output(tmp_path: Path, name: str) -> None:
    here = gates.repository(tmp_path, passing(), **{"agent.py": AGENT})

    ended = commands.inside("run", "--all", "--record", cwd=here.path, environ={name: KEY})

    everything = left(ended)
    assert "***" in everything
    assert "of=an-endpoint" not in everything


def test_what_is_recorded_without_a_secret_is_replayed(tmp_path: Path) -> None:
    with JudgeServer([judge_server.verdict(5, f"it says {KEY}")]) as server:
        config = gates.CONFIG + gates.judge(server.base_url)
        here = gates.repository(tmp_path, judged("a"), config=config, **{"agent.py": AGENT})
        environ = {"JUDGE_KEY": KEY}
        ended = commands.inside("run", "--all", "--record", cwd=here.path, environ=environ)

    assert ended.code == 0, ended.said
    assert "of=an-endpoint" not in left(ended)
    again = commands.inside("run", "--all", "--replay", cwd=here.path)
    assert again.code == 0, again.said


def test_a_bug_in_a_drawing_leaves_the_report(tmp_path: Path) -> None:
    def fails() -> bytes:
        raise ZeroDivisionError

    drawings = Drawings({"report.json": lambda: b"{}", "comment.md": fails, "z": lambda: b""})

    with pytest.raises(ZeroDivisionError):
        output_files.write(tmp_path, drawings)

    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize(
    ("key", "value", "is_told"),
    [
        ("http.https://github.com/.extraheader", "AUTHORIZATION: basic eC1hY2Nlc3M6", True),
        ("remote.origin.url", "https://x-access-token:abcdefgh123@github.com/a/b", True),
        ("remote.origin.url", "https://github.com/a/b", False),
        ("remote.origin.url", "git@github.com:a/b", False),
    ],
)
def test_a_token_that_a_checkout_left_is_told(
    tmp_path: Path, key: str, value: str, *, is_told: bool
) -> None:
    here = repositories.start(tmp_path)
    here.git("config", "--local", key, value)

    assert (left_tokens.warning(here.path) is not None) is is_told
    assert left_tokens.warning(tmp_path / "nowhere") is None
