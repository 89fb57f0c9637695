"""A session and the words of its last message in, all that `mergebar trace` tells as JSON out."""

from collections import Counter
from collections.abc import Iterable

from mergebar.model.problems import Problem
from mergebar.model.sessions import MAIN, Capability, Roster, Session, TokenUsage, ToolCall
from mergebar.model.text import Json
from mergebar.sessions import paths

_STATUSES = ("ok", "error", "denied", "cancelled", "unknown")


def account(session: Session, final_message: str | None) -> dict[str, Json]:
    """Everything that was understood; names and paths as recorded, untrusted."""
    return {
        "path": session.path,
        "format": session.format,
        "title": session.title,
        "complete": session.complete,
        "fragment": session.fragment,
        "sources": list(session.sources),
        "session": {
            "id": session.session_id,
            "cwd": session.cwd,
            "git_branch": session.git_branch,
            "tool_version": session.tool_version,
            "models": list(session.models),
            "started_at": session.started_at,
            "ended_at": session.ended_at,
            "is_error": session.is_error,
            "end_reason": session.end_reason,
        },
        "records": {each.name.lower(): each in session.capabilities for each in Capability},
        "events": _count(event.kind.value for event in session.events),
        "turns": _turns(session),
        "tools": _tools(session),
        "files": _files(session),
        "skills": _skills(session),
        "subagents": _subagents(session),
        "offered": _offered(session.roster),
        "usage": _usage(session.usage),
        "subagent_usage": _usage(session.subagent_usage),
        "final_message": final_message,
        "structured_output": session.structured_output is not None,
        "notes": [problem(each) for each in session.notes],
    }


def problem(found: Problem) -> Json:
    """A problem as `check` prints it."""
    return {
        "level": found.level.value,
        "rule": found.rule,
        "message": found.message,
        "path": found.path,
        "line": found.line,
        "column": found.column,
    }


def _count(values: Iterable[str]) -> dict[str, Json]:
    return dict(sorted(Counter(values).items()))


def _turns(session: Session) -> Json:
    branches = session.events.column("branch")
    main = sum(branches[event] == MAIN for event in session.turns)
    return {
        "typed": main,
        "implied": session.implied_turns,
        "subagents": len(session.turns) - main,
        "replies": session.api_turns,
    }


def _tools(session: Session) -> Json:
    calls: dict[str, list[ToolCall]] = {}
    for call in session.calls:
        calls.setdefault(call.name, []).append(call)
    return [_tool(name, each) for name, each in sorted(calls.items())]


def _tool(name: str, calls: list[ToolCall]) -> Json:
    counted = Counter(call.status.value for call in calls)
    return {
        "name": name,
        "canonical": calls[0].canonical,
        "calls": len(calls),
        "by_subagents": sum(call.branch != MAIN for call in calls),
        **{status: counted[status] for status in _STATUSES},
    }


def _files(session: Session) -> Json:
    actions: dict[str, Counter[str]] = {}
    for operation in session.files:
        actions.setdefault(operation.path, Counter())[operation.action.value] += 1
    return [
        {"path": path, "relative": paths.relative(path, session.cwd), **counted}
        for path, counted in actions.items()
    ]


def _skills(session: Session) -> Json:
    return [
        {"name": use.name, "how": use.how.value, "event": use.event, "branch": use.branch}
        for use in session.skills
    ]


def _subagents(session: Session) -> Json:
    counted = Counter(session.events.column("branch"))
    started: list[Json] = [
        {
            "type": spawn.agent_type,
            "started_at_event": spawn.event,
            "by_branch": spawn.branch,
            "branch": spawn.child,
            "events": counted[spawn.child] if spawn.child is not None else None,
        }
        for spawn in session.spawns
    ]
    known = {spawn.child for spawn in session.spawns}
    lost: list[Json] = [
        {
            "type": branch.agent_type,
            "started_at_event": None,
            "by_branch": None,
            "branch": branch.number,
            "events": counted[branch.number],
        }
        for branch in session.branches[1:]
        if branch.number not in known
    ]
    return started + lost


def _offered(roster: Roster) -> Json:
    recorded: list[Json] = [*sorted(kind.value for kind in roster.recorded)]
    return {
        "recorded": recorded,
        "offers": [
            {
                "kind": offer.kind.value,
                "name": offer.name,
                "since_event": offer.since,
                "until_event": offer.until,
                "description": offer.description,
            }
            for offer in roster.offers
        ],
    }


def _usage(usage: TokenUsage | None) -> Json:
    if usage is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "cache_read_tokens": usage.cache_read_tokens,
        "cache_write_tokens": usage.cache_write_tokens,
        "output_tokens": usage.output_tokens,
        "total": usage.total,
        "cost_usd": usage.cost_usd,
        "complete": usage.complete,
    }
