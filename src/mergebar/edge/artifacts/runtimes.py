"""The environment of a container action in, how to reach its artifact service out."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from mergebar.calling import machine_json
from mergebar.edge.artifacts.outcomes import ArtifactTrouble, TroubleKind, not_uploaded
from mergebar.untrusted import characters

_GITHUB = "https://github.com"
_SCOPE = "Actions.Results"
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_HOST = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|[0-9a-f]*:[0-9a-f:.]+")
_NUMBER = re.compile("[0-9]{1,20}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """`origin` has neither path nor slash. `longest_days` is the repository's retention."""

    origin: str
    token: str = field(repr=False)
    run_backend_id: str
    job_backend_id: str
    longest_days: int | None


def read(environ: Mapping[str, str]) -> Runtime | ArtifactTrouble:
    """What the runner says of the service; trouble where it has none for us."""
    unsupported = _unsupported(environ.get("GITHUB_SERVER_URL") or _GITHUB)
    if unsupported:
        return unsupported
    token, url = environ.get("ACTIONS_RUNTIME_TOKEN"), environ.get("ACTIONS_RESULTS_URL")
    if not token or not url:
        missing = "ACTIONS_RESULTS_URL" if token else "ACTIONS_RUNTIME_TOKEN"
        return ArtifactTrouble(
            kind=TroubleKind.ABSENT,
            message=f"artifacts can't be uploaded from here: `{missing}` is not set; the runner "
            "sets it for actions, not for `run:` steps, where `actions/upload-artifact` can "
            "follow as a step of its own",
        )
    address = origin(url)
    if address is None:
        return _unusable("`ACTIONS_RESULTS_URL` is not an address that mergebar can call")
    ids = _backend_ids(token)
    if isinstance(ids, ArtifactTrouble):
        return ids
    days = environ.get("GITHUB_RETENTION_DAYS", "")
    longest = int(days) if _NUMBER.fullmatch(days) and int(days) else None
    return Runtime(
        origin=address,
        token=token,
        run_backend_id=ids[0],
        job_backend_id=ids[1],
        longest_days=longest,
    )


def artifact_url(environ: Mapping[str, str], artifact_id: int) -> str | None:
    """The page of an artifact of this run; `None` where the runner doesn't say which run it is."""
    server = origin(environ.get("GITHUB_SERVER_URL") or _GITHUB)
    repository, run = environ.get("GITHUB_REPOSITORY", ""), environ.get("GITHUB_RUN_ID", "")
    if server is None or not _REPOSITORY.fullmatch(repository) or not _NUMBER.fullmatch(run):
        return None
    return f"{server}/{repository}/actions/runs/{run}/artifacts/{artifact_id}"


def origin(url: str) -> str | None:
    """Scheme, host and port of an address of the web; `None` where it has none, or a user."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname or ""
    if parts.scheme not in {"http", "https"} or "@" in parts.netloc or not _HOST.fullmatch(host):
        return None
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}" + (f":{port}" if port else "")


def _unsupported(server: str) -> ArtifactTrouble | None:
    """GitHub's own clients go by the host's name too: the service itself isn't asked."""
    address = origin(server)
    host = (urlsplit(address).hostname or "") if address else ""
    if host == "github.com" or host.endswith((".ghe.com", ".localhost")):
        return None
    shown = characters.line(host or server)[:100].replace("`", "'")
    return ArtifactTrouble(
        kind=TroubleKind.UNSUPPORTED,
        message=f"`{shown}` has no artifact service that mergebar can use; the report stays in "
        "the workspace, where `actions/upload-artifact@v3` can take it from `report-path`",
    )


def _backend_ids(token: str) -> tuple[str, str] | ArtifactTrouble:
    scopes = _scopes(token)
    if scopes is None:
        return _unusable("`ACTIONS_RUNTIME_TOKEN` is not a token that mergebar can read")
    for scope in scopes.split():
        kind, *ids = scope.split(":")
        if kind == _SCOPE and len(ids) == 2 and all(ids):  # noqa: PLR2004 - of the run, of the job
            return ids[0], ids[1]
    return _unusable(f"`ACTIONS_RUNTIME_TOKEN` has no scope `{_SCOPE}` with a run and a job")


def _scopes(token: str) -> str | None:
    """The claim `scp`. The signature isn't ours to check: the token is only handed back."""
    _, _, rest = token.partition(".")
    payload, dot, _ = rest.partition(".")
    try:
        padded = payload + "=" * (-len(payload) % 4)
        data = base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None
    claims = machine_json.parse(data)
    if isinstance(claims, machine_json.Fault) or not dot:
        return None
    scopes = claims.get("scp")
    return scopes if isinstance(scopes, str) else ""


def _unusable(why: str) -> ArtifactTrouble:
    return not_uploaded(TroubleKind.CREDENTIALS, why)
