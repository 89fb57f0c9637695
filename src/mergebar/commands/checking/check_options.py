"""The options of `mergebar check`: nothing in, a parser out."""

import argparse

from mergebar.commands.option_parser import OptionParser
from mergebar.reading.sentences import either, quoted

DESCRIPTION = """\
Validate eval documents, artifacts and mergebar.yml: no agent, no judge, no network, no secret.

Without PATH: the suites that mergebar.yml names, else those at the usual places.
A folder means every suite below it; a named file is taken at its word.
"""
EXAMPLE = """\
examples:
  mergebar check
  mergebar check evals/ --strict
  mergebar check evals/hr.json --format json

exit codes: 0 no errors, 2 errors
"""
FORMATS = ("text", "json", "github", "sarif")


def parser() -> argparse.ArgumentParser:
    """What a command line may say."""
    made = OptionParser(prog="mergebar check", description=DESCRIPTION, epilog=EXAMPLE)
    made.add_argument("paths", nargs="*", metavar="PATH", help="suites, or folders of them")
    made.add_argument("--config", metavar="FILE", help="instead of the mergebar.yml found here")
    made.add_argument(
        "--format", type=_format, default="text", metavar="|".join(FORMATS), help="text by default"
    )
    made.add_argument("--strict", action="store_true", help="warnings are errors")
    return made


def _format(name: str) -> str:
    if name in FORMATS:
        return name
    message = f"{quoted(name)} is unknown: choose {either(FORMATS)}"
    raise argparse.ArgumentTypeError(message)
