"""A body in, the one sticky comment of its gate on a pull request out, written or left alone.

Ours is what begins with our marker and was written by our own login. The oldest is kept, later
ones are removed, and what a newer run wrote is never overwritten.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from mergebar.edge.github import markers, pull_requests
from mergebar.edge.github.client import Client
from mergebar.edge.github.exchange import Purpose
from mergebar.edge.github.markers import Marker
from mergebar.edge.github.shapes import Id
from mergebar.model.publishing import (
    CommentMode,
    GitHubTrouble,
    PublishOutcome,
    PublishState,
    TroubleKind,
    refused,
)

ACTIONS = "github-actions[bot]"
"""Whom the runner's own token speaks for."""

_ROUNDS = 3
_LIST = Purpose(what="list the comments", permission="pull-requests: write")
_POST = Purpose(what="post the comment", permission="pull-requests: write")
_REMOVE = Purpose(what="remove a duplicate comment", permission="pull-requests: write")
_WHO = Purpose(what="ask whom the token belongs to", permission="metadata: read")


@dataclass(frozen=True)
class _User:
    login: str


@dataclass(frozen=True)
class _Comment:
    id: Id
    html_url: str
    user: _User | None
    body: str = ""

    @property
    def author(self) -> str | None:
        return None if self.user is None else self.user.login


@dataclass(frozen=True, slots=True, kw_only=True)
class _Marked:
    """A comment that begins with the marker of our gate, whoever wrote it."""

    comment: _Comment
    marker: Marker


_ONE = TypeAdapter(_Comment)
_MANY = TypeAdapter(tuple[_Comment, ...])
_USER = TypeAdapter(_User)


def upsert(
    client: Client,
    number: int,
    body: str,
    *,
    mode: CommentMode = CommentMode.ALWAYS,
    noteworthy: bool = True,
    author: str | None = None,
) -> PublishOutcome:
    """Post the comment or bring it up to date, or say why not.

    `body` begins with its marker. `noteworthy`: there is something that `mode` asks to post for;
    a comment that is there already is updated anyway. `author` is the login that the token is
    known to speak for, from a check run that it created.
    """
    marker = markers.read(body)
    if marker is None:
        raise ValueError("the body of a comment begins with its marker")
    if mode is CommentMode.NEVER:
        return PublishOutcome(state=PublishState.SKIPPED)
    post = _Post(client=client, number=number, body=body, marker=marker)
    logins = frozenset({ACTIONS, author or ACTIONS})
    return post.write(logins, create=noteworthy or mode is CommentMode.ALWAYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Post:
    """One body on its way to one pull request."""

    client: Client
    number: int
    body: str
    marker: Marker

    def write(self, logins: frozenset[str], *, create: bool) -> PublishOutcome:
        """Round by round: another run may remove what this one was about to edit."""
        outcome = _SKIPPED
        for _ in range(_ROUNDS):
            # The comments are read last: what another run writes after that goes unseen.
            moved = self.has_moved_on()
            marked = moved if isinstance(moved, GitHubTrouble) else self.marked()
            if isinstance(marked, GitHubTrouble):
                return refused(marked)
            ours = _by(marked, logins) or self.by_owner(marked)
            if moved or self.is_outdated(ours):
                url = ours[0].comment.html_url if ours else None
                return PublishOutcome(state=PublishState.OLDER, url=url)
            if not ours:
                return self.create(marked, logins) if create else _SKIPPED
            outcome = self.settle(ours)
            if outcome.trouble is None or outcome.trouble.kind is not TroubleKind.NOT_FOUND:
                return outcome
        return outcome

    def has_moved_on(self) -> bool | GitHubTrouble:
        """Whether the pull request has another head by now."""
        if self.marker.sha is None:
            return False
        now = pull_requests.find(self.client, self.number, purpose=pull_requests.TO_COMMENT)
        return now if isinstance(now, GitHubTrouble) else now.head_sha != self.marker.sha

    def is_outdated(self, ours: tuple[_Marked, ...]) -> bool:
        """Whether a newer run has written already."""
        return any(one.marker.order > self.marker.order for one in ours)

    def marked(self) -> tuple[_Marked, ...] | GitHubTrouble:
        """Whatever begins with the marker of this gate, oldest first, on any page."""
        found = self.client.pages(_MANY, tuple, f"/issues/{self.number}/comments", _LIST)
        if isinstance(found, GitHubTrouble):
            return found
        read = ((one, markers.read(one.body)) for one in sorted(found, key=lambda one: one.id))
        return tuple(
            _Marked(comment=one, marker=marker)
            for one, marker in read
            if marker is not None and marker.key == self.marker.key
        )

    def by_owner(self, marked: tuple[_Marked, ...]) -> tuple[_Marked, ...]:
        """Those by the person whose token it is; an app's token may not ask who it is."""
        if not marked:
            return ()
        who = self.client.get(_USER, "//user", _WHO)
        return () if isinstance(who, GitHubTrouble) else _by(marked, {who.login})

    def create(self, before: tuple[_Marked, ...], logins: frozenset[str]) -> PublishOutcome:
        """Post it, and then look whether another run did the same in the meantime."""
        known = {one.comment.id for one in before}
        made = self.client.create(
            _ONE,
            f"/issues/{self.number}/comments",
            {"body": self.body},
            _POST,
            look=lambda: self.posted(known),
        )
        if isinstance(made, GitHubTrouble):
            return refused(made)
        created = PublishOutcome(state=PublishState.CREATED, url=made.html_url)
        marked = self.marked()
        if isinstance(marked, GitHubTrouble) or made.author is None:
            return created
        ours = _by(marked, {*logins, made.author})
        if [one.comment.id for one in ours] in ([made.id], []):
            return created
        if self.is_outdated(ours):
            return self.yield_to(ours, made)
        outcome = self.settle(ours)
        return (
            outcome if ours[0].comment.id != made.id else replace(created, trouble=outcome.trouble)
        )

    def posted(self, known: set[int]) -> _Comment | GitHubTrouble | None:
        """The comment that a lost answer was about: this run's marker, and new."""
        marked = self.marked()
        if isinstance(marked, GitHubTrouble):
            return marked
        new = (one.comment for one in marked if one.comment.id not in known)
        return next((one for one in new if one.body.startswith(self.marker.line)), None)

    def yield_to(self, ours: tuple[_Marked, ...], made: _Comment) -> PublishOutcome:
        """A newer run posted at the same time. Its comment stays; the oldest is left for it."""
        trouble = None
        if made.id != ours[0].comment.id:
            trouble = self.remove(made)
        return PublishOutcome(
            state=PublishState.OLDER, url=ours[0].comment.html_url, trouble=trouble
        )

    def settle(self, ours: tuple[_Marked, ...]) -> PublishOutcome:
        """The oldest gets this body, and all later ones go."""
        oldest, *later = (one.comment for one in ours)
        state, url = PublishState.UNCHANGED, oldest.html_url
        if oldest.body != self.body:
            path = f"/issues/comments/{oldest.id}"
            made = self.client.change(_ONE, path, {"body": self.body}, _POST)
            if isinstance(made, GitHubTrouble):
                return refused(made)
            state, url = PublishState.UPDATED, made.html_url
        troubles = [trouble for one in later if (trouble := self.remove(one)) is not None]
        return PublishOutcome(state=state, url=url, trouble=troubles[0] if troubles else None)

    def remove(self, comment: _Comment) -> GitHubTrouble | None:
        return self.client.remove(f"/issues/comments/{comment.id}", _REMOVE)


_SKIPPED = PublishOutcome(state=PublishState.SKIPPED)


def _by(marked: tuple[_Marked, ...], logins: Iterable[str]) -> tuple[_Marked, ...]:
    known = set(logins)
    return tuple(one for one in marked if one.comment.author in known)
