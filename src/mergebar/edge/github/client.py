"""What is asked of GitHub in, its reply as a typed value or the trouble out.

A request that changes nothing twice is repeated; whatever would is looked for before it is sent
again: nothing is ever posted twice because an answer was lost.
"""

import re
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from mergebar.edge.github import error_replies
from mergebar.edge.github.error_replies import Setback
from mergebar.edge.github.exchange import Purpose, Reply, Request, Transport
from mergebar.edge.github.waiting import Patience
from mergebar.model.publishing import GitHubTrouble, TroubleKind
from mergebar.model.text import JsonObject

T = TypeVar("T")
Item = TypeVar("Item")
Parameters: TypeAlias = Mapping[str, str | int]

PER_PAGE = 100
MOST_PAGES = 100
_MOST_PARAMETERS = 50
_NEXT = re.compile(r'<([^<>]*)>\s*;[^,]*\brel="?next"?')


class Client:
    """One repository, with one token. `forked`: the token is a fork's, which can only read."""

    def __init__(
        self, transport: Transport, patience: Patience, *, repository: str, forked: bool = False
    ) -> None:
        self._transport = transport
        self._patience = patience
        self._root = "/repos/" + "/".join(map(quoted, repository.split("/")))
        self._forked = forked
        self._is_down = False
        self._refused: GitHubTrouble | None = None  # a token that isn't known stays unknown

    def get(
        self, reader: TypeAdapter[T], path: str, purpose: Purpose, **parameters: str | int
    ) -> T | GitHubTrouble:
        """One reply. `path` is below the repository; one that begins with `//` is the API's own."""
        reply = self._send(self._request("GET", path, purpose, parameters))
        if isinstance(reply, GitHubTrouble):
            return reply
        return _read(reader, reply, purpose)

    def pages(
        self,
        reader: TypeAdapter[T],
        items: Callable[[T], tuple[Item, ...]],
        path: str,
        purpose: Purpose,
        *,
        most: int = MOST_PAGES,
        enough: Callable[[Sequence[Item]], bool] | None = None,
        **parameters: str | int,
    ) -> tuple[Item, ...] | GitHubTrouble:
        """The items of all pages, at most `most` of them, and no more once there are `enough`."""
        found: list[Item] = []
        asked: Parameters = {**parameters, "per_page": PER_PAGE}
        for _ in range(most):
            reply = self._send(self._request("GET", path, purpose, asked))
            if isinstance(reply, GitHubTrouble):
                return reply
            page = _read(reader, reply, purpose)
            if isinstance(page, GitHubTrouble):
                return page
            found += items(page)
            following = _next(reply)
            if following is None or (enough is not None and enough(found)):
                break
            if not following or following == asked:
                wrong = "GitHub's pages go in circles" if following else "a page names no next one"
                return error_replies.unavailable(purpose, wrong).trouble
            asked = following
        return tuple(found)

    def create(
        self,
        reader: TypeAdapter[T],
        path: str,
        body: JsonObject,
        purpose: Purpose,
        *,
        look: Callable[[], T | GitHubTrouble | None],
    ) -> T | GitHubTrouble:
        """Post it once. `look` finds what was posted although the answer was lost."""
        return self._once(reader, self._request("POST", path, purpose, body=body), look)

    def change(
        self,
        reader: TypeAdapter[T],
        path: str,
        body: JsonObject,
        purpose: Purpose,
        *,
        look: Callable[[], T | GitHubTrouble | None] | None = None,
    ) -> T | GitHubTrouble:
        """Patch it. `look` is for a change that adds: it finds what has been added."""
        request = self._request("PATCH", path, purpose, body=body)
        if look is not None:
            return self._once(reader, request, look)
        reply = self._send(request)
        if isinstance(reply, GitHubTrouble):
            return reply
        return _read(reader, reply, purpose)

    def remove(self, path: str, purpose: Purpose) -> GitHubTrouble | None:
        """Delete it; what isn't there any more is deleted."""
        reply = self._send(self._request("DELETE", path, purpose))
        if isinstance(reply, Reply) or reply.kind in {TroubleKind.NOT_FOUND, TroubleKind.GONE}:
            return None
        return reply

    def location(self, path: str, purpose: Purpose) -> str | GitHubTrouble:
        """Where a redirect leads; it isn't followed, because the token must not go there."""
        reply = self._send(self._request("GET", path, purpose))
        if isinstance(reply, GitHubTrouble):
            return reply
        place = reply.headers.get("location")
        return place or error_replies.unavailable(purpose, "GitHub's reply names no place").trouble

    def close(self) -> None:
        """Let go of the connection."""
        self._transport.close()

    def _request(
        self,
        method: str,
        path: str,
        purpose: Purpose,
        parameters: Parameters | None = None,
        *,
        body: JsonObject | None = None,
    ) -> Request:
        whole = path.removeprefix("/") if path.startswith("//") else self._root + path
        return Request(
            method=method, path=whole, purpose=purpose, parameters=parameters or {}, body=body
        )

    def _send(self, request: Request) -> Reply | GitHubTrouble:
        """Until it works, or there is no point in trying again."""
        for tried in count(1):
            answer = self._ask(request)
            if isinstance(answer, Reply):
                return answer
            if not self._wait(answer, tried):
                return answer.trouble
        raise AssertionError("the loop has no other end")

    def _once(
        self, reader: TypeAdapter[T], request: Request, look: Callable[[], T | GitHubTrouble | None]
    ) -> T | GitHubTrouble:
        """The same, looking before each repetition whether the last attempt did work."""
        for tried in count(1):
            answer = self._ask(request)
            if isinstance(answer, Reply):
                made = _read(reader, answer, request.purpose)
                if not isinstance(made, GitHubTrouble):
                    return made
                # A reply that can't be read leaves open whether it was done.
                answer = Setback(trouble=made, again=True, unsure=True)
            waited = self._wait(answer, tried)
            seen = look() if answer.unsure else None
            if seen is not None and not isinstance(seen, GitHubTrouble):
                return seen
            if seen is not None or not waited:
                return answer.trouble
        raise AssertionError("the loop has no other end")

    def _ask(self, request: Request) -> Reply | Setback:
        if self._refused is not None:
            return Setback(trouble=self._refused)
        if self._patience.is_used_up:
            return error_replies.given_up(request.purpose)
        if request.method != "GET":
            self._patience.pace()
        started = self._patience.start()
        answer = error_replies.understand(
            self._transport.ask(request),
            request.purpose,
            now=self._patience.now(),
            forked=self._forked,
        )
        if isinstance(answer, Setback):
            self._patience.failed(started)
            self._refused = answer.trouble if answer.barred else None
        else:
            self._patience.answered(started)
            self._is_down = False
        return answer

    def _wait(self, setback: Setback, tried: int) -> bool:
        """Wait for another attempt, and say no where there is to be none.

        What was down through all attempts of one request gets a single one of each that follows.
        """
        attempts = 1 if self._is_down else self._patience.attempts
        if not setback.again or tried >= attempts:
            self._is_down = self._is_down or setback.again
            return False
        if setback.wait_s is not None:
            return self._patience.wait(setback.wait_s)
        return self._patience.wait(self._patience.backoff_s(tried, first_s=setback.first_wait_s))


def quoted(segment: str) -> str:
    """A part of a path, in which no character means anything."""
    return urllib.parse.quote(segment, safe="")


def _read(reader: TypeAdapter[T], reply: Reply, purpose: Purpose) -> T | GitHubTrouble:
    try:
        return reader.validate_json(reply.text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        where = f" at `{place}`" if place else ""
        why = f"GitHub's reply isn't what its API describes{where}: {first['msg'].lower()}"
        return error_replies.unavailable(purpose, why).trouble


def _next(reply: Reply) -> Parameters | None:
    """The parameters of the next page; the address itself isn't followed.

    `None` where this is the last one; empty where a next one is named that can't be asked for.
    """
    found = _NEXT.search(reply.headers.get("link", ""))
    if found is None:
        return None
    query = found[1].partition("?")[2].partition("#")[0]
    try:
        return dict(urllib.parse.parse_qsl(query, max_num_fields=_MOST_PARAMETERS))
    except ValueError:
        return {}
