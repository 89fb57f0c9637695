"""The command line itself: finding commands, and what becomes of output that nobody takes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mergebar import __version__, cli
from mergebar.commands import streams
from support import commands, gates
from support.gates import failing, passing

ARGV = [sys.executable, "-I", "-m", "mergebar"]


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"mergebar {__version__}\n"


def test_help_lists_every_command_and_each_has_its_own_with_an_example(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["--help"]) == 0
    text = capsys.readouterr().out

    for name, sentence in cli.COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(sentence)}$", text, re.MULTILINE)
    for name in ("run", "check", "plan"):
        assert cli.main([name, "--help"]) == 0
        assert f"  mergebar {name} " in capsys.readouterr().out.partition("examples:")[2]


def test_no_command_is_an_error_that_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    assert "commands:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("rum", "unknown command `rum`; did you mean `run`?"),
        ("frobnicate", "unknown command `frobnicate`; see `mergebar --help`"),
        ("--all", "unknown option `--all`; options follow the command: mergebar run --all"),
        ("x\n::error::forged", "unknown command"),
    ],
)
def test_what_is_no_command_is_named_with_what_to_do(
    argument: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([argument]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert not [line for line in captured.err.splitlines() if line.startswith("::")]


@pytest.mark.parametrize("command", ["run", "plan", "check", "action"])
def test_a_working_directory_that_is_gone_is_said(tmp_path: Path, command: str) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -I -m mergebar {command}"

    done = subprocess.run(
        ["sh", "-c", script],
        env=commands.environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2, done.stderr
    assert "the working directory doesn't exist any more" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_changes_no_exit_code(tmp_path: Path) -> None:
    gates.repository(tmp_path, *(failing(f"answer {number}") for number in range(3)))
    reading, writing = os.pipe()
    os.close(reading)

    def run(*arguments: str, stderr: int = subprocess.PIPE) -> tuple[int, bytes | None]:
        done = subprocess.run(
            [*ARGV, *arguments],
            cwd=tmp_path,
            env=commands.environment(),
            stdout=writing,
            stderr=stderr,
            check=False,
        )
        return done.returncode, done.stderr

    assert run("run", "--format", "json") == (1, b"")
    assert run("run", stderr=subprocess.STDOUT) == (1, None)
    assert run("plan") == (0, b"")
    assert run("check", "x.json") == (2, b"")
    assert run("run", "--output", "evals", stderr=subprocess.STDOUT) == (2, None)
    os.close(writing)


@pytest.mark.parametrize("arguments", [["plan"], ["check"]])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_results_that_stand_nowhere_else_and_cannot_be_delivered_are_no_success(
    tmp_path: Path, arguments: list[str]
) -> None:
    gates.repository(tmp_path, passing())

    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*ARGV, *arguments],
            cwd=tmp_path,
            env=commands.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr.decode() == (
        "mergebar: can't write the results to stdout: No space left on device\n"
    )


def test_closed_streams_are_taken_for_nobody_listening(tmp_path: Path) -> None:
    gates.repository(tmp_path, passing())
    script = f"{sys.executable} -I -m mergebar run >&- 2>&-; echo $?"

    done = subprocess.run(
        [shutil.which("sh") or "sh", "-c", script],
        cwd=tmp_path,
        env=commands.environment(),
        capture_output=True,
        check=False,
    )

    assert (done.stdout, done.stderr) == (b"0\n", b"")
    commands.report(tmp_path / ".mergebar/report.json")


def test_what_is_written_is_flushed_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    streams.write("one\n")
    streams.write("two\n")
    assert capsys.readouterr().out == "one\ntwo\n"
