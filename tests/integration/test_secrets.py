"""A key that an agent got hold of, whatever it does with it: in nothing that a run leaves."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from mergebar.commands.runs.drawings import Drawings
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


HEADER = '[http "https://github.com/"]\n\textraheader = AUTHORIZATION: basic eC1hY2Nlc3M6\n'
ADDRESS = '[remote "origin"]\n\turl = https://x-access-token:abcdefgh123@github.com/a/b\n'
MADE_FOR = 'includeIf "gitdir:/github/workspace/.git"'


def _quoted(text: str) -> str:
    return f'[{MADE_FOR}] path = "{text}" ; of this job\n'


def _in_sections(text: str) -> str:
    return f"[core]\n\tbare = false\n[include]\n  # x\n  path = {text}\n"


WRITTEN: dict[str, tuple[dict[str, str], str]] = {
    "a header": ({".git/config": HEADER}, "`.git/config`"),
    "a header in one line": (
        {".git/config": '[http "https://x/"] ExtraHeader = A: b\n'}, "`.git/config`",
    ),
    "an address": ({".git/config": ADDRESS}, "`.git/config`"),
    "a push address": (
        {".git/config": ADDRESS.replace("url", "pushurl")}, "`.git/config`",
    ),
    "of a worktree": ({".git/config.worktree": HEADER}, "`.git/config`"),
    "of a submodule": ({".git/modules/part/config": HEADER}, "`.git/config`"),
    "included": (
        {".git/config": _in_sections("more"), ".git/more": HEADER}, "`.git/config` includes",
    ),
    "included for a folder": (
        {".git/config": _quoted("../../kept.config"), "../kept.config": HEADER},
        "`.git/config` includes",
    ),
    "included from home": (
        {".git/config": _quoted("~/kept.config"), "../home/kept.config": HEADER},
        "`.git/config` includes",
    ),
    "included by what is included": (
        {".git/config": _in_sections("a"), ".git/a": _quoted("b"), ".git/b": ADDRESS},
        "`.git/config` includes",
    ),
    "behind a loop": (
        {".git/config": _in_sections("a"), ".git/a": _quoted("config") + _quoted("a") + _quoted("b"),
         ".git/b": HEADER},
        "`.git/config` includes",
    ),
    "a newer checkout's": (
        {".git/config": _quoted("{temp}/git-credentials-1.config"),
         "../temp/git-credentials-1.config": HEADER},
        "`git-credentials-*.config` in the runner's temporary folder",
    ),
    "a newer checkout's, by the runner's own path": (
        {".git/config": _quoted("/home/nobody/git-credentials-1.config"),
         "../temp/git-credentials-1.config": HEADER},
        "`git-credentials-*.config` in the runner's temporary folder",
    ),
    "both": (
        {".git/config": HEADER, "../temp/git-credentials-1.config": HEADER},
        "`.git/config` and in `git-credentials-*.config`",
    ),
    "an address without": ({".git/config": '[remote "origin"]\n\turl = https://x/a\n'}, ""),
    "an address of ssh": ({".git/config": '[remote "origin"]\n\turl = git@x:a/b\n'}, ""),
    "a path that includes nothing": (
        {".git/config": '[submodule "x"]\n\tpath = more\n', ".git/more": HEADER}, "",
    ),
    "included and gone": ({".git/config": _in_sections("more")}, ""),
    "another program's file": ({"../temp/credentials.config": HEADER}, ""),
    "credentials that are none": ({"../temp/git-credentials-1.config": "[core]\n"}, ""),
    "without end": ({".git/config": _in_sections("config/" * 9) * 5000}, ""),
}  # fmt: skip


def _place(tmp_path: Path, files: Mapping[str, str]) -> tuple[Path, dict[str, str]]:
    here = repositories.start(tmp_path / "work")
    environ = {"RUNNER_TEMP": str(tmp_path / "temp"), "HOME": str(tmp_path / "home")}
    for name in ("temp", "home"):
        (tmp_path / name).mkdir()
    for name, text in files.items():
        file = here.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("{temp}", environ["RUNNER_TEMP"]))
    return here.path, environ


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_token_that_a_checkout_left_is_told_with_what_to_do(tmp_path: Path, kind: str) -> None:
    files, where = WRITTEN[kind]
    top, environ = _place(tmp_path, files)

    said = left_tokens.warning(top, environ)
    assert (said is not None) is bool(where)
    if said is not None:
        assert where in said
        assert "`persist-credentials: false`" in said
    assert left_tokens.warning(tmp_path / "nowhere", {}) is None


@pytest.mark.parametrize("what", ["pipe", "folder", "link to itself", "device", "no text"])
def test_what_stands_in_place_of_a_configuration_holds_nothing_up(
    tmp_path: Path, what: str
) -> None:
    top, environ = _place(tmp_path, {".git/config": _in_sections("odd"), ".git/more": HEADER})
    for odd in (top / ".git/odd", tmp_path / "temp/git-credentials-1.config"):
        match what:
            case "pipe":
                os.mkfifo(odd)
            case "folder":
                odd.mkdir()
            case "device":
                odd.symlink_to("/dev/zero")
            case "no text":
                odd.write_bytes(b"\xff\0" * 1000)
            case _:
                odd.symlink_to(odd.name)

    assert left_tokens.warning(top, environ) is None
    with (top / ".git/config").open("a") as file:
        file.write(_quoted("more"))
    assert left_tokens.warning(top, environ) is not None
    assert (top / ".git/more").read_text() == HEADER
