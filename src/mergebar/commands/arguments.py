"""What the commands' options share: parsers, and the width and colours of a terminal."""

import argparse
import os
import shutil
import sys
from collections.abc import Mapping

from mergebar.commands.option_parser import OptionParser
from mergebar.errors import ExitCode


def parser(command: str, description: str, epilog: str) -> argparse.ArgumentParser:
    """A parser that shows its examples as they are written and takes no abbreviations."""
    return OptionParser(prog=f"mergebar {command}", description=description, epilog=epilog)


def parse(made: argparse.ArgumentParser, argv: list[str]) -> argparse.Namespace | int:
    """The arguments; or the exit code, once argparse has printed its help or what is wrong."""
    try:
        return made.parse_args(argv)
    except SystemExit as stop:
        return ExitCode.INVALID if stop.code else ExitCode.PASSED


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
