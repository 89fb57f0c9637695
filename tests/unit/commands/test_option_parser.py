"""What a mistyped command line is told, by every command but the container's, which takes none."""

import importlib

import pytest

from mergebar.cli import COMMANDS
from mergebar.errors import ExitCode


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"action"}))
def test_an_unknown_option_is_named_in_one_line(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["a.json", "b.json"] if command == "compare" else ["a.json"]
    given = [] if command in {"init", "publish"} else given
    code = importlib.import_module(f"mergebar.commands.{command}").main([*given, "--hlep"])
    assert code == ExitCode.INVALID
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        f"mergebar {command}: unknown option `--hlep`; did you mean `--help`? "
        f"see `mergebar {command} --help`"
    )


def test_an_argument_too_many_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code = importlib.import_module("mergebar.commands.compare").main(["a", "b", "c"])
    assert code == ExitCode.INVALID
    assert "one argument too many: `c`" in capsys.readouterr().err
