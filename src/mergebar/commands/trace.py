"""`mergebar trace`: the path of a trace in, what it was understood as out."""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mergebar import traces
from mergebar.commands import streams, trace_account
from mergebar.commands.option_parser import OptionParser
from mergebar.errors import ExitCode
from mergebar.model.problems import Problem
from mergebar.model.sessions import MAIN, CallStatus, Capability, Session, TokenUsage
from mergebar.model.text import Json
from mergebar.reading.sentences import counted
from mergebar.sessions import paths
from mergebar.untrusted import terminal
from mergebar.untrusted.redaction import Redactor

EXAMPLE = """\
examples:
  mergebar trace traces/deploy.jsonl
  mergebar trace traces/deploy.jsonl --format json

exit codes: 0 it could be read, if only in part; 2 it couldn't
"""
_MOST_NAMES = 8
_WORDS = 200
_ENDINGS = (
    (CallStatus.ERROR, "failed"),
    (CallStatus.DENIED, "denied"),
    (CallStatus.CANCELLED, "cancelled"),
    (CallStatus.UNKNOWN, "with an unknown end"),
)


def main(argv: list[str]) -> int:
    """Print what was understood; return 0, or 2 where the file is no trace that can be read."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed its help, or what is wrong
        return ExitCode.INVALID if stop.code else ExitCode.PASSED
    path = Path(arguments.file)
    session = traces.read(path)
    as_json = arguments.format == "json"
    if isinstance(session, Problem):
        if as_json:
            streams.deliver(
                _json({"path": session.path, "problem": trace_account.problem(session)})
            )
        else:
            streams.tell(terminal.line(f"mergebar: {_placed(session)}") + "\n")
        return ExitCode.INVALID
    last = _last_words(session, path)
    if as_json:
        streams.deliver(_json(trace_account.account(session, last)))
    else:
        text = "".join(f"{line}\n" for line in _lines(session, last))
        streams.write(Redactor().redact(text))
    return ExitCode.PASSED


def _parser() -> argparse.ArgumentParser:
    parser = OptionParser(
        prog="mergebar trace",
        description="What the file of a recorded session was understood as.",
        epilog=EXAMPLE,
    )
    parser.add_argument("file", metavar="FILE", help="the trace; what its name ends in is ignored")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    return parser


def _json(value: Json) -> str:
    clean = Redactor().redact_json(value)
    return terminal.json_text(json.dumps(clean, ensure_ascii=False, indent=2)) + "\n"


def _last_words(session: Session, path: Path) -> str | None:
    if session.final_message is None:
        return None
    with traces.FileContents(session, path) as contents:
        # Before it is cut: half a secret isn't found any more.
        return Redactor().redact(contents.text(session.final_message))


def _lines(session: Session, last: str | None) -> Iterator[str]:
    state = "" if session.complete else ", incomplete"
    yield terminal.line(f"{session.path}: {session.title}{state}")
    rows = (
        ("session", _identity(session)),
        ("folder", _folder(session)),
        ("turns", _turns(session)),
        ("tools", _tools(session)),
        ("files", _files(session)),
        ("skills", _listed(f"{use.name} ({use.how.value})" for use in session.skills)),
        ("sub-agents", _subagents(session)),
        ("on offer", _offered(session)),
        ("tokens", _tokens(session.usage)),
        ("", f"sub-agents: {_tokens(session.subagent_usage)}" if session.subagent_usage else ""),
        ("ended", session.end_reason or ("with an error" if session.is_error else "")),
        ("last words", terminal.line(last or "", limit=_WORDS)),
        ("not here", ", ".join(e.value for e in Capability if e not in session.capabilities)),
    )
    for name, text in rows:
        if text:
            yield f"  {name:<10}  {terminal.line(text)}"
    for note in session.notes:
        yield terminal.line(f"{note.level}: {_placed(note)}")


def _placed(problem: Problem) -> str:
    places = (problem.path, problem.line, problem.column)
    place = ":".join(str(each) for each in places if each is not None)
    return f"{place}: {problem.message}" if place else problem.message


def _identity(session: Session) -> str:
    parts = [session.session_id or "", session.tool_version or "", *session.models]
    if session.started_at:
        parts.append(f"{session.started_at} – {session.ended_at}")
    return ", ".join(filter(None, parts))


def _folder(session: Session) -> str:
    branch = f" on {session.git_branch}" if session.git_branch else ""
    return f"{session.cwd}{branch}" if session.cwd else ""


def _turns(session: Session) -> str:
    branches = session.events.column("branch")
    main = sum(branches[event] == MAIN for event in session.turns)
    implied = f" and {session.implied_turns} whose prompt isn't here" * bool(session.implied_turns)
    replies = "" if session.api_turns is None else f"; replies: {session.api_turns:,}"
    return f"{main:,} typed{implied}{replies}"


def _tools(session: Session) -> str:
    counts = Counter(call.name for call in session.calls)
    ended = Counter(call.status for call in session.calls)
    bad = ", ".join(f"{ended[status]:,} {word}" for status, word in _ENDINGS if ended[status])
    names = _listed(f"{name} {count:,}" for name, count in counts.most_common())
    if not names:
        return ""
    return f"{counted(len(session.calls), 'call')}: {names}" + (f" ({bad})" if bad else "")


def _files(session: Session) -> str:
    found: dict[str, list[str]] = {}
    for operation in session.files:
        actions = found.setdefault(operation.path, [])
        if operation.action.value not in actions:
            actions.append(operation.action.value)
    return _listed(
        f"{paths.relative(path, session.cwd) or path} ({', '.join(actions)})"
        for path, actions in found.items()
    )


def _subagents(session: Session) -> str:
    counts = Counter(session.events.column("branch"))
    return _listed(
        f"{spawn.agent_type or 'unnamed'} "
        + (
            "(not in the trace)"
            if spawn.child is None
            else f"({counted(counts[spawn.child], 'event')})"
        )
        for spawn in session.spawns
    )


def _offered(session: Session) -> str:
    counts = Counter(offer.kind.value for offer in session.roster.offers)
    return ", ".join(counted(count, kind) for kind, count in sorted(counts.items()))


def _tokens(usage: TokenUsage | None) -> str:
    if usage is None:
        return ""
    cost = "" if usage.cost_usd is None else f"; {usage.cost_usd:.4f} USD"
    return (
        f"{usage.total:,} ({usage.input_tokens:,} in, {usage.output_tokens:,} out), "
        f"cache {usage.cache_read_tokens:,} read, {usage.cache_write_tokens:,} written{cost}"
    )


def _listed(names: Iterator[str]) -> str:
    known = list(names)
    more = f" and {len(known) - _MOST_NAMES:,} more" if len(known) > _MOST_NAMES else ""
    return ", ".join(known[:_MOST_NAMES]) + more
