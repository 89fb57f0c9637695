"""An agent that a package brings in; the same one, whose faults are failures of its turns, out."""

import json
from dataclasses import dataclass
from typing import cast

from mergebar.calling import guarding, protocol
from mergebar.calling.guarding import Raised
from mergebar.model.configuration import AgentConfig
from mergebar.model.conversations import (
    Agent,
    Answer,
    ErrorClass,
    Failure,
    Question,
)

_METHODS = ("ask", "aclose")
_UNSOUND = "gave back a failure that is none: its class is no `ErrorClass`, or a text is missing"


def guard(config: AgentConfig, made: object) -> Agent:
    """Whether it is an agent at all is seen at once, and each turn says what is wrong with it."""
    lacking = [each for each in _METHODS if not callable(getattr(made, each, None))]
    if lacking:
        named = " and ".join(f"`{each}`" for each in lacking)
        what = f"has no {named}, as an `Agent` must"
        return unusable(config, _failure(config.type, what, ErrorClass.CONFIG))
    return GuardedAgent(config=config, agent=cast("Agent", made))


def unusable(config: AgentConfig, failure: Failure) -> Agent:
    """In place of an agent that can't be made."""
    del config
    return UnusableAgent(failure=failure)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableAgent:
    """Stands for an agent that can't be made: every turn fails, and says why."""

    failure: Failure

    async def ask(self, question: Question, /) -> Answer | Failure:
        """Nobody is asked."""
        del question
        return self.failure

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedAgent:
    """Somebody else's code, in our process: it may raise anything, and give back anything."""

    config: AgentConfig
    agent: Agent

    @property
    def notes(self) -> tuple[str, ...]:
        """What it has to say about the whole run, if that is sentences."""
        return guarding.notes(self.agent)

    @property
    def throttled(self) -> int:
        """How often it was told to slow down, if it counts."""
        return guarding.throttled(self.agent)

    async def ask(self, question: Question, /) -> Answer | Failure:
        """A fault of the package is none of the suite; its time is limited as everybody's."""
        timeout_s = self.config.timeout_s
        found = await guarding.awaited(lambda: self.agent.ask(question), timeout_s=timeout_s)
        if isinstance(found, Raised):
            late = found.late
            return self._late() if late else _failure(self.config.type, f"failed: {found.words}")
        if isinstance(found, Failure):
            return found if found.is_sound else _failure(self.config.type, _UNSOUND)
        if not isinstance(found, Answer):
            return _failure(self.config.type, f"gave back a `{type(found).__name__}` from `ask`")
        return self._checked(found)

    async def aclose(self) -> None:
        """Once all is measured, nothing that it does can matter."""
        await guarding.awaited(self.agent.aclose, timeout_s=self.config.timeout_s)

    def _checked(self, answer: Answer) -> Answer | Failure:
        """The answer, if it could have come over the `command` protocol, and isn't too long."""
        try:
            text = json.dumps(protocol.answer_object(answer), allow_nan=False)
            read = protocol.read_object(json.loads(text))
        except (AttributeError, TypeError, ValueError, RecursionError) as error:
            return _failure(self.config.type, f"gave back an answer that is none: {error}")
        if isinstance(read, Failure):
            return _failure(self.config.type, read.message)
        if len(read.response.encode("utf-8", "replace")) > self.config.output_limit:
            what = f"said more than {self.config.output_limit:,} bytes in one turn"
            message = f"the installed agent `{self.config.type}` {what} (`output_limit`)"
            return Failure(error_class=ErrorClass.BAD_RESPONSE, message=message)
        return read

    def _late(self) -> Failure:
        message = (
            f"the installed agent `{self.config.type}` did not answer within "
            f"{self.config.timeout_s:g} s (`agents.{self.config.name}.timeout`)"
        )
        return Failure(error_class=ErrorClass.TIMEOUT, message=message)


def _failure(name: str, what: str, error_class: ErrorClass = ErrorClass.BAD_RESPONSE) -> Failure:
    message = f"the installed agent `{name}` {what}: repair or uninstall its package"
    return Failure(error_class=error_class, message=message)
