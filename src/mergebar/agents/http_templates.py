"""What an `http` agent is sent: the templates of its entry and a turn in, a request out.

A value never becomes syntax: in JSON it is a value, in a URL it is percent-encoded, in a header it
is printable.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from string import printable
from urllib.parse import quote

from mergebar.agents.http_entry import BODYLESS, PLACEHOLDER
from mergebar.calling import protocol
from mergebar.model.conversations import Question
from mergebar.model.text import Json

_VISIBLE = "".join(sorted(set(printable) - set("\t\n\r\x0b\x0c%")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to send. `content` is `None` for no body."""

    url: str
    headers: Mapping[str, str]
    content: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What the entry says. `body` is the command protocol's object where there is no `has_body`."""

    url: str
    method: str
    headers: Mapping[str, str]
    body: Json
    has_body: bool

    def fill(self, question: Question) -> Request:
        """The request for one turn."""
        values = _values(question)
        content = self._content(question, values)
        sent = {} if content is None else {"content-type": "application/json"}
        own = {name: _filled(text, values, _header) for name, text in self.headers.items()}
        named = {name.lower() for name in own}
        return Request(
            url=_filled(self.url, values, _in_url),
            headers={**{name: text for name, text in sent.items() if name not in named}, **own},
            content=content,
        )

    def _content(self, question: Question, values: Mapping[str, Json]) -> bytes | None:
        if self.has_body:
            return json.dumps(_in_json(self.body, values)).encode("ascii")
        return None if self.method == BODYLESS else protocol.question_line(question).strip()


def _values(question: Question) -> dict[str, Json]:
    return {
        "prompt": question.prompt,
        "conversation_id": question.conversation_id,
        "history": [{"prompt": one.prompt, "response": one.response} for one in question.history],
        "messages": [*_messages(question)],
        "turn": question.turn,
        "case": question.case,
        "run": question.run,
    }


def _messages(question: Question) -> Iterator[Json]:
    for one in question.history:
        yield {"role": "user", "content": one.prompt}
        yield {"role": "assistant", "content": one.response}
    yield {"role": "user", "content": question.prompt}


def _in_json(template: Json, values: Mapping[str, Json]) -> Json:
    """A text that is one placeholder becomes its value, whatever kind of JSON that is."""
    if isinstance(template, str):
        alone = PLACEHOLDER.fullmatch(template)
        return values[alone[1]] if alone else _filled(template, values, _as_text)
    if isinstance(template, list):
        return [_in_json(part, values) for part in template]
    if isinstance(template, dict):
        return {key: _in_json(part, values) for key, part in template.items()}
    return template


def _filled(text: str, values: Mapping[str, Json], write: Callable[[Json], str]) -> str:
    return PLACEHOLDER.sub(lambda found: write(values[found[1]]), text)


def _as_text(value: Json) -> str:
    """A text as it is, nothing where there is none, and JSON for everything else."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _in_url(value: Json) -> str:
    return quote(_as_text(value), safe="", errors="replace")


def _header(value: Json) -> str:
    return quote(_as_text(value), safe=_VISIBLE, errors="replace")
