"""A finished archive into storage: block by block, some at once, then the list of the blocks.

Azure's `Put Block` and `Put Block List`. A block that is put twice is there once, so that each can
be tried again.
"""

import asyncio
import base64
from collections.abc import Iterator
from urllib.parse import quote
from uuid import uuid4

import httpx

from mergebar.calling.endpoints import Endpoint
from mergebar.calling.parties import Party
from mergebar.calling.retrying import Retrier
from mergebar.calling.troubles import Trouble
from mergebar.edge.artifacts import exchanges, outcomes, refusals
from mergebar.edge.artifacts.exchanges import Address, Call
from mergebar.edge.artifacts.limits import Limits
from mergebar.edge.artifacts.outcomes import ArtifactTrouble
from mergebar.edge.artifacts.packing import Archive
from mergebar.model.contexts import Timing

_WHO = "the artifact storage"
_ZIP = "application/zip"


class Storage:
    """The place that was signed for one artifact."""

    def __init__(
        self, address: Address, *, client: httpx.AsyncClient, timing: Timing, limits: Limits
    ) -> None:
        self._address = address
        self._client = client
        self._timing = timing
        self._limits = limits
        self._endpoint = Endpoint(
            Party(name="the artifact storage", entry="upload-artifact"),
            concurrency=limits.concurrency,
            timing=timing,
        )

    async def put(self, archive: Archive) -> ArtifactTrouble | None:
        """All of the archive, or what stopped it."""
        count = max(1, -(-archive.size // self._limits.block_bytes))
        identities = _identities(count)
        troubles: list[ArtifactTrouble] = []
        numbers = iter(range(count))
        async with asyncio.TaskGroup() as group:
            for _ in range(min(count, self._limits.concurrency)):
                group.create_task(self._put_blocks(archive, identities, numbers, troubles))
        return troubles[0] if troubles else await self._put_list(identities)

    async def _put_blocks(
        self,
        archive: Archive,
        identities: tuple[str, ...],
        numbers: Iterator[int],
        troubles: list[ArtifactTrouble],
    ) -> None:
        """Take the next block until there is none, or one failed: then none is worth sending."""
        for number in numbers:
            trouble = await self._send(
                f"comp=block&blockid={quote(identities[number], safe='')}",
                archive.block(number, size=self._limits.block_bytes),
                {"content-type": "application/octet-stream"},
            )
            if trouble:
                troubles.append(trouble)
            if troubles:
                return

    async def _put_list(self, identities: tuple[str, ...]) -> ArtifactTrouble | None:
        latest = "".join(f"<Latest>{identity}</Latest>" for identity in identities)
        body = f'<?xml version="1.0" encoding="utf-8"?><BlockList>{latest}</BlockList>'
        headers = {"content-type": "application/xml", "x-ms-blob-content-type": _ZIP}
        return await self._send("comp=blocklist", body.encode("ascii"), headers)

    async def _send(
        self, query: str, body: bytes, headers: dict[str, str]
    ) -> ArtifactTrouble | None:
        address = self._address.extended(query)
        call = Call(who=_WHO, method="PUT", address=address, headers=headers, body=body)
        retrier = Retrier(
            attempts=self._limits.attempts, timing=self._timing, endpoint=self._endpoint
        )

        async def attempt() -> ArtifactTrouble | Trouble | None:
            reply = await exchanges.exchange(
                self._client, call, limits=self._limits, now=self._timing.now
            )
            return reply if isinstance(reply, Trouble) else refusals.read_storage(call, reply)

        result: ArtifactTrouble | Trouble | None = await retrier.call(attempt)
        return outcomes.given_up(result) if isinstance(result, Trouble) else result


def _identities(count: int) -> tuple[str, ...]:
    """One name per block: of equal length, as the storage demands, and of this upload alone."""
    prefix = uuid4().hex
    return tuple(
        base64.b64encode(f"{prefix}{number:012}".encode("ascii")).decode("ascii")
        for number in range(count)
    )
