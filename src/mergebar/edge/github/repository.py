"""The repository on GitHub: all that is read of it and posted to it, over the REST API."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from mergebar.calling import proxies
from mergebar.edge import artifacts as service
from mergebar.edge.changes import Strategy
from mergebar.edge.events import Event
from mergebar.edge.github import (
    artifacts,
    baselines,
    changed_files,
    check_runs,
    comments,
    contents,
    downloads,
    pull_requests,
)
from mergebar.edge.github.baselines import Baseline, NoBaseline, Wanted
from mergebar.edge.github.client import Client
from mergebar.edge.github.pull_requests import PullRequest
from mergebar.edge.github.rest import Rest
from mergebar.edge.github.waiting import REAL, TOTAL_S, Clock, Patience
from mergebar.model.publishing import (
    CheckRun,
    CheckRunOutput,
    CommentMode,
    Conclusion,
    GitHubTrouble,
    PublishOutcome,
    TroubleKind,
)
from mergebar.reading.limits import MAX_BYTES

DEFAULT_API = "https://api.github.com"
_TOKEN = re.compile("[!-~]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Which repository (`owner/name`), where, and with what; the token is in no message.

    `api_url` is `GITHUB_API_URL`. `forked`: the event is a pull request from a fork or by
    Dependabot, whose token can only read. `timeout_s` is for one attempt, `total_wait_s` for all
    waiting and failing together. `environ` names the proxies.
    """

    token: str
    repository: str
    api_url: str = DEFAULT_API
    forked: bool = False
    timeout_s: float = 20
    total_wait_s: float = TOTAL_S
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)


def connect(access: Access, *, clock: Clock = REAL) -> "GitHub | GitHubTrouble":
    """Nothing is sent yet; trouble is what can be seen without that."""
    owner, _, name = access.repository.partition("/")
    wrong = ""
    if not access.token:
        wrong = "`github-token` is empty; leave it out to use the one of the job"
    elif not _TOKEN.fullmatch(access.token):
        wrong = "`github-token` has characters that no token has"
    elif service.origin(access.api_url) is None:
        wrong = "`GITHUB_API_URL` is no address like `https://api.github.com`"
    elif not owner or not name or "/" in name:
        wrong = "`GITHUB_REPOSITORY` isn't `owner/name`"
    elif (proxy := proxies.of(access.api_url, access.environ)) and proxy.failure:
        wrong = proxy.failure.message
    if wrong:
        return GitHubTrouble(kind=TroubleKind.REJECTED, message=f"can't use GitHub: {wrong}")
    return GitHub(access, clock=clock)


class GitHub:
    """What is asked of it, each part described by its module; `with` lets go of the connection.

    Times are RFC 3339 in UTC.
    """

    def __init__(self, access: Access, *, clock: Clock = REAL) -> None:
        self._access = access
        self._clock = clock
        self._client = Client(
            Rest(token=access.token, api_url=access.api_url, timeout_s=access.timeout_s),
            Patience(clock, total_s=access.total_wait_s),
            repository=access.repository,
            forked=access.forked,
        )
        self._fetch = downloads.fetcher(
            clock, secure=access.api_url.startswith("https:"), environ=access.environ
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._client.close()

    def hurried(self, *, timeout_s: float = 3, total_wait_s: float = 1.0) -> "GitHub":
        """Another connection for a run that is being stopped: the runner gives it ten seconds."""
        access = replace(self._access, timeout_s=timeout_s, total_wait_s=total_wait_s)
        return GitHub(access, clock=self._clock)

    def strategies(self, event: Event) -> tuple[Strategy, ...]:
        return changed_files.strategies(self._client, event)

    def read(self, path: str, commit: str, *, limit: int = MAX_BYTES) -> bytes | GitHubTrouble:
        return contents.read(self._client, path, commit, limit=limit)

    def pull_requests(
        self, head: str, *, owner: str | None = None, branch: str | None = None
    ) -> tuple[PullRequest, ...] | GitHubTrouble:
        return pull_requests.by_head(self._client, head, owner=owner, branch=branch)

    def baseline(
        self, wanted: Wanted, *, fault: Callable[[Baseline], str] = baselines.anything
    ) -> Baseline | NoBaseline | GitHubTrouble:
        return baselines.find(self._client, wanted, fetch=self._fetch, fault=fault)

    def artifact(
        self, run: int, name: str, file: str, *, limit: int = MAX_BYTES
    ) -> bytes | GitHubTrouble | None:
        """One file of an artifact of a run; `None` where the run has no such artifact."""
        found = artifacts.of_run(self._client, run, name)
        if found is None or isinstance(found, GitHubTrouble):
            return found
        return artifacts.download(self._client, found, file, limit=limit, fetch=self._fetch)

    def comment(
        self,
        number: int,
        body: str,
        *,
        mode: CommentMode = CommentMode.ALWAYS,
        noteworthy: bool = True,
        author: str | None = None,
    ) -> PublishOutcome:
        return comments.upsert(
            self._client, number, body, mode=mode, noteworthy=noteworthy, author=author
        )

    def start_check_run(
        self, *, name: str, head_sha: str, external_id: str, details_url: str, started_at: str
    ) -> CheckRun | GitHubTrouble:
        return check_runs.start(
            self._client,
            name=name,
            head_sha=head_sha,
            external_id=external_id,
            details_url=details_url,
            started_at=started_at,
        )

    def find_check_run(
        self, *, name: str, head_sha: str, external_id: str
    ) -> CheckRun | GitHubTrouble | None:
        return check_runs.find(self._client, name=name, head_sha=head_sha, external_id=external_id)

    def complete_check_run(
        self, run: CheckRun, *, conclusion: Conclusion, completed_at: str, output: CheckRunOutput
    ) -> PublishOutcome:
        return check_runs.complete(
            self._client, run, conclusion=conclusion, completed_at=completed_at, output=output
        )
