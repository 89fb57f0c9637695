"""The options that choose what runs: a parser with them out, and what they ask for."""

import argparse

from mergebar.commands.runs.invocations import Invocation
from mergebar.model.changes import Scope

_MOST_RUNS = 100


def add_to(made: argparse.ArgumentParser) -> None:
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
    scope = Scope.ALL if parsed.all else Scope.AFFECTED if parsed.affected else Scope.AUTO
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


def _runs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_RUNS:
        message = f"`{text}` is no number of runs: give one from 1 to {_MOST_RUNS}"
        raise argparse.ArgumentTypeError(message)
    return int(text)
