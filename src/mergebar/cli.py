"""The command line: finds a command by name, loads it alone, and turns trouble into exit codes."""

import atexit
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches

from mergebar import __version__
from mergebar.commands import interrupts, streams
from mergebar.errors import ExitCode, StopError
from mergebar.untrusted import terminal

# A command's module is `mergebar.commands.<name>`; the sentence is its line in `--help`.
COMMANDS = {
    "run": "validate, run what is affected, decide, report",
    "check": "validate documents and config only: no agent, no judge, no network, no secret",
    "plan": "what would run, what not, and why, and how many calls it would take",
    "compare": "two reports, and the same difference that the comment shows",
    "report": "draw a report.json as markdown, summary, html, junit, sarif or csv",
    "trace": "what a trace was understood as",
    "publish": "post a finished report to GitHub (second half of the two-workflow pattern)",
    "migrate": "bring legacy eval documents to the current schema (writes with --write)",
    "init": "write a first mergebar.yml and workflow, from what is in the repository",
    "action": "what the container runs: reads INPUT_* and the event; runs, checks or publishes",
}

ISSUES = "https://github.com/mergebar/mergebar/issues"
HELP = """\
usage: mergebar COMMAND [OPTION …]

The bar that a change to an AI agent has to clear before it merges.

commands:
{commands}

options:
  --version   print the version
  --help      print this, or a command's own help: mergebar run --help

example:
  mergebar check evals/
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; `argv` is without the program's name."""
    # Values are trees and hardly ever cycles: looking for those took a third of a large plan.
    gc.set_threshold(50_000, 20, 100)
    _open_closed_streams()
    streams.tolerate()
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        _begin(arguments)
        return _dispatch(arguments)
    except StopError as stop:
        streams.tell(terminal.line(f"mergebar: {stop.message}") + "\n")
        return stop.code
    except KeyboardInterrupt:
        streams.tell("mergebar: interrupted\n")
        return ExitCode.INTERRUPTED
    except Exception:  # noqa: BLE001 - the boundary: whatever arrives here is our bug
        return _bug()
    finally:
        interrupts.PROCESS.hold(interrupts.nothing)


def _open_closed_streams() -> None:
    """Python has `None` for a stream that was closed (`>&-`), and every command writes."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - open to the end


def _dispatch(arguments: list[str]) -> int:
    name = arguments[0] if arguments else "--help"
    if name in {"--version", "-V"}:
        streams.write(f"mergebar {__version__}\n")
        return ExitCode.PASSED
    if name in {"--help", "-h", "help"}:
        streams.write(_help())
        return ExitCode.PASSED if arguments else ExitCode.INVALID
    if name not in COMMANDS:
        raise StopError(_unknown(name))
    command = importlib.import_module(f"mergebar.commands.{name}")
    code: int = command.main(arguments[1:])
    return code


def _begin(arguments: Sequence[str]) -> None:
    """Hear signals. The action's step gets outputs first: loading the rest may be cancelled."""
    # While Python ends, a signal would end it by its number, and no longer with our code.
    atexit.register(interrupts.deafen)
    if arguments != ["action"]:
        interrupts.PROCESS.listen()
        return
    interrupts.PROCESS.listen(interrupts.nothing)
    importlib.import_module("mergebar.commands.github.first_outputs").write(os.environ)
    if interrupts.PROCESS.release():
        raise interrupts.Interruption


def _help() -> str:
    lines = (f"  {name:<8}  {sentence}" for name, sentence in COMMANDS.items())
    return HELP.format(commands="\n".join(lines))


def _unknown(name: str) -> str:
    if name.startswith("-"):
        return f"unknown option `{name}`; options follow the command: mergebar run {name}"
    near = get_close_matches(name, COMMANDS, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else ""
    return f"unknown command `{name}`{hint or ';'} see `mergebar --help`"


def _bug() -> int:
    import traceback  # noqa: PLC0415 - only a bug pays for it

    streams.tell(terminal.lines(traceback.format_exc()))
    streams.tell(
        f"\nmergebar {__version__} (Python {sys.version.split()[0]}): this is a bug in mergebar.\n"
        f"Please report it with the lines above: {ISSUES}\n"
    )
    return ExitCode.BUG
