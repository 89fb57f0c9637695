"""A path in, what kind of artifact lives there and what sessions call it out.

The places are those that hosts read (spec, section 2.2); they are narrow on purpose, so that prose
in `docs/agents/` is no agent. A file that somebody names is taken at its word.
"""

import re
from typing import NamedTuple

from mergebar.model.artifacts import ArtifactType, Identity

SKILL, AGENT = ArtifactType.SKILL, ArtifactType.AGENT
COMMAND, RULES = ArtifactType.SLASH_COMMAND, ArtifactType.PROJECT_RULES

_HOSTS = "claude|github|agents|gemini|codex"
_RULE_FILES = {
    "AGENTS.md": "",
    "AGENTS.override.md": "codex",
    "CLAUDE.md": "claude",
    "CLAUDE.local.md": "claude",
    "GEMINI.md": "gemini",
}
_OWNER = re.compile(r"(?:^|/)\.(claude|github|agents|gemini|codex|cursor|kiro)/")
_PLUGIN = re.compile(r"(?:^|/)plugins/([^/]+)/(?:skills|agents|commands)/")
_SUFFIX = re.compile(r"\.(?:agent|prompt|instructions)$")


class _Place(NamedTuple):
    type: ArtifactType
    pattern: re.Pattern[str]
    scoped: bool = False


def _place(type_: ArtifactType, *patterns: str, scoped: bool = False) -> _Place:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return _Place(type_, re.compile(rf"(?:.*/)?(?:{joined})\Z"), scoped)


_PLACES = (
    _place(
        SKILL,
        rf"\.(?:{_HOSTS})/skills/[^/]+/SKILL\.md",
        r"(?:src/|plugins/[^/]+/)?skills/[^/]+/SKILL\.md",
    ),
    _place(COMMAND, r"\.claude/commands/.+\.md", r"plugins/[^/]+/commands/.+\.md"),
    _place(COMMAND, r"\.github/prompts/[^/]+\.prompt\.md", r"\.gemini/commands/.+\.toml"),
    _place(
        AGENT,
        r"\.(?:claude|gemini)/agents/[^/]+\.md",
        r"\.github/agents/.+\.md",
        r"plugins/[^/]+/agents/[^/]+\.md",
    ),
    _place(RULES, r"\.github/copilot-instructions\.md"),
    _place(
        RULES,
        r"\.github/instructions/.+\.instructions\.md",
        r"\.cursor/rules/.+\.mdc",
        r"\.kiro/steering/[^/]+\.md",
        r"\.claude/rules/.+\.md",
        scoped=True,
    ),
)
_ROOT_AGENT = re.compile(r"agents/[^/]+\.md\Z")
_NESTED_AGENT = re.compile(r"(?:.*/)?(?:\.(?:claude|gemini)|plugins/[^/]+)/agents/.+\.md\Z")
"""In folders that not every host looks into."""
_LOWER_SKILL = re.compile(r"(?:.*/)?skills/[^/]+/skill\.md\Z", re.IGNORECASE)
_MIGHT_BE = (".md", ".mdc", ".toml")


def recognise(path: str) -> Identity | None:
    """The artifact that hosts would find at a path below the repository's root, if any."""
    if not path.endswith(_MIGHT_BE):
        return None
    file = path.rpartition("/")[2]
    if file in _RULE_FILES:
        return _identity(path, RULES, host=_RULE_FILES[file])
    for place in _PLACES:
        if place.pattern.match(path):
            return _identity(path, place.type, scoped=place.scoped)
    if _ROOT_AGENT.match(path):
        return _identity(path, AGENT)
    return _identity(path, SKILL) if is_misnamed_skill(path) else None


def take(path: str) -> Identity:
    """What a file is that somebody names as an artifact: rules, if nothing says otherwise."""
    known = recognise(path)
    if known is not None:
        return known
    if path.endswith((".agent.md", ".prompt.md")):
        return _identity(path, AGENT if path.endswith(".agent.md") else COMMAND)
    if _NESTED_AGENT.match(path):
        return _identity(path, AGENT)
    return _identity(path, SKILL if path.rpartition("/")[2] == "SKILL.md" else RULES)


def of_type(path: str, type_: ArtifactType) -> Identity:
    """What a file is called that is known to be of a type."""
    return _identity(path, type_)


def is_misnamed_skill(path: str) -> bool:
    """Whether it would be a skill, were its name not in another case than `SKILL.md`."""
    return not path.endswith("/SKILL.md") and _LOWER_SKILL.match(path) is not None


def with_alias(identity: Identity, alias: str) -> Identity:
    """The same artifact, that its front matter gives another name too."""
    if identity.type is RULES or not alias or alias == identity.name:
        return identity
    plugin = next((name for name in identity.references if ":" in name), None)
    more = (f"{plugin.partition(':')[0]}:{alias}", alias) if plugin else (alias,)
    known = identity.references
    references = (*known, *(name for name in more if name not in known))
    return Identity(
        type=identity.type,
        name=identity.name,
        host=identity.host,
        references=references,
        scoped=identity.scoped,
    )


def _identity(
    path: str, type_: ArtifactType, *, host: str | None = None, scoped: bool = False
) -> Identity:
    owner = _OWNER.findall(path)
    found = owner[-1] if owner else ""
    if type_ is RULES:
        return Identity(type=type_, name=path, host=found if host is None else host, scoped=scoped)
    name = _name(path, type_)
    plugin = _PLUGIN.findall(path)
    references = (f"{plugin[-1]}:{name}", name) if plugin else (name,)
    return Identity(type=type_, name=name, host=found, references=references)


def _name(path: str, type_: ArtifactType) -> str:
    """A skill is called by its folder, all else by its file."""
    parts = path.split("/")
    if type_ is SKILL and len(parts) > 1:
        return parts[-2]
    return _SUFFIX.sub("", parts[-1].rpartition(".")[0])
