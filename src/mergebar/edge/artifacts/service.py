"""The calls of the artifact service, version 4: fields in, the fields of the answer out.

Requests are Twirp's JSON. Answers come in snake_case from GitHub and in camelCase from others.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import httpx

from mergebar.calling.endpoints import Endpoint
from mergebar.calling.parties import Party
from mergebar.calling.retrying import Retrier
from mergebar.calling.troubles import Trouble
from mergebar.edge.artifacts import exchanges, outcomes, refusals
from mergebar.edge.artifacts.exchanges import Address, Call
from mergebar.edge.artifacts.limits import Limits
from mergebar.edge.artifacts.outcomes import ArtifactTrouble, TroubleKind
from mergebar.edge.artifacts.packing import Archive
from mergebar.edge.artifacts.runtimes import Runtime
from mergebar.model.contexts import Timing
from mergebar.model.text import Json, JsonObject

_PATH = "/twirp/github.actions.results.api.v1.ArtifactService/"
_VERSION = 4  # 7 is for files that aren't zipped, and older services don't know it
_ID = re.compile("[1-9][0-9]{0,18}")

_Answer: TypeAlias = JsonObject | ArtifactTrouble


class Service:
    """One run's artifacts, as its job may change them."""

    def __init__(
        self, runtime: Runtime, *, client: httpx.AsyncClient, timing: Timing, limits: Limits
    ) -> None:
        self._runtime = runtime
        self._client = client
        self._timing = timing
        self._limits = limits
        self._endpoint = Endpoint(
            Party(name="the artifact service", entry="upload-artifact"),
            concurrency=limits.concurrency,
            timing=timing,
        )
        self._ids: dict[str, Json] = {
            "workflow_run_backend_id": runtime.run_backend_id,
            "workflow_job_run_backend_id": runtime.job_backend_id,
        }

    async def create(self, name: str, *, days: int | None) -> Address | ArtifactTrouble:
        """Claim the name; returns where to put the content."""
        fields: dict[str, Json] = {**self._ids, "name": name, "version": _VERSION}
        if days is not None:
            fields["expires_at"] = self._days_from_now(days)
        answer = await self._call("CreateArtifact", fields, attempts=self._limits.attempts)
        if isinstance(answer, ArtifactTrouble):
            return answer
        url = _field(answer, "signed_upload_url", "signedUploadUrl")
        if answer.get("ok") is not True or not isinstance(url, str):
            return _unclear("CreateArtifact", "neither an address nor a reason")
        address = Address.parse(url, secure=self._runtime.origin.startswith("https:"))
        return address or _unclear("CreateArtifact", "an address that can't be used")

    async def finalize(self, name: str, archive: Archive) -> int | ArtifactTrouble:
        """Say that the content is whole; returns the artifact's id.

        An answer may be lost after it was done, and the same request then fails for ever: so
        after any trouble the list of artifacts is asked too.
        """
        fields = {**self._ids, "name": name, "size": str(archive.size), "hash": archive.digest}
        answer = await self._call("FinalizeArtifact", fields, attempts=self._limits.attempts)
        if isinstance(answer, ArtifactTrouble):
            return await self._find(name, archive) or answer
        number = _id(_field(answer, "artifact_id", "artifactId"))
        if answer.get("ok") is not True or number is None:
            return _unclear("FinalizeArtifact", "that the content is not what was announced")
        return number

    async def _find(self, name: str, archive: Archive) -> int | None:
        answer = await self._call("ListArtifacts", {**self._ids, "name_filter": name}, attempts=1)
        rows = None if isinstance(answer, ArtifactTrouble) else answer.get("artifacts")
        for row in rows if isinstance(rows, list) else ():
            if isinstance(row, Mapping) and row.get("name") == name:
                number = _id(_field(row, "database_id", "databaseId"))
                if row.get("digest") == archive.digest and number is not None:
                    return number
        return None

    async def _call(self, method: str, fields: JsonObject, *, attempts: int) -> _Answer:
        call = Call(
            who=f"`{method}` of the artifact service",
            method="POST",
            address=Address(shown=self._runtime.origin + _PATH + method, target=_PATH + method),
            headers={
                "authorization": f"Bearer {self._runtime.token}",
                "content-type": "application/json",
            },
            body=json.dumps(fields).encode("ascii"),
        )
        retrier = Retrier(attempts=attempts, timing=self._timing, endpoint=self._endpoint)
        tried = 0

        async def attempt() -> _Answer | Trouble:
            nonlocal tried
            tried += 1
            reply = await exchanges.exchange(
                self._client, call, limits=self._limits, now=self._timing.now
            )
            if isinstance(reply, Trouble):
                return reply
            return refusals.read(call, reply, token=self._runtime.token, tried=tried)

        result: _Answer | Trouble = await retrier.call(attempt)
        return outcomes.given_up(result) if isinstance(result, Trouble) else result

    def _days_from_now(self, days: int) -> str:
        moment = datetime.fromtimestamp(self._timing.now(), tz=UTC) + timedelta(days=days)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _field(value: Mapping[str, Json], *spellings: str) -> Json:
    return next((value[name] for name in spellings if name in value), None)


def _id(value: Json) -> int | None:
    text = str(value) if isinstance(value, int | str) else ""
    return int(text) if _ID.fullmatch(text) else None


def _unclear(method: str, what: str) -> ArtifactTrouble:
    return outcomes.not_uploaded(
        TroubleKind.BAD_RESPONSE, f"`{method}` of the artifact service answers {what}"
    )
