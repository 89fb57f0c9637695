"""A JMESPath expression in; what is wrong with it, before it sees any reply, out."""

from collections.abc import Iterator
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError, LexerError, ParseError
from jmespath.functions import Functions

from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import listed, quoted


def fault(text: str) -> str | None:
    """As a clause; `None` where it can be applied to some reply."""
    try:
        parsed = jmespath.compile(text).parsed
    except LexerError as error:
        return f"is no JMESPath: what begins at its character {error.lexer_position + 1} never ends"
    except ParseError as error:
        if not error.token_value:
            return "is no JMESPath: it breaks off"
        place = f"at its character {error.lex_position + 1}"
        return f"is no JMESPath: {quoted(str(error.token_value))} {place} doesn't belong there"
    except (JMESPathError, RecursionError):
        return "is no JMESPath: it is empty, or nested too deeply"
    return next(filter(None, (_called(name, count) for name, count in _calls(parsed))), None)


def _calls(node: Any) -> Iterator[tuple[str, int]]:
    """Names of functions, and how many arguments each is given."""
    if not isinstance(node, dict):
        return
    if node.get("type") == "function_expression":
        yield str(node["value"]), len(node["children"])
    for child in node.get("children") or ():
        yield from _calls(child)


def _called(name: str, count: int) -> str | None:
    known = Functions.FUNCTION_TABLE
    if name not in known:
        near = nearest(name, known)
        hint = f"did you mean {quoted(near)}?" if near else f"known are {listed(sorted(known))}"
        return f"calls {quoted(name)}, which JMESPath doesn't have: {hint}"
    wanted = known[name]["signature"]
    least, open_ended = len(wanted), bool(wanted and wanted[-1].get("variadic"))
    if count == least or (open_ended and count > least):
        return None
    more = " or more" if open_ended else ""
    return f"calls {quoted(name)} with {count} arguments, and it takes {least}{more}"
