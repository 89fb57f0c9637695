"""The signed address of an archive in, the archive in a file out, or why it can't be had.

The API gives the address to whoever may read the artifact. It is the storage's, which must not be
shown the API's token.
"""

from http import HTTPStatus
from typing import IO

import httpx

from mergebar.calling.endpoints import Endpoint
from mergebar.calling.parties import Party
from mergebar.calling.retrying import Retrier
from mergebar.calling.troubles import Trouble
from mergebar.edge.artifacts import exchanges, outcomes, packing, refusals
from mergebar.edge.artifacts.exchanges import Address, Call
from mergebar.edge.artifacts.limits import DEFAULT, Limits
from mergebar.edge.artifacts.outcomes import ArtifactTrouble, TroubleKind
from mergebar.edge.artifacts.packing import Archive
from mergebar.model.contexts import Timing

_WHO = "the artifact storage"


async def fetch(
    url: str,
    into: IO[bytes],
    *,
    client: httpx.AsyncClient,
    timing: Timing,
    digest: str | None = None,
    secure: bool = True,
    limits: Limits = DEFAULT,
) -> Archive | ArtifactTrouble:
    """Write the archive into an empty file. `digest` is what the API says of it, if it does.

    `secure`: only https will do, as where the API itself is reached that way.
    """
    address = Address.parse(url, secure=secure)
    if address is None:
        why = "the API answers with an address that can't be used"
        return outcomes.not_read(TroubleKind.BAD_RESPONSE, why)
    call = Call(who=_WHO, method="GET", address=address)
    party = Party(name=_WHO, entry="upload-artifact")
    endpoint = Endpoint(party, concurrency=1, timing=timing)
    retrier = Retrier(attempts=limits.attempts, timing=timing, endpoint=endpoint)

    async def attempt() -> ArtifactTrouble | Trouble | None:
        return await _receive(call, into, client=client, timing=timing, limits=limits)

    try:
        result: ArtifactTrouble | Trouble | None = await retrier.call(attempt)
        if isinstance(result, Trouble):
            return outcomes.given_up(result, ending=outcomes.not_read)
        return result or _verified(packing.seal(into), digest)
    except OSError as error:
        why = f"there is no room for it: {error.strerror or error}"
        return outcomes.not_read(TroubleKind.CONTENT, why)


async def _receive(
    call: Call, into: IO[bytes], *, client: httpx.AsyncClient, timing: Timing, limits: Limits
) -> ArtifactTrouble | Trouble | None:
    into.seek(0)
    into.truncate()
    reply = await exchanges.receive(
        client,
        call,
        limits=limits,
        now=timing.now,
        at_most=limits.archive_bytes,
        sink=into.write,
    )
    if isinstance(reply, Trouble):
        return reply
    if reply.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
        return outcomes.not_read(TroubleKind.GONE, "it expired or was deleted")
    return refusals.read_storage(call, reply, ending=outcomes.not_read)


def _verified(archive: Archive, digest: str | None) -> Archive | ArtifactTrouble:
    if digest and digest.lower() != archive.digest:
        why = "its content is not what was uploaded: the digests differ"
        return outcomes.not_read(TroubleKind.CONTENT, why)
    return archive
