"""The inputs and the event in; the connection to GitHub out, and what it is asked before a run."""

from collections.abc import Mapping
from dataclasses import replace

from mergebar.commands.bases.remote import Remote
from mergebar.commands.runs.assembling import Surroundings
from mergebar.edge.events import Event
from mergebar.edge.git import Git, GitTrouble
from mergebar.edge.github import repository
from mergebar.edge.github.repository import Access, GitHub
from mergebar.edge.github.waiting import REAL, Clock
from mergebar.model.publishing import GitHubTrouble
from mergebar.settings import Settings


def connect(
    settings: Settings, event: Event, environ: Mapping[str, str], *, clock: Clock = REAL
) -> GitHub | GitHubTrouble | None:
    """Nothing is sent yet. `None` outside of GitHub Actions, where there is nothing to post to."""
    if event.name is None:
        return None
    return repository.connect(
        Access(
            token=settings.github_token or "",
            repository=event.repository or "",
            api_url=environ.get("GITHUB_API_URL") or repository.DEFAULT_API,
            forked=event.pull_request is not None and not event.trusted,
            environ=environ,
        ),
        clock=clock,
    )


def connected(around: Surroundings, github: GitHub | GitHubTrouble | None) -> Surroundings:
    """The same surroundings, with what GitHub can tell of the event."""
    event = _checked_out(around)
    if not isinstance(github, GitHub):
        return replace(around, event=event)
    remote = Remote(
        changed=github.strategies(event),
        read=github.read,
        baseline=github.baseline,
        strategies=github.strategies,
    )
    return replace(around, event=event, remote=remote)


def pull_request(event: Event, github: GitHub, *, started_on: Event) -> int | GitHubTrouble | None:
    """Where the comment goes: the event's pull request, or the one whose head was checked out.

    `started_on` is what GitHub calls the event, whatever the workflow checked out since.
    """
    if event.name == "pull_request":
        return event.pull_request
    if event.head is None or event.head == started_on.head:
        return None
    found = github.pull_requests(event.head)
    if isinstance(found, GitHubTrouble):
        return found
    return found[0].number if len(found) == 1 else None


def repository_page(event: Event, environ: Mapping[str, str]) -> str | None:
    """The address of the repository's page; `None` where GitHub doesn't say."""
    server = environ.get("GITHUB_SERVER_URL", "").rstrip("/")
    return f"{server}/{event.repository}" if server and event.repository else None


def run_page(page: str | None, run: str | int | None) -> str | None:
    """The address of a run of the repository whose page this is."""
    return f"{page}/actions/runs/{run}" if page and run else None


def _checked_out(around: Surroundings) -> Event:
    """A dispatched workflow may check out a pull request: then that commit is reported on.

    What was measured of it is no baseline of the branch that the workflow was started on.
    """
    event = around.event
    if event.name != "workflow_dispatch":
        return event
    head = Git(around.place.cwd, around.environ).head()
    if isinstance(head, GitTrouble) or head == event.tested:
        return event
    return replace(event, head=head, tested=head, baseline_branch=None)
