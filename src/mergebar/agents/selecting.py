"""Where an `http` agent's answer is: JMESPath expressions and a reply in, an answer out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.parser import ParsedResult

from mergebar.agents.http_replies import Content
from mergebar.calling import machine_json, protocol, replies
from mergebar.model.conversations import Answer, ErrorClass, Failure
from mergebar.model.text import Json

KEYS = ("response", "conversation_id", "citations", "diagnostics", "tool_calls", "usage")
_RESPONSE = "response"
_JOINED = ": of a stream it sees the list of all events, and `join('', @)` makes a text of them"
_CITATION = ("index", "text", "source")
_USAGE = ("input_tokens", "output_tokens", "cost_usd")

Selection: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectors:
    """The compiled expressions by key. Without any, the reply is read as the command protocol's."""

    expressions: Mapping[str, ParsedResult]

    def read(self, content: Content) -> Answer | Failure:
        """The answer, checked as a command agent's would be."""
        if not self.expressions:
            return _as_protocol(content)
        broken_off = self._broken_off(content)
        if broken_off is not None:
            return broken_off
        found: dict[str, Json] = {}
        for key, expression in self.expressions.items():
            try:
                found[key] = _searched(expression, content, joined=key == _RESPONSE)
            except (JMESPathError, RecursionError) as error:
                return _bad(
                    f"sent a reply to which {_named(key, expression)} can't be applied: "
                    f"{_said(error)}"
                )
        return self._answer(found, content)

    def _broken_off(self, content: Content) -> Failure | None:
        """A stream that ends with an error is no answer, whatever was said before it."""
        events = content.value if content.streamed and isinstance(content.value, list) else []
        last = events[-1] if events else None
        if not isinstance(last, dict) or not last.get("error"):
            return None
        try:
            said = self.expressions[_RESPONSE].search(last)
        except (JMESPathError, RecursionError):
            said = None
        if said:
            return None
        return _bad(f"sent a stream that ends with an error: {replies.error_text(last['error'])}")

    def _answer(self, found: Selection, content: Content) -> Answer | Failure:
        response = found[_RESPONSE]
        if not isinstance(response, str):
            named = _named(_RESPONSE, self.expressions[_RESPONSE])
            if response is None:
                return _bad(f"sent a reply in which {named} finds nothing{_instead(content)}")
            kind = machine_json.kind(response)
            hint = _JOINED if content.streamed and isinstance(response, list) else ""
            return _bad(f"sent a reply in which {named} finds {kind}, and a text is wanted{hint}")
        return _checked(found)


def compiled(select: Json) -> Selectors:
    """The selectors of an entry that has no fault."""
    given = select if isinstance(select, dict) else {}
    texts = {key: text for key, text in given.items() if isinstance(text, str)}
    if texts:
        texts.setdefault(_RESPONSE, _RESPONSE)
    return Selectors(expressions={key: jmespath.compile(text) for key, text in texts.items()})


def _searched(expression: ParsedResult, content: Content, *, joined: bool) -> Json:
    """Of a stream, an expression sees the list of its events; or else each of them, if that says
    nothing: texts are joined then, and of everything else the last counts.
    """
    found: Json = expression.search(content.value)
    if found is not None or not content.streamed or not isinstance(content.value, list):
        return found
    each: list[Json] = [expression.search(event) for event in content.value]
    said = [one for one in each if one is not None]
    if joined and said and all(isinstance(one, str) for one in said):
        return "".join(map(str, said))
    return said[-1] if said else None


def _as_protocol(content: Content) -> Answer | Failure:
    value = content.value
    if content.streamed and isinstance(value, list):
        value = next((one for one in reversed(value) if isinstance(one, dict)), None)
    if not isinstance(value, dict):
        kind = machine_json.kind(value)
        return _bad(f"sent {kind}, and an object with a `response` is wanted: {_REMEDY}")
    error = value.get("error")
    if error is not None and value.get(_RESPONSE) is None:
        return _declared(error)
    if error:
        said = replies.error_text(error)
        return _bad(f"sent both a `response` and an error, so that neither counts: {said}")
    if _RESPONSE not in value:
        return _bad(f"sent a reply without `response`{_instead(content)}; {_REMEDY}")
    return _checked({key: value[key] for key in KEYS if key in value})


def _declared(error: Json) -> Failure:
    """An error as the command protocol has it, or any other."""
    if protocol.declares_failure({"error": error}):
        declared = protocol.read_object({"error": error})
        if isinstance(declared, Failure):
            return replace(declared, message=f"reports: {declared.message}")
    return _bad(f"sent an error under HTTP 200: {replies.error_text(error)}")


_REMEDY = "say with `select.response` where the answer is"


def _checked(found: Selection) -> Answer | Failure:
    kept = {key: value for key, value in found.items() if value is not None}
    number = kept.get("conversation_id")
    if isinstance(number, int) and not isinstance(number, bool):
        kept["conversation_id"] = str(number)
    if isinstance(kept.get("usage"), dict):
        kept["usage"] = _known(kept["usage"], _USAGE)
    citations = kept.get("citations")
    if isinstance(citations, list):
        kept["citations"] = [*_citations(citations)]
    return protocol.read_object(kept)


def _citations(entries: list[Json]) -> Iterator[Json]:
    """A text is a source; an entry without a number has its place as one."""
    for place, entry in enumerate(entries, start=1):
        if isinstance(entry, str):
            yield {"index": place, "source": entry}
        elif isinstance(entry, dict):
            yield {"index": place, **_known(entry, _CITATION)}
        else:
            yield entry


def _known(value: Json, names: tuple[str, ...]) -> dict[str, Json]:
    known = value if isinstance(value, dict) else {}
    return {name: known[name] for name in names if known.get(name) is not None}


def _instead(content: Content) -> str:
    """What there is in place of an answer, the error first, if it holds one."""
    value = content.value
    if isinstance(value, list):
        return f": it is a {'stream of events' if content.streamed else 'list'}, {len(value)} long"
    if not isinstance(value, dict):
        return ""
    if value.get("error"):
        return f", which holds an error: {replies.error_text(value['error'])}"
    keys = replies.keys(value)
    return f": its keys are {keys}" if keys else ": it is an empty object"


def _named(key: str, expression: ParsedResult) -> str:
    return f"`select.{key}` (`{replies.one_line(str(expression.expression), 80)}`)"


def _said(error: Exception) -> str:
    return replies.one_line(str(error)) or "it is nested too deeply"


def _bad(message: str) -> Failure:
    return Failure(error_class=ErrorClass.BAD_RESPONSE, message=message)
