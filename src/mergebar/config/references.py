"""A configuration's names in, those that name nothing out: agents, evaluators and variables."""

from collections.abc import Iterable, Iterator

from mergebar import catalogue
from mergebar.config import interpolation
from mergebar.config.findings import Finding, Pointer, entries, fits, mapping, texts
from mergebar.model.problems import Level
from mergebar.model.text import Json, JsonObject
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import listed, quoted

_INTERPOLATED = ("agents", "judge")
_LITERAL = (("agents", "*", "type"), ("agents", "*", "sources", "*"), ("judge", "type"))
_UNREAD, _ITSELF = "`${NAME}` isn't read here", "write the value itself"
_KEYS = ("api_key", "secret")
_KEY_LENGTH = 16


def find(config: JsonObject) -> Iterator[Finding]:
    """Unknown agents and evaluators, and references to the environment that can't be read."""
    value = dict(config)
    yield from _agents(value)
    yield from _evaluators(value)
    yield from _variables(value)
    yield from _passed_on(value)


def _agents(config: Json) -> Iterator[Finding]:
    known = list(mapping(config, "agents"))
    if not known and isinstance(config, dict) and config.get("agents"):
        return  # none of them can be read, which is told
    for pointer, group in entries(config, "documents"):
        name = group.get("agent")
        if isinstance(name, str):
            yield from _agent((*pointer, "agent"), name, known)
        elif name is None and len(known) > 1:
            message = (
                f"this group doesn't say which agent answers, and there are {len(known)}: add "
                f"`agent:` with one of {listed(known)}"
            )
            yield Finding(pointer=pointer, rule="config/agent-missing", message=message)
    for pointer, rule in entries(config, "rules"):
        name = mapping(rule, "match").get("agent")
        if isinstance(name, str):
            yield from _agent((*pointer, "match", "agent"), name, known)


def _agent(pointer: Pointer, name: str, known: list[str]) -> Iterator[Finding]:
    if name not in known:
        message = f"there is no agent {quoted(name)}{_instead(name, known, 'agents')}"
        yield Finding(pointer=pointer, rule="config/unknown-agent", message=message)


def _evaluators(config: Json) -> Iterator[Finding]:
    for pointer, rule in entries(config, "rules"):
        name = mapping(rule, "match").get("evaluator")
        if isinstance(name, str) and catalogue.find(name) is None:
            known = catalogue.EVALUATORS
            message = (
                f"there is no evaluator {quoted(name)}, so this rule matches nothing"
                f"{_instead(name, known, 'evaluators')}"
            )
            yield Finding(
                pointer=(*pointer, "match", "evaluator"),
                rule="config/unknown-evaluator",
                message=message,
                level=Level.WARNING,
            )


def _instead(name: str, known: Iterable[str], plural: str) -> str:
    names = list(known)
    near = nearest(name, names)
    if near is not None:
        return f": did you mean {quoted(near)}?"
    return f": the {plural} are {listed(names)}" if names else f": no {plural} are configured"


def _variables(config: dict[str, Json]) -> Iterator[Finding]:
    for key, value in config.items():
        for pointer, text in texts(value, (key,)):
            if "${" in text:
                yield from _references(pointer, text)
            elif pointer[-1] in _KEYS and len(text) >= _KEY_LENGTH:
                message = (
                    f"`{pointer[-1]}` holds a key as it is, for everyone who can read this "
                    "file: put it into a secret, and write `${NAME}` here"
                )
                yield Finding(
                    pointer=pointer,
                    rule="config/key-in-file",
                    message=message,
                    level=Level.WARNING,
                )


def _references(pointer: Pointer, text: str) -> Iterator[Finding]:
    messages: Iterable[str]
    if pointer[0] not in _INTERPOLATED:
        messages = (f"{_UNREAD}: only `agents` and `judge` read the environment; {_ITSELF}",)
    elif any(fits(pointer, literal) for literal in _LITERAL):
        messages = (f"{_UNREAD}: {_ITSELF}",)
    else:
        messages = interpolation.faults(text)
    for message in messages:
        yield Finding(pointer=pointer, rule="config/reference", message=message)


def _passed_on(config: Json) -> Iterator[Finding]:
    places = [(pointer, agent) for pointer, agent in entries(config, "agents")]
    places += [
        ((*pointer, "sessions"), mapping(group, "sessions"))
        for pointer, group in entries(config, "artifacts")
    ]
    for pointer, value in places:
        names = value.get("env")
        for index, name in enumerate(names if isinstance(names, list) else []):
            if isinstance(name, str) and interpolation.is_reserved(name):
                message = (
                    f"{quoted(name)} is refused: the token and the inputs of the action are not "
                    "handed to repository code; pass a secret of its own under another name"
                )
                yield Finding(
                    pointer=(*pointer, "env", index), rule="config/reference", message=message
                )
