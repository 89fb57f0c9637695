"""A request to GitHub and what came of it, as values; `Transport` is what carries one over."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from mergebar.model.text import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Purpose:
    """What a request is for, as the end of "can't …", and the permission that it takes."""

    what: str
    permission: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request; `path` begins with a slash, below the API's address, and is percent-encoded."""

    method: str
    path: str
    purpose: Purpose
    parameters: Mapping[str, str | int] = field(default_factory=dict)
    body: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What GitHub answered; the names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """No answer came; whether the request arrived is not known."""

    reason: str


class Transport(Protocol):
    """Carries one request over, once."""

    def ask(self, request: Request) -> Reply | Lost: ...

    def close(self) -> None: ...
