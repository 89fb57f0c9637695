"""Files and the runner's environment in, an artifact of this run out, or what stood in its way."""

import asyncio
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import httpx

from mergebar.edge.artifacts import names, outcomes, packing, runtimes
from mergebar.edge.artifacts.blocks import Storage
from mergebar.edge.artifacts.exchanges import Address
from mergebar.edge.artifacts.limits import DEFAULT, Limits
from mergebar.edge.artifacts.outcomes import ArtifactTrouble, TroubleKind, Uploaded
from mergebar.edge.artifacts.packing import Archive
from mergebar.edge.artifacts.runtimes import Runtime
from mergebar.edge.artifacts.service import Service
from mergebar.model.contexts import Timing


async def upload(
    files: Mapping[str, bytes | Path],
    *,
    name: str,
    environ: Mapping[str, str],
    client: httpx.AsyncClient,
    timing: Timing,
    retention_days: int | None = None,
    limits: Limits = DEFAULT,
) -> Uploaded | ArtifactTrouble:
    """Upload the files, by their paths in the artifact, as one zip named `name`.

    The environment says which service, run and job. `retention_days` is cut to what the
    repository allows; `None` takes its default.
    """
    runtime = _runtime(name, environ)
    if isinstance(runtime, ArtifactTrouble):
        return runtime
    days = _days(retention_days, runtime)
    service = Service(runtime, client=client, timing=timing, limits=limits)
    storage = partial(Storage, client=client, timing=timing, limits=limits)
    try:
        with tempfile.TemporaryFile(dir=_scratch(environ)) as stream:
            archive = await asyncio.to_thread(
                packing.pack, files, stream, limit=limits.content_bytes
            )
            if isinstance(archive, ArtifactTrouble):
                return archive
            async with asyncio.timeout(limits.total_s):
                sent = await _send(archive, name, days, service=service, storage=storage)
    except TimeoutError:
        why = f"it takes longer than {limits.total_s:g} s"
        return outcomes.not_uploaded(TroubleKind.TIMEOUT, why)
    except OSError as error:
        why = f"there is no room to pack it: {error.strerror or error}"
        return outcomes.not_uploaded(TroubleKind.CONTENT, why)
    return sent if isinstance(sent, ArtifactTrouble) else _uploaded(sent, archive, days, environ)


def _uploaded(
    made: int, archive: Archive, days: int | None, environ: Mapping[str, str]
) -> Uploaded:
    return Uploaded(
        id=made,
        url=runtimes.artifact_url(environ, made),
        digest=archive.digest,
        size=archive.size,
        days=days,
    )


def _runtime(name: str, environ: Mapping[str, str]) -> Runtime | ArtifactTrouble:
    wrong = names.name_problem(name)
    if wrong:
        return outcomes.not_uploaded(TroubleKind.NAME, f"its name {wrong}")
    return runtimes.read(environ)


async def _send(
    archive: Archive,
    name: str,
    days: int | None,
    *,
    service: Service,
    storage: Callable[[Address], Storage],
) -> int | ArtifactTrouble:
    address = await service.create(name, days=days)
    if isinstance(address, ArtifactTrouble):
        return address
    trouble = await storage(address).put(archive)
    return trouble or await service.finalize(name, archive)


def _days(requested: int | None, runtime: Runtime) -> int | None:
    if requested is None or runtime.longest_days is None:
        return requested
    return min(requested, runtime.longest_days)


def _scratch(environ: Mapping[str, str]) -> Path | None:
    """The runner's folder for what may go when the job ends; older runners don't mount it."""
    folder = environ.get("RUNNER_TEMP")
    return Path(folder) if folder and Path(folder).is_dir() else None
