"""What the commands' options share: parsers, selection, the width and colours of a terminal."""

import argparse
import os
import shutil
import sys
from collections.abc import Mapping

from mergebar.commands.runs.assembling import Invocation
from mergebar.errors import ExitCode

_MOST_RUNS = 100


def parser(command: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """A parser that shows its examples as they are written and takes no abbreviations."""
    return argparse.ArgumentParser(
        prog=f"mergebar {command}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def parse(made: argparse.ArgumentParser, argv: list[str]) -> argparse.Namespace | int:
    """The arguments; or the exit code, once argparse has printed its help or what is wrong."""
    try:
        return made.parse_args(argv)
    except SystemExit as stop:
        return ExitCode.INVALID if stop.code else ExitCode.PASSED


def add_selection(made: argparse.ArgumentParser) -> None:
    """The options that choose what runs."""
    made.add_argument("paths", nargs="*", metavar="PATH", help="only these suites, or folders")
    made.add_argument("--config", metavar="FILE", help="instead of the mergebar.yml found here")
    made.add_argument("--base", metavar="REF", help="compare with where this branch left REF")
    made.add_argument(
        "--changed", nargs="+", metavar="FILE", help="what changed, instead of asking git"
    )
    scope = made.add_mutually_exclusive_group()
    scope.add_argument("--all", action="store_true", help="every suite, affected or not")
    scope.add_argument(
        "--affected",
        action="store_true",
        help="only what the change affects (default when a base is known)",
    )
    made.add_argument("--agent", metavar="NAME", help="only the suites of this agent")
    made.add_argument(
        "--tag", action="append", default=[], metavar="TAG", help="only cases with this tag"
    )
    made.add_argument("--runs", type=_runs, metavar="N", help="put each case N times")
    made.add_argument("--no-judge", action="store_true", help="skip what needs the judge")
    made.add_argument(
        "--baseline", metavar="FILE", help="compare with this report.json, and carry from it"
    )


def invocation(parsed: argparse.Namespace) -> Invocation:
    """The selection that the options make."""
    scope = "all" if parsed.all else "affected" if parsed.affected else "auto"
    return Invocation(
        paths=tuple(parsed.paths),
        config=parsed.config,
        scope=scope,
        changed=None if parsed.changed is None else tuple(parsed.changed),
        base=parsed.base,
        agent=parsed.agent,
        tags=tuple(parsed.tag),
        runs=parsed.runs,
        judge=not parsed.no_judge,
        baseline=parsed.baseline,
    )


def width() -> int:
    """Columns of the terminal; 100 where there is none."""
    return min(shutil.get_terminal_size((100, 24)).columns, 120)


def coloured(environ: Mapping[str, str]) -> bool:
    """Colour only for a person at a terminal who didn't decline it."""
    declined = any(environ.get(name) for name in ("NO_COLOR", "CI"))
    return sys.stdout.isatty() and not declined and environ.get("TERM") != "dumb"


def shown(path: str | os.PathLike[str]) -> str:
    """A path as the person at the terminal would type it."""
    return os.path.relpath(path)


def _runs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_RUNS:
        message = f"`{text}` is no number of runs: give one from 1 to {_MOST_RUNS}"
        raise argparse.ArgumentTypeError(message)
    return int(text)
