"""What a handler of the loopback GitHub gets and gives."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from support.github.description import Node
from support.github.state import State, Token

DOCUMENTATION = "https://docs.github.example/rest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request that GitHub understood."""

    state: State
    token: Token
    arguments: Mapping[str, Any]
    body: Node
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`body` is sent as JSON, bytes as they are; `None` is no body."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def bytes(self) -> bytes:
        """What goes over the wire."""
        if self.body is None:
            return b""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


def error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    """GitHub's form of a refusal."""
    body = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)}
    return Answer(status=status, body=body, headers=headers or {})


def invalid(message: str, *, field: str = "body", resource: str = "IssueComment") -> Answer:
    """A 422."""
    fault = {"resource": resource, "code": "custom", "field": field, "message": message}
    body = {
        "message": "Validation Failed",
        "errors": [fault],
        "documentation_url": DOCUMENTATION,
    }
    return Answer(status=422, body=body)


NOT_FOUND = error(404, "Not Found")
NOT_ACCESSIBLE = error(403, "Resource not accessible by integration")
