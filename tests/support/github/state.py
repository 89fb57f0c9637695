"""What a repository on the loopback GitHub holds, and the means to put it there."""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.github.description import Node, example

REPOSITORY = "acme/agent"
REPOSITORY_ID = 41
FORK_ID = 99
WHEN = "2026-11-30T12:00:00Z"
WRITES = {"pull-requests": "write", "checks": "write", "contents": "read", "actions": "read"}
READS = dict.fromkeys(WRITES, "read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """Whom a token speaks for. `app` is `None` for a person's own token."""

    value: str
    login: str
    app: str | None
    app_id: int = 15368
    permissions: Mapping[str, str] = field(default_factory=lambda: dict(WRITES))


@dataclass(slots=True, kw_only=True)
class Commit:
    sha: str
    parents: tuple[str, ...] = ()
    tree: dict[str, bytes] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Stored:
    """An artifact, and what its archive holds."""

    node: Node
    data: bytes


class State:
    """Everything by its key; ids are handed out in order."""

    def __init__(self) -> None:
        self.tokens: dict[str, Token] = {}
        self.comments: dict[int, tuple[int, Node]] = {}
        self.pulls: dict[int, Node] = {}
        self.files: dict[int, list[Node]] = {}
        self.commits: dict[str, Commit] = {}
        self.branches: dict[str, str] = {}
        self.compared: dict[str, list[Node]] = {}
        self.check_runs: dict[int, Node] = {}
        self.annotations: dict[int, list[Node]] = {}
        self.runs: dict[int, Node] = {}
        self.artifacts: dict[int, Stored] = {}
        self._last = 1000

    def next_id(self) -> int:
        self._last += 1
        return self._last

    def token(
        self,
        value: str = "ghs_actions",
        *,
        login: str = "github-actions[bot]",
        app: str | None = "github-actions",
        app_id: int = 15368,
        permissions: Mapping[str, str] = WRITES,
    ) -> str:
        """A token that works; its value."""
        self.tokens[value] = Token(
            value=value, login=login, app=app, app_id=app_id, permissions=permissions
        )
        return value

    def commit(self, sha: str, *parents: str, tree: Mapping[str, bytes] | None = None) -> str:
        """A commit that is there; without a tree it has that of its first parent."""
        inherited = self.commits[parents[0]].tree if parents else {}
        self.commits[sha] = Commit(
            sha=sha, parents=parents, tree=dict(inherited if tree is None else tree)
        )
        return sha

    def ancestors(self, sha: str) -> list[str]:
        """The commit and all before it, nearest first."""
        found, todo = [], [sha]
        while todo:
            one = todo.pop(0)
            if one not in found:
                found.append(one)
                todo += self.commits[one].parents
        return found

    def pull(
        self,
        number: int,
        *,
        head: str,
        base: str,
        branch: str = "change",
        owner: str = "acme",
        deleted: bool = False,
        state: str = "open",
    ) -> None:
        """A pull request from `owner:branch` into main; both commits are made if need be."""
        for sha in (head, base):
            if sha not in self.commits:
                self.commit(sha)
        source = None if deleted else example("repository", full_name=f"{owner}/agent")
        target = example("repository", id=REPOSITORY_ID, full_name=REPOSITORY)
        node = example("pull-request", number=number, state=state)
        user = example("simple-user", login=owner)
        node["head"] |= {"sha": head, "ref": branch, "label": f"{owner}:{branch}", "repo": source}
        node["base"] |= {"sha": base, "ref": "main", "label": "acme:main", "repo": target}
        node["head"]["user"] = node["base"]["user"] = node["user"] = user
        node["changed_files"] = 0
        self.pulls[number] = node
        self.files[number] = []

    def change_files(self, number: int, files: Iterable[Node], *, total: int | None = None) -> None:
        """What the pull request changes; `total` is what it says where it lists fewer."""
        self.files[number] = list(files)
        self.pulls[number]["changed_files"] = len(self.files[number]) if total is None else total

    def comment(self, number: int, body: str, *, login: str = "maria") -> int:
        """A comment that somebody left; its id."""
        made = self.next_id()
        url = f"https://github.example/{REPOSITORY}/pull/{number}#issuecomment-{made}"
        user = example("simple-user", login=login, type="Bot" if "[bot]" in login else "User")
        node = example("issue-comment", id=made, body=body, html_url=url, user=user)
        self.comments[made] = (number, node)
        return made

    def bodies(self, number: int = 7) -> list[str]:
        """The comments on a pull request, as they are shown."""
        return [node["body"] for on, node in self.comments.values() if on == number]

    def run(
        self,
        *,
        head: str,
        branch: str = "main",
        event: str = "push",
        fork: bool = False,
    ) -> int:
        """A workflow run; its id."""
        made = self.next_id()
        if head not in self.commits:
            self.commit(head)
        source = FORK_ID if fork else REPOSITORY_ID
        self.runs[made] = example(
            "workflow-run",
            id=made,
            event=event,
            head_branch=branch,
            head_sha=head,
            repository=example("minimal-repository", id=REPOSITORY_ID),
            head_repository=example("minimal-repository", id=source),
        )
        return made

    def artifact(self, run: int, name: str, data: bytes, **values: Any) -> int:
        """An artifact of a run; its id. `values` are told in place of the truth."""
        made, node = self.next_id(), self.runs[run]
        told = {
            "id": made,
            "name": name,
            "size_in_bytes": len(data),
            "created_at": WHEN,
            "digest": f"sha256:{hashlib.sha256(data).hexdigest()}",
            "expired": False,
            "workflow_run": {
                "id": run,
                "repository_id": REPOSITORY_ID,
                "head_repository_id": node["head_repository"]["id"],
                "head_branch": node["head_branch"],
                "head_sha": node["head_sha"],
            },
        }
        self.artifacts[made] = Stored(node=example("artifact", **(told | values)), data=data)
        return made


def file(name: str, status: str = "modified", **values: object) -> Node:
    """An entry of a list of changed files."""
    return example("diff-entry", filename=name, status=status, **values)


def packed(**files: bytes) -> bytes:
    """A zip archive; `__` in a name stands for a dot."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return stream.getvalue()
