"""A prompt in; a session run on it in a copy of the repository, and the trace that it left, out."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from mergebar.commands.artifacts import manifests
from mergebar.commands.workspace import Place
from mergebar.edge import working_copies
from mergebar.model.configuration import SessionsConfig
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.scenarios import Scenario, Tie
from mergebar.processes import endings, environment, privileges, running
from mergebar.processes.running import End, Ended, Start

OUTPUT_LIMIT = 64 * 1024 * 1024
FOLDER = "sessions"
_SHOWN = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A session that ended as it should. `workdir` is what it left, until `copies` is closed."""

    trace: Path
    workdir: Path
    copies: ExitStack


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Runs sessions, each in its own copy. `folder` is where their traces go.

    `ties` are what the artifacts of each group are made of: they go into the manifests.
    """

    place: Place
    environ: Mapping[str, str]
    folder: Path
    redact: Callable[[str], str]
    ties: Mapping[int, Mapping[str, Tie]]
    commit: str | None

    async def run(
        self, scenario: Scenario, config: SessionsConfig, *, repeat: int = 0
    ) -> Ran | Failure:
        """Run one session to its end."""
        copies = ExitStack()
        try:
            ran = await self._run(scenario, config, copies, repeat)
        except OSError as error:
            copies.close()
            return _failure(f"can't be run: {error.strerror or error}", ErrorClass.CONFIG)
        except BaseException:
            copies.close()
            raise
        if isinstance(ran, Failure):
            copies.close()
        return ran

    async def _run(
        self, scenario: Scenario, config: SessionsConfig, copies: ExitStack, repeat: int
    ) -> Ran | Failure:
        without = (self.place.reported(str(self.folder.parent)),)
        copied = working_copies.copied(self.place.top, without=without)
        top = await _to_the_end(asyncio.to_thread(copies.enter_context, copied))
        await _to_the_end(asyncio.to_thread(_handed_over, top, self.environ))
        workdir = top / self.place.prefix
        start = Start(
            argv=tuple(_filled(part, scenario, workdir) for part in config.command),
            cwd=workdir,
            environ=environment.allowed(self.environ, named=config.env),
            timeout_s=config.timeout_s,
            output_limit=OUTPUT_LIMIT,
        )
        try:
            ended = await running.run(start, b"")
        except (OSError, ValueError) as error:
            return _failure(_not_started(start.argv[0], error), ErrorClass.CONFIG)
        failed = _fault(ended, config, self.redact)
        if failed is not None:
            return failed
        trace = self._keep(scenario, repeat, ended.stdout)
        return Ran(trace=trace, workdir=workdir, copies=copies)

    def _keep(self, scenario: Scenario, repeat: int, output: bytes) -> Path:
        """The trace, without secrets, and the manifest beside it."""
        group = f"{scenario.group}.{repeat + 1}" if repeat else str(scenario.group)
        trace = self.folder / group / f"{scenario.key}.jsonl"
        trace.parent.mkdir(parents=True, exist_ok=True)
        text = self.redact(output.decode("utf-8", "replace"))
        trace.write_text(text, encoding="utf-8")
        manifest = manifests.dump(
            self.ties.get(scenario.group, {}), prompt=scenario.path, commit=self.commit
        )
        trace.with_name(f"{trace.name}{manifests.SUFFIX}").write_bytes(manifest)
        return trace


def _handed_over(top: Path, environ: Mapping[str, str]) -> Path:
    """The copy, and the folder that was made for it, as the session's own."""
    privileges.give_all(top.parent, environ)
    return top


async def _to_the_end(work: Coroutine[None, None, Path]) -> Path:
    """A thread can't be cancelled: what it makes has to be there before it is removed."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _filled(part: str, scenario: Scenario, workdir: Path) -> str:
    """Both at once: a prompt that speaks of `{workdir}` stays as it is."""
    pieces = part.split("{prompt}")
    return scenario.words.join(piece.replace("{workdir}", str(workdir)) for piece in pieces)


def _fault(ended: Ended, config: SessionsConfig, redact: Callable[[str], str]) -> Failure | None:
    program = f"`{config.command[0]}`"
    if ended.end is End.TIMED_OUT:
        message = f"{program} didn't end within {config.timeout_s:g} s (`timeout`)"
        return _failure(message, ErrorClass.TIMEOUT, ended, redact)
    if ended.end is End.TOO_MUCH:
        message = f"{program} printed more than {OUTPUT_LIMIT // 1024**2} MB and was stopped"
        return _failure(message, ErrorClass.BAD_RESPONSE, ended, redact)
    if ended.returncode != 0:
        message = f"{program} {endings.sentence(ended.returncode)}"
        return _failure(message, ErrorClass.UNAVAILABLE, ended, redact)
    return None


def _failure(
    message: str,
    error_class: ErrorClass,
    ended: Ended | None = None,
    redact: Callable[[str], str] = str,
) -> Failure:
    said = redact(ended.stderr).strip() if ended is not None else ""
    said = said if len(said) <= _SHOWN else f"…{said[1 - _SHOWN :]}"
    text = f"the session: {message}"
    return Failure(error_class=error_class, message=f"{text}; stderr: {said}" if said else text)


def _not_started(program: str, error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        place = "in the repository" if "/" in program else "on the PATH"
        return f"there is no `{program}` {place}: install it, or mend `sessions.command`"
    if isinstance(error, PermissionError):
        return f"`{program}` may not be executed: make it executable (`chmod +x`)"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"`{program}` doesn't start: {reason}"
