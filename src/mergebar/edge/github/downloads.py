"""The signed address of an artifact in, one file of it out, fetched without any token.

`edge.artifacts` fetches and unpacks; here its coroutines meet callers that block, as all of this
package does.
"""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import httpx

from mergebar.calling.proxied import Transport
from mergebar.edge import artifacts
from mergebar.edge.artifacts import ArtifactTrouble, Limits
from mergebar.edge.github.waiting import Clock
from mergebar.model.contexts import Timing
from mergebar.model.publishing import GitHubTrouble, TroubleKind

_LIMITS = Limits(attempts=3, total_s=120.0)
_KINDS = {
    artifacts.TroubleKind.GONE: TroubleKind.GONE,
    artifacts.TroubleKind.TIMEOUT: TroubleKind.UNAVAILABLE,
    artifacts.TroubleKind.UNAVAILABLE: TroubleKind.UNAVAILABLE,
    artifacts.TroubleKind.BAD_RESPONSE: TroubleKind.UNAVAILABLE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """Where an artifact is for a minute, which file of it is wanted, and how large it may be.

    `digest` is what the API says of the whole; an old artifact has none, nor has one of GitHub
    Enterprise Server.
    """

    url: str
    digest: str | None
    file: str
    limit: int


Fetch: TypeAlias = Callable[[Signed], bytes | GitHubTrouble]


def fetcher(clock: Clock, *, secure: bool, environ: Mapping[str, str]) -> Fetch:
    """What fetches. `secure`: the API is reached by https, and so must be what it names.

    `environ` names the proxies.
    """
    return partial(_fetch, clock=clock, secure=secure, environ=environ)


def _fetch(
    signed: Signed, *, clock: Clock, secure: bool, environ: Mapping[str, str]
) -> bytes | GitHubTrouble:
    found = asyncio.run(_fetched(signed, _timing(clock), Transport(environ), secure=secure))
    if isinstance(found, bytes):
        return found
    kind = _KINDS.get(found.kind, TroubleKind.REJECTED)
    return GitHubTrouble(kind=kind, message=found.message)


async def _fetched(
    signed: Signed, timing: Timing, transport: Transport, *, secure: bool
) -> bytes | ArtifactTrouble:
    async with httpx.AsyncClient(transport=transport) as client:
        with tempfile.TemporaryFile() as into:
            archive = await artifacts.fetch(
                signed.url,
                into,
                client=client,
                timing=timing,
                digest=signed.digest,
                secure=secure,
                limits=_LIMITS,
            )
            if isinstance(archive, ArtifactTrouble):
                return archive
            return artifacts.file_in(archive, signed.file, limit=signed.limit)


def _timing(clock: Clock) -> Timing:
    """The same clock for coroutines; nothing else is waiting in their loop."""

    async def sleep(seconds: float) -> None:
        clock.sleep(seconds)

    return Timing(sleep=sleep, random=clock.chance, clock=clock.monotonic, now=clock.now)
