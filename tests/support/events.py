"""GitHub's events, as small as its webhook schemas allow, and the variables beside them."""

import json
from pathlib import Path

from mergebar.model.text import Json
from support.github import description

REPOSITORY = "acme/agent"
BASE = "b" * 40
HEAD = "a" * 40
MERGE = "c" * 40
ZERO = "0" * 40


def repository(name: str = REPOSITORY, *, private: bool = True) -> dict[str, Json]:
    return {"full_name": name, "default_branch": "main", "private": private}


def pull_request(
    *,
    head_repository: str | None = REPOSITORY,
    author: str = "maria",
    action: str = "synchronize",
    base: str = BASE,
    head: str = HEAD,
    number: int = 7,
) -> dict[str, Json]:
    """`head_repository=None` is a fork that was deleted."""
    source: Json = None if head_repository is None else {"full_name": head_repository}
    return description.webhook(
        f"pull-request-{action}",
        {
            "action": action,
            "number": number,
            "repository": repository(),
            "pull_request": {
                "number": number,
                "user": {"login": author},
                "head": {"sha": head, "ref": "change", "repo": source},
                "base": {"sha": base, "ref": "main", "repo": {"full_name": REPOSITORY}},
            },
        },
    )


def push(*, branch: str = "main", before: str = BASE, after: str = HEAD) -> dict[str, Json]:
    return description.webhook(
        "push",
        {
            "ref": f"refs/heads/{branch}",
            "before": before,
            "after": after,
            "repository": repository(),
        },
    )


def merge_group(*, base: str = BASE, head: str = HEAD) -> dict[str, Json]:
    return description.webhook(
        "merge-group-checks-requested",
        {
            "action": "checks_requested",
            "merge_group": {
                "base_sha": base,
                "base_ref": "refs/heads/main",
                "head_sha": head,
                "head_ref": f"refs/heads/gh-readonly-queue/main/pr-7-{base}",
            },
            "repository": repository(),
        },
    )


def schedule() -> dict[str, Json]:
    """Not a webhook: GitHub describes it nowhere, and tells little more than this."""
    return {"schedule": "0 4 * * *", "repository": repository()}


def workflow_dispatch(*, branch: str = "main", **inputs: Json) -> dict[str, Json]:
    return description.webhook(
        "workflow-dispatch",
        {"inputs": inputs or None, "ref": f"refs/heads/{branch}", "repository": repository()},
    )


def workflow_run() -> dict[str, Json]:
    return description.webhook(
        "workflow-run-completed",
        {
            "action": "completed",
            "workflow_run": {
                "id": 90,
                "event": "pull_request",
                "conclusion": "success",
                "head_sha": HEAD,
                "head_branch": "change",
                "head_repository": {"full_name": "stranger/agent"},
                "run_attempt": 1,
                "pull_requests": [],
            },
            "repository": repository(),
        },
    )


def environ(
    name: str,
    *,
    path: Path | None = None,
    payload: Json = None,
    actor: str = "maria",
    sha: str = MERGE,
    ref: str = "refs/heads/main",
) -> dict[str, str]:
    """The runner's variables for an event; `payload` is written to `path`."""
    variables = {
        "GITHUB_ACTIONS": "true",
        "GITHUB_ACTOR": actor,
        "GITHUB_EVENT_NAME": name,
        "GITHUB_REF": ref,
        "GITHUB_REPOSITORY": REPOSITORY,
        "GITHUB_RUN_ATTEMPT": "2",
        "GITHUB_RUN_ID": "4711",
        "GITHUB_SHA": sha,
    }
    if path is not None:
        path.write_text(json.dumps(payload), encoding="utf-8")
        variables["GITHUB_EVENT_PATH"] = str(path)
    return variables
