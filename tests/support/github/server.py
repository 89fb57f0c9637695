"""A GitHub on loopback that remembers: every request and answer is held to GitHub's description.

`with GitHubServer() as github:` gives `github.api_url` and `github.state`. A disagreement with the
description, on either side, is in `github.violations` and fails the test when the server stops.
`github.spoil` makes another answer of a good one, which the description then has no say in.
"""

import json
import threading
import urllib.parse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from support.github import checks, conversation, files
from support.github.answers import NOT_ACCESSIBLE, Answer, Call, error, invalid
from support.github.description import Node, Operation, find
from support.github.faults import Fault
from support.github.state import State

API_VERSION = "2022-11-28"
_HANDLERS: Mapping[str, tuple[str, str, Callable[[Call], Answer]]] = {
    "users/get-authenticated": ("", "", conversation.user),
    "issues/list-comments": ("pull-requests", "read", conversation.list_comments),
    "issues/create-comment": ("pull-requests", "write", conversation.create_comment),
    "issues/update-comment": ("pull-requests", "write", conversation.update_comment),
    "issues/delete-comment": ("pull-requests", "write", conversation.delete_comment),
    "pulls/get": ("pull-requests", "read", conversation.get_pull),
    "pulls/list": ("pull-requests", "read", conversation.list_pulls),
    "pulls/list-files": ("pull-requests", "read", conversation.list_files),
    "repos/list-pull-requests-associated-with-commit": (
        "pull-requests",
        "read",
        conversation.pulls_of_commit,
    ),
    "checks/create": ("checks", "write", checks.create),
    "checks/update": ("checks", "write", checks.update),
    "checks/get": ("checks", "read", checks.get),
    "checks/list-for-ref": ("checks", "read", checks.of_commit),
    "repos/get-branch": ("contents", "read", files.get_branch),
    "repos/list-commits": ("contents", "read", files.list_commits),
    "repos/get-commit": ("contents", "read", files.get_commit),
    "repos/compare-commits-with-basehead": ("contents", "read", files.compare),
    "repos/get-content": ("contents", "read", files.contents),
    "git/get-blob": ("contents", "read", files.blob),
    "actions/get-workflow-run": ("actions", "read", files.get_run),
    "actions/list-artifacts-for-repo": ("actions", "read", files.list_artifacts),
    "actions/list-workflow-run-artifacts": ("actions", "read", files.list_artifacts),
    "actions/download-artifact": ("actions", "read", files.download_artifact),
}
_LEVELS = ("read", "write")
_LISTS = ("check_runs", "artifacts")
_UNDESCRIBED = ("/head/repo: null is not of type",)
"""What the real service does and its description doesn't know: a fork may have been deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request as it came; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Node:
        """The body as an object."""
        value: Node = json.loads(self.body)
        return value


@dataclass(slots=True, kw_only=True)
class Meanwhile:
    """What happens when a request comes in, before it is carried out."""

    method: str
    within: str
    action: Callable[[], object] = field(repr=False)


class GitHubServer:
    """`prefix` is `/api/v3` on GitHub Enterprise Server."""

    def __init__(self, *, prefix: str = "") -> None:
        self.state = State()
        self.state.token()
        self.requests: list[Seen] = []
        self.violations: list[str] = []
        self.faults: list[Fault] = []
        self.meanwhile: list[Meanwhile] = []
        self.spoil: Callable[[Answer], Answer] | None = None
        self.prefix = prefix
        self._lock = threading.RLock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.api_url = self.url + prefix

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._thread.join(10)
        self._http.server_close()
        if kind is None:
            assert not self.violations, "\n".join(self.violations)

    def asked(self, method: str, within: str = "") -> list[Seen]:
        """The requests with this method whose path has this in it."""
        return [one for one in self.requests if one.method == method and within in one.path]

    def on(self, method: str, within: str, action: Callable[[], object]) -> None:
        """Do this once, when such a request has come in and before it is carried out."""
        self.meanwhile.append(Meanwhile(method=method, within=within, action=action))

    def answer(self, seen: Seen) -> Answer | None:
        """What to send; `None` is nothing: the connection is closed."""
        self.requests.append(seen)
        for one in [one for one in self.meanwhile if _fits(seen, one.method, one.within)]:
            self.meanwhile.remove(one)
            one.action()
        with self._lock:
            return self._answer(seen)

    def _answer(self, seen: Seen) -> Answer | None:
        if seen.path.startswith("/storage/"):
            return None
        if not seen.path.startswith(f"{self.prefix}/"):
            self._blame(seen, ["the path is not below that of the API"])
            return error(404, "Not Found")
        operation = find(seen.method, seen.path.removeprefix(self.prefix))
        if operation is None:
            self._blame(seen, ["no operation of the description"])
            return error(404, "Not Found")
        malformed = [*operation.faults, *operation.body_faults(seen.body)]
        self._blame(seen, [*malformed, *_manners(seen)])
        if malformed:
            return invalid("Invalid request.")
        fault = next((one for one in self.faults if _fits(seen, one.method, one.within)), None)
        if fault is not None and fault.after > 0:
            fault.after -= 1
        elif fault is not None:
            return self._fail(seen, operation, fault)
        answer = self._carry_out(seen, operation)
        self._check(seen, operation, answer)
        return answer if self.spoil is None else self.spoil(answer)

    def _fail(self, seen: Seen, operation: Operation, fault: Fault) -> Answer | None:
        fault.times -= 1
        self.faults = [one for one in self.faults if one.times > 0]
        if fault.carried_out:
            self._carry_out(seen, operation)
        if fault.answer is not None and fault.described:
            self._check(seen, operation, fault.answer)
        return fault.answer

    def _carry_out(self, seen: Seen, operation: Operation) -> Answer:
        scheme, _, value = seen.headers.get("authorization", "").partition(" ")
        token = self.state.tokens.get(value)
        if token is None or scheme.lower() not in {"token", "bearer"}:
            return error(401, "Bad credentials")
        scope, level, handler = _HANDLERS[operation.id]
        granted = token.permissions.get(scope, "")
        if scope and level not in _LEVELS[: _LEVELS.index(granted) + 1 if granted else 0]:
            return NOT_ACCESSIBLE
        call = Call(
            state=self.state,
            token=token,
            arguments=operation.arguments,
            body=json.loads(seen.body or b"{}"),
            url=self.url,
        )
        return self._paged(seen, operation, handler(call))

    def _paged(self, seen: Seen, operation: Operation, answer: Answer) -> Answer:
        """The page that was asked for, and where the next one is."""
        whole = answer.body
        name = next((one for one in _LISTS if isinstance(whole, dict) and one in whole), None)
        items = whole[name] if name is not None and isinstance(whole, dict) else whole
        if not isinstance(items, list) or "per_page" not in _described(operation):
            return answer
        size = operation.arguments.get("per_page", 30)
        number = operation.arguments.get("page", 1)
        part = items[size * (number - 1) : size * number]
        body = {**whole, name: part} if name is not None and isinstance(whole, dict) else part
        if size * number >= len(items):
            return Answer(status=answer.status, body=body)
        split = urllib.parse.urlsplit(seen.path)
        query = {**dict(urllib.parse.parse_qsl(split.query)), "page": str(number + 1)}
        following = f"{self.url}{split.path}?{urllib.parse.urlencode(query)}"
        last = f"{self.url}{split.path}?page={-(-len(items) // size)}"
        link = f'<{following}>; rel="next", <{last}>; rel="last"'
        return Answer(status=answer.status, body=body, headers={"Link": link})

    def _check(self, seen: Seen, operation: Operation, answer: Answer) -> None:
        faults = operation.response_faults(answer.status, answer.bytes)
        known = [one for one in faults if any(text in one for text in _UNDESCRIBED)]
        self._blame(seen, [one for one in faults if one not in known])

    def _blame(self, seen: Seen, faults: list[str]) -> None:
        self.violations += [f"{seen.method} {seen.path}: {fault}" for fault in faults]


def _fits(seen: Seen, method: str, within: str) -> bool:
    return seen.method == method and within in seen.path


def _described(operation: Operation) -> set[str]:
    """Whether a list comes in pages."""
    return {"per_page"} if "per-page" in json.dumps(operation.node) else set()


def _manners(seen: Seen) -> list[str]:
    """What GitHub wants of every client."""
    faults = []
    if seen.headers.get("x-github-api-version") != API_VERSION:
        faults.append(f"the API's version is not pinned to {API_VERSION}")
    if not seen.headers.get("user-agent", "").startswith("mergebar/"):
        faults.append("the user agent doesn't say who asks")
    return faults


def _handler(github: GitHubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # head and body in one packet, or the client waits 40 ms for the second

        def _serve(self) -> None:
            length = int(self.headers.get("content-length", "0"))
            seen = Seen(
                method=self.command,
                path=self.path,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(length),
            )
            answer = github.answer(seen)
            if answer is not None:
                self._send(answer.status, dict(answer.headers), answer.bytes)
            elif self.path.startswith("/storage/"):
                self._store(seen)
            else:
                self.close_connection = True

        def _store(self, seen: Seen) -> None:
            """The storage refuses whoever shows it a token."""
            made = int(urllib.parse.urlsplit(seen.path).path.rpartition("/")[2])
            fits = "authorization" not in seen.headers and "sig=secret-signature" in seen.path
            data = github.state.artifacts[made].data if fits else b"AuthenticationFailed"
            self._send(200 if fits else 403, {"Content-Type": "application/zip"}, data)

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            kind = {"Content-Type": "application/json; charset=utf-8"}
            for name, value in (kind | headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 -- the server's names

        def log_message(self, *_arguments: object) -> None:
            pass

    return Handler
