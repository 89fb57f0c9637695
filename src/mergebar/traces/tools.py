"""A host's name for a tool in; what the tool is, and which file a call touches, out."""

from collections.abc import Mapping
from types import MappingProxyType

from mergebar.model.sessions import FileAction
from mergebar.model.text import JsonObject

_NAMES: Mapping[str, tuple[str, ...]] = {
    "shell": (
        "Bash", "BashOutput", "KillShell", "KillBash", "PowerShell", "bash", "powershell",
        "run_shell_command", "shell", "shell_command", "exec_command", "local_shell",
    ),
    "read": (
        "Read", "NotebookRead", "view", "read_file", "read_many_files", "view_image",
    ),
    "write": ("Write", "create", "write_file"),
    "edit": ("Edit", "MultiEdit", "NotebookEdit", "edit", "replace", "apply_patch"),
    "search": ("Grep", "Glob", "grep", "glob", "grep_search", "search_file_content"),
    "list": ("LS", "list_directory"),
    "fetch": ("WebFetch", "web_fetch"),
    "web-search": ("WebSearch", "google_web_search", "web_search_call"),
    "task": ("Agent", "Task", "task", "invoke_agent"),
    "skill": ("Skill", "skill", "activate_skill"),
    "todo": ("TodoWrite", "write_todos", "update_plan"),
    "ask": ("AskUserQuestion", "ask_user"),
}  # fmt: skip
_CANONICAL: Mapping[str, str] = MappingProxyType(
    {name: canonical for canonical, names in _NAMES.items() for name in names}
)
# Lists of files (`read_many_files`) and patches name no single path.
_PATHS: Mapping[str, tuple[FileAction, tuple[str, ...]]] = MappingProxyType({
    "Read": (FileAction.READ, ("file_path",)),
    "NotebookRead": (FileAction.READ, ("notebook_path",)),
    "view": (FileAction.READ, ("path",)),
    "read_file": (FileAction.READ, ("file_path", "absolute_path", "path")),
    "Write": (FileAction.WRITE, ("file_path",)),
    "create": (FileAction.WRITE, ("path",)),
    "write_file": (FileAction.WRITE, ("file_path", "absolute_path", "path")),
    "Edit": (FileAction.EDIT, ("file_path",)),
    "MultiEdit": (FileAction.EDIT, ("file_path",)),
    "NotebookEdit": (FileAction.EDIT, ("notebook_path",)),
    "edit": (FileAction.EDIT, ("path",)),
    "replace": (FileAction.EDIT, ("file_path", "absolute_path", "path")),
})  # fmt: skip

FILE_TOOLS = frozenset(_PATHS)
SPAWNING = frozenset({"Agent", "Task"})
SKILL_TOOLS = frozenset(_NAMES["skill"])
COMMAND_TOOL = "SlashCommand"
TELLING = FILE_TOOLS | SKILL_TOOLS | {COMMAND_TOOL}
"""The tools whose arguments name a file, a skill or a command."""


def canonical(name: str) -> str | None:
    """What kind of tool this is; `None` for one that we don't know."""
    if name.startswith("mcp__"):
        return "mcp"
    return _CANONICAL.get(name)


def touched(name: str, arguments: JsonObject) -> tuple[FileAction, str] | None:
    """What a call of a file tool does to which path."""
    known = _PATHS.get(name)
    if known is None:
        return None
    action, keys = known
    for key in keys:
        path = arguments.get(key)
        if isinstance(path, str) and path:
            return action, path
    return None


def skill(arguments: JsonObject) -> str | None:
    """The name of the skill that a call asks for; older versions call it a command."""
    for key in ("skill", "name", "command"):
        name = arguments.get(key)
        if isinstance(name, str) and name.strip():
            return name.strip()
    return None


def command(arguments: JsonObject) -> str | None:
    """The name of the slash command that a call asks for, without its slash."""
    text = arguments.get("command")
    if not isinstance(text, str):
        return None
    words = text.strip().lstrip("/").split(maxsplit=1)
    return words[0] if words else None
