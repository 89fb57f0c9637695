"""What a `command` agent's process did, in words: how it ended in, an answer or a failure out."""

from collections.abc import Callable
from dataclasses import dataclass

from mergebar.calling import protocol
from mergebar.calling.sizes import size
from mergebar.model.conversations import Answer, ErrorClass, Failure
from mergebar.processes import endings
from mergebar.processes.running import End, Ended, Start

_SHOWN = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What messages name: the agent, its `cwd` as written, and names in `env` that it lacks.

    `redact` takes secrets out of what the process said.
    """

    name: str
    cwd: str
    refused: tuple[str, ...]
    unset: tuple[str, ...]
    persistent: bool = False
    redact: Callable[[str], str] = str

    def key(self, key: str, message: str) -> str:
        """A message about one key of the agent's entry."""
        return f"`agents.{self.name}.{key}`: {message}"

    def notes(self) -> tuple[str, ...]:
        """One warning per name that is never passed on."""
        return tuple(
            self.key("env", f"`{name}` is never passed to an agent; give it a token of its own")
            for name in self.refused
        )

    def not_started(self, program: str, error: OSError | ValueError) -> str:
        """Why there is no process, and what to do."""
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            place = f"in its `cwd` (`{self.cwd}`)" if "/" in program else "on the PATH"
            return self.key("command", f"there is no `{program}` {place}: install it or mend it")
        if isinstance(error, PermissionError):
            remedy = "make it executable (`chmod +x`), or put its interpreter before it"
            return self.key("command", f"`{program}` may not be executed: {remedy}")
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return self.key("command", f"`{program}` doesn't start: {reason}")

    def failure(self, error_class: ErrorClass, message: str, ended: Ended) -> Failure:
        """A failure of the process, with the end of what it said on stderr."""
        text = f"agent `{self.name}` {message}"
        if self.unset and error_class is not ErrorClass.CONFIG:
            names = ", ".join(f"`{name}`" for name in self.unset)
            text += f"; its `env` names {names}, not set here"
        said = _tail(self.redact(ended.stderr).strip())
        return Failure(error_class=error_class, message=f"{text}; stderr: {said}" if said else text)


def _tail(text: str) -> str:
    return text if len(text) <= _SHOWN else f"…{text[1 - _SHOWN :]}"


def read(ended: Ended, *, start: Start, words: Words) -> Answer | Failure:
    """The answer, if the process kept to the protocol to its end."""
    if ended.end is End.TOO_MUCH:
        limit = f"printed more than {size(start.output_limit)} (`output_limit`) and was stopped"
        return words.failure(ErrorClass.BAD_RESPONSE, limit, ended)
    if ended.end is End.TIMED_OUT:
        late = _late(ended, start.timeout_s, persistent=words.persistent)
        return words.failure(ErrorClass.TIMEOUT, late, ended)
    declared = protocol.declared_failure(ended.stdout)
    if declared is not None:
        how = f" ({endings.sentence(ended.returncode)})" if ended.returncode else ""
        message = f"reports: {declared.message}{how}"
        return words.failure(declared.error_class, message, ended)
    return _printed(ended, words)


def _printed(ended: Ended, words: Words) -> Answer | Failure:
    if ended.returncode != 0:
        return words.failure(ErrorClass.UNAVAILABLE, endings.sentence(ended.returncode), ended)
    if words.persistent and not ended.stdout.strip():
        message = "ended without an answer: with `persistent` it has to answer line after line"
        return words.failure(ErrorClass.BAD_RESPONSE, message, ended)
    reply = protocol.read_line(ended.stdout)
    if isinstance(reply, Answer):
        return reply
    message = reply.message
    if words.persistent:  # it is read as soon as there is a line, and that was none
        message = message.replace("printed a line that", "printed a line before its answer that")
    return words.failure(reply.error_class, message, ended)


def _late(ended: Ended, timeout_s: float, *, persistent: bool) -> str:
    bound = f"within {timeout_s:g} s (`timeout`)"
    if persistent:
        return f"gave no answer {bound}: does it flush its output after each line?"
    if isinstance(protocol.read_line(ended.stdout), Answer):
        return f"gave its answer but did not exit {bound}: it has to end after its line"
    return f"gave no answer {bound}"
