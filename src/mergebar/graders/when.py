"""The trigger of an eval and a session in, whether the eval is armed out; or why not."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from mergebar.graders import file_access, gaps, grades, near_names, options, searching, views
from mergebar.graders.searching import Sought
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Basis, Matcher, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability, EventKind, ToolCall, lacking
from mergebar.model.text import JsonObject
from mergebar.reading.sentences import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class _Condition:
    """One condition. `met` gives why it isn't met, or `None`."""

    needs: Capability
    met: Callable[[JsonObject, Seen, Matcher], Awaitable[str | Failure | None]]


async def unmet(when: JsonObject, seen: Seen, matcher: Matcher) -> Failure | Withholding | None:
    """`None` where every condition is met; they are looked at in a fixed order."""
    for name, condition in _CONDITIONS.items():
        if name not in when:
            continue
        missing = lacking(seen.session, [condition.needs])
        if missing is not None:
            return grades.withheld(f"whether its `when` is met can't be told: {missing}")
        reason = await condition.met(when, seen, matcher)
        if isinstance(reason, Failure):
            return Failure(
                error_class=reason.error_class, message=f"`when.{name}` {reason.message}"
            )
        if reason is not None:
            what = gaps.missing(seen, Basis.CHAINS, sure=True)
            if what is not None:
                so_far = gaps.so_far(reason, what)
                return grades.withheld(f"whether its `when` is met can't be told: {so_far}")
            return grades.declined(f"its `when` wasn't met in {seen.excerpt.label}: {reason}")
    return None


async def _file_access(when: JsonObject, seen: Seen, matcher: Matcher) -> str | Failure | None:
    del matcher
    glob = options.text(when, "file-access") or ""
    found = next(file_access.matching(glob, seen), None)
    return f"no file that matches `{glob}` was touched" if found is None else None


async def _tool_used(when: JsonObject, seen: Seen, matcher: Matcher) -> str | Failure | None:
    del matcher
    tool = options.text(when, "tool-used")
    counts = Counter(call.name for call in views.calls(seen))
    if tool is None or counts[tool]:
        return None
    return "; ".join([f"`{tool}` wasn't called", *near_names.notices(tool, counts)])


async def _prompt_matches(when: JsonObject, seen: Seen, matcher: Matcher) -> str | Failure | None:
    pattern = options.text(when, "prompt-matches") or ""
    prompts = views.messages(seen, {EventKind.USER})
    found = await searching.first(matcher, Sought(pattern=pattern), prompts, str)
    if isinstance(found, Failure):
        return found
    return f"no prompt matches `{pattern}`" if found.item is None else None


async def _command_matches(when: JsonObject, seen: Seen, matcher: Matcher) -> str | Failure | None:
    pattern = options.text(when, "command-matches") or ""
    shells = (call for call in views.calls(seen) if call.canonical == "shell")

    def command(call: ToolCall) -> str:
        said = seen.contents.arguments(call.index)
        return _written(said.get("command") if isinstance(said, dict) else said)

    found = await searching.first(matcher, Sought(pattern=pattern), shells, command)
    if isinstance(found, Failure):
        return found
    return f"no shell command matches `{pattern}`" if found.item is None else None


def _written(command: object) -> str:
    """Some hosts give a command as its words."""
    if isinstance(command, list):
        return " ".join(str(word) for word in command)
    return command if isinstance(command, str) else ""


async def _turns_above(when: JsonObject, seen: Seen, matcher: Matcher) -> str | Failure | None:
    del matcher
    bound, turns = options.count(when, "turn-count-above") or 0, views.turns(seen)
    if turns > bound:
        return None
    return f"{counted(turns, 'turn')} seen, and not more than {bound:,}"


_CONDITIONS: Mapping[str, _Condition] = {
    "file-access": _Condition(needs=Capability.FILE_OPERATIONS, met=_file_access),
    "tool-used": _Condition(needs=Capability.TOOL_CALLS, met=_tool_used),
    "prompt-matches": _Condition(needs=Capability.PROMPTS, met=_prompt_matches),
    "command-matches": _Condition(needs=Capability.TOOL_CALLS, met=_command_matches),
    "turn-count-above": _Condition(needs=Capability.TURNS, met=_turns_above),
}
