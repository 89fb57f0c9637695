"""The `command` agent: a question in, one process of the repository asked, its answer out."""

from collections.abc import MutableMapping
from typing import TypeAlias

from mergebar.agents import command_entry, command_words
from mergebar.agents.live_processes import LiveProcess
from mergebar.calling import parties, protocol
from mergebar.model.configuration import AgentConfig
from mergebar.model.contexts import AgentContext
from mergebar.model.conversations import Agent, Answer, ErrorClass, Failure, Question
from mergebar.model.text import Json
from mergebar.processes import environment, running
from mergebar.processes.running import Ended

_Case: TypeAlias = tuple[str, str, int]


def create(config: AgentConfig, context: AgentContext) -> Agent:
    """The agent of this entry; what is wrong with the entry is every answer's failure."""
    return CommandAgent(config, context)


class CommandAgent:
    """One process per turn, or one per case with `persistent`, kept between two turns of it."""

    def __init__(self, config: AgentConfig, context: AgentContext) -> None:
        named = _texts(config.options.get("env"))
        cwd = str(config.options.get("cwd") or ".")
        environ = environment.allowed(context.environ, named=named)
        refused = tuple(name for name in named if environment.is_forbidden(name))
        faults = command_entry.faults(config.options, context.root)
        self._unfit = parties.agent(config.name).unfit(faults)
        self._persistent = config.options.get("persistent") is True
        self._live: MutableMapping[_Case, LiveProcess] = {}
        self._start = running.Start(
            argv=_texts(config.options.get("command")),
            cwd=context.root / cwd,
            environ=environ,
            timeout_s=config.timeout_s,
            output_limit=config.output_limit,
        )
        self._words = command_words.Words(
            name=config.name,
            cwd=cwd,
            refused=refused,
            unset=tuple(name for name in named if name not in environ and name not in refused),
            persistent=self._persistent,
            redact=context.redact,
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The names in `env` that are never passed on."""
        return self._words.notes()

    async def ask(self, question: Question, /) -> Answer | Failure:
        """Put the line to its process; that is killed when this is cancelled."""
        if self._unfit is not None:
            return self._unfit
        line = protocol.question_line(question)
        try:
            if self._persistent:
                return await self._converse(question, line)
            ended = await running.run(self._start, line)
        except (OSError, ValueError) as error:
            message = self._words.not_started(self._start.argv[0], error)
            return Failure(error_class=ErrorClass.CONFIG, message=message)
        return self._read(ended)

    async def aclose(self) -> None:
        """End the processes of cases that were broken off."""
        while self._live:
            _, process = self._live.popitem()
            await process.end()

    async def _converse(self, question: Question, line: bytes) -> Answer | Failure:
        """A case is over after its last turn, or after one that failed."""
        case = (question.suite, question.case, question.run)
        process = self._live.pop(case, None)
        if process is not None and question.turn == 0:
            await process.end()
            process = None
        process = process or await LiveProcess.begin(self._start)
        kept = False
        try:
            ended, lives = await process.ask(line, last=question.last)
            answer = self._read(ended)
            kept = lives and isinstance(answer, Answer) and case not in self._live
            if kept:
                self._live[case] = process
        finally:
            if not kept:
                await process.end()
        return answer

    def _read(self, ended: Ended) -> Answer | Failure:
        return command_words.read(ended, start=self._start, words=self._words)


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()
