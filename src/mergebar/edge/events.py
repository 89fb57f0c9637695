"""GitHub's event in, what it means for this run out: how far it is trusted, and how much to run.

The rules are the event table of the product contract (section 9). Everything in an event file was
written by whoever caused the event, so nothing in it is taken for more than it can prove.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json, JsonObject

DEPENDABOT = "dependabot[bot]"

_LARGEST_EVENT = 64 * 1024 * 1024
_SHA = re.compile("[0-9a-f]{40}([0-9a-f]{24})?")
_NUMBER = re.compile("[1-9][0-9]{0,17}")


class EventScope(StrEnum):
    """How much an event calls for. `publish` and `check` allow nothing else."""

    AFFECTED = "affected"
    ALL = "all"
    NOTHING = "nothing"
    PUBLISH = "publish"
    CHECK = "check"


class Work(StrEnum):
    """What the action does for an event."""

    RUN = "run"
    CHECK = "check"
    PUBLISH = "publish"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What started this run. `name` is `None` outside GitHub Actions. Commits are full shas.

    `base` is the commit that the event itself names, `base_branch` the branch it is the tip of.
    `head` is the commit to report on, `tested` what the runner checked out (for a pull request
    its merge commit). `baseline_branch` is the branch that this run may become a baseline of;
    with `all_without_baseline`, everything is affected until there is one. `distrust` says why
    the event isn't trusted, `over` why there is nothing left to do for it. `public` is whether
    anyone can read the repository; `None` is unknown.
    """

    name: str | None
    trusted: bool
    scope: EventScope
    action: str | None = None
    distrust: str = ""
    over: str = ""
    base: str | None = None
    base_branch: str | None = None
    head: str | None = None
    tested: str | None = None
    pull_request: int | None = None
    baseline_branch: str | None = None
    all_without_baseline: bool = False
    default_branch: str | None = None
    repository: str | None = None
    public: bool | None = None
    run_id: str | None = None
    attempt: int | None = None


def read(environ: Mapping[str, str]) -> Event | Problem:
    """The event of this run, by `GITHUB_ACTIONS`, `GITHUB_EVENT_NAME` and `GITHUB_EVENT_PATH`."""
    if environ.get("GITHUB_ACTIONS") != "true":
        return Event(name=None, trusted=True, scope=EventScope.AFFECTED)
    name = environ.get("GITHUB_EVENT_NAME", "")
    path = environ.get("GITHUB_EVENT_PATH", "")
    if not name or not path:
        missing = "GITHUB_EVENT_PATH" if name else "GITHUB_EVENT_NAME"
        return _problem(
            f"`{missing}` is not set although `GITHUB_ACTIONS` is: pass all `GITHUB_*` variables "
            "to mergebar, or unset `GITHUB_ACTIONS`"
        )
    payload = load(Path(path))
    return payload if isinstance(payload, Problem) else interpret(name, payload, environ)


def interpret(name: str, payload: JsonObject, environ: Mapping[str, str]) -> Event | Problem:
    """What the event means; a `Problem` where the payload lacks what no run can do without."""
    meaning = _MEANINGS.get(name, _any_other)
    return meaning(_bare(name, payload, environ), payload, environ)


def work(event: Event, *, mode: str) -> Work | Problem:
    """What to do for the event in the `mode` asked for, or why that is refused."""
    publishes = event.scope is EventScope.PUBLISH
    automatic = Work.PUBLISH if publishes else Work.RUN
    asked = automatic if mode == "auto" else Work(mode)
    if publishes and asked is not Work.PUBLISH:
        return _problem(
            f"`mode: {asked}` is refused on `workflow_run`: it runs with secrets after a run that "
            "had none; use `mode: publish` here, and run the evals on `pull_request`"
        )
    if event.scope is EventScope.CHECK and asked is not Work.CHECK:
        return _problem(
            f"`mode: {asked}` is refused on `pull_request_target`: it would hand secrets to the "
            "code of the pull request; use `mode: check` here, or the event `pull_request`"
        )
    return asked


def load(path: Path) -> JsonObject | Problem:
    """An event file as GitHub writes it."""
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST_EVENT + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return _problem(f"can't read the event file that `GITHUB_EVENT_PATH` names: {reason}")
    if len(data) > _LARGEST_EVENT:
        return _problem("the event file that `GITHUB_EVENT_PATH` names is larger than 64 MiB")
    try:
        payload: Json = json.loads(data)
    except (ValueError, RecursionError):
        return _problem("the event file that `GITHUB_EVENT_PATH` names is not valid JSON")
    if not isinstance(payload, dict):
        return _problem("the event file that `GITHUB_EVENT_PATH` names is not a JSON object")
    return payload


def _bare(name: str, payload: JsonObject, environ: Mapping[str, str]) -> Event:
    """What every event says, as the least trusted of them: any other event."""
    repository = _object(payload, "repository")
    private = repository.get("private")
    tested = _sha(environ.get("GITHUB_SHA"))
    return Event(
        name=name,
        trusted=False,
        scope=EventScope.ALL,
        action=_text(payload, "action"),
        head=tested,
        tested=tested,
        default_branch=_text(repository, "default_branch"),
        repository=_text(repository, "full_name") or environ.get("GITHUB_REPOSITORY") or None,
        public=not private if isinstance(private, bool) else None,
        run_id=_digits(environ.get("GITHUB_RUN_ID")),
        attempt=int(_digits(environ.get("GITHUB_RUN_ATTEMPT")) or 1),
    )


def _pull_request(run: Event, payload: JsonObject, environ: Mapping[str, str]) -> Event | Problem:
    pull = _object(payload, "pull_request")
    number = _number(pull.get("number")) or _number(payload.get("number"))
    if number is None:
        return _problem(
            f"the event file of `{run.name}` names no pull request: it is not GitHub's own file"
        )
    head, base = _object(pull, "head"), _object(pull, "base")
    distrust = _distrust(run, pull, environ)
    event = replace(
        run,
        trusted=not distrust,
        scope=EventScope.AFFECTED,
        distrust=distrust,
        base=_sha(base.get("sha")),
        base_branch=_text(base, "ref"),
        head=_sha(head.get("sha")),
        pull_request=number,
    )
    if run.name == "pull_request" and run.action == "closed":
        return _over(event, "the pull request was closed")
    return event


def _over(event: Event, why: str) -> Event:
    """Nothing is run, and nothing posted."""
    return replace(event, trusted=False, scope=EventScope.NOTHING, over=why)


def _distrust(run: Event, pull: JsonObject, environ: Mapping[str, str]) -> str:
    """Why a pull request is not trusted; empty for one of this repository's own branches."""
    source = _object(_object(pull, "head"), "repo")
    author = _text(_object(pull, "user"), "login")
    actors = {environ.get("GITHUB_ACTOR"), environ.get("GITHUB_TRIGGERING_ACTOR"), author}
    if DEPENDABOT in actors:
        return "secrets are not given to pull requests by Dependabot"
    if not source:
        return "the fork that this pull request comes from was deleted"
    if run.repository is None or _text(source, "full_name") != run.repository:
        return "secrets are not given to fork pull requests"
    return ""


def _pull_request_target(
    run: Event, payload: JsonObject, environ: Mapping[str, str]
) -> Event | Problem:
    event = _pull_request(run, payload, environ)
    if isinstance(event, Problem):
        return event
    why = "`pull_request_target` holds secrets beside the code of strangers"
    return replace(event, trusted=False, scope=EventScope.CHECK, distrust=why)


def _merge_group(run: Event, payload: JsonObject, _environ: Mapping[str, str]) -> Event:
    group = _object(payload, "merge_group")
    return replace(
        run,
        trusted=True,
        scope=EventScope.AFFECTED,
        base=_sha(group.get("base_sha")),
        base_branch=_branch(group.get("base_ref")),
        head=_sha(group.get("head_sha")) or run.head,
    )


def _push(run: Event, payload: JsonObject, environ: Mapping[str, str]) -> Event:
    if payload.get("deleted") is True:  # what is checked out is the default branch
        return _over(run, "the branch or tag was deleted")
    branch = _branch(payload.get("ref")) or _branch(environ.get("GITHUB_REF"))
    to_default = branch is not None and branch == run.default_branch
    return replace(
        run,
        trusted=True,
        scope=EventScope.AFFECTED,
        base=_sha(payload.get("before")),
        base_branch=branch if to_default else run.default_branch,
        baseline_branch=branch,
        all_without_baseline=to_default,
    )


def _schedule(run: Event, _payload: JsonObject, _environ: Mapping[str, str]) -> Event:
    return replace(run, trusted=True, baseline_branch=run.default_branch)


def _workflow_dispatch(run: Event, _payload: JsonObject, environ: Mapping[str, str]) -> Event:
    return replace(run, trusted=True, baseline_branch=_branch(environ.get("GITHUB_REF")))


def _workflow_run(run: Event, _payload: JsonObject, _environ: Mapping[str, str]) -> Event:
    why = "`workflow_run` follows a run whose results are untrusted"
    return replace(run, scope=EventScope.PUBLISH, distrust=why)


def _any_other(run: Event, _payload: JsonObject, _environ: Mapping[str, str]) -> Event:
    return replace(run, distrust=f"the event `{run.name}` is not one that mergebar trusts")


_MEANINGS: Mapping[str, Callable[[Event, JsonObject, Mapping[str, str]], Event | Problem]] = {
    "pull_request": _pull_request,
    "pull_request_target": _pull_request_target,
    "merge_group": _merge_group,
    "push": _push,
    "schedule": _schedule,
    "workflow_dispatch": _workflow_dispatch,
    "workflow_run": _workflow_run,
}


def _object(value: JsonObject, key: str) -> JsonObject:
    inner = value.get(key)
    return inner if isinstance(inner, dict) else {}


def _text(value: JsonObject, key: str) -> str | None:
    inner = value.get(key)
    return inner if isinstance(inner, str) and inner else None


def _number(value: Json) -> int | None:
    return value if type(value) is int and value > 0 else None


def _digits(text: str | None) -> str | None:
    return text if text and _NUMBER.fullmatch(text) else None


def _sha(value: Json) -> str | None:
    """A full commit id; GitHub writes zeros for the commit before a new branch."""
    return value if isinstance(value, str) and _SHA.fullmatch(value) and value.strip("0") else None


def _branch(value: Json) -> str | None:
    prefix = "refs/heads/"
    return (
        value.removeprefix(prefix) if isinstance(value, str) and value.startswith(prefix) else None
    )


def _problem(message: str) -> Problem:
    return Problem(level=Level.ERROR, rule="config/event", message=message)
