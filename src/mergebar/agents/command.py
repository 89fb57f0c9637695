"""The `command` agent: a question in, one process of the repository asked, its answer out."""

from mergebar.agents import command_words
from mergebar.calling import protocol
from mergebar.model.configuration import AgentConfig
from mergebar.model.contexts import AgentContext
from mergebar.model.conversations import Agent, Answer, ErrorClass, Failure, Question
from mergebar.model.text import Json
from mergebar.processes import environment, running


def create(config: AgentConfig, context: AgentContext) -> Agent:
    """The agent of this entry; what is wrong with the entry is every answer's failure."""
    return CommandAgent(config, context)


class CommandAgent:
    """Holds nothing between two turns: the conversation is in what is put."""

    def __init__(self, config: AgentConfig, context: AgentContext) -> None:
        named = _texts(config.options.get("env"))
        cwd = str(config.options.get("cwd") or ".")
        environ = environment.allowed(context.environ, named=named)
        refused = tuple(name for name in named if environment.is_forbidden(name))
        self._persistent = config.options.get("persistent") is True
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
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """The names in `env` that are never passed on."""
        return self._words.notes()

    async def ask(self, question: Question, /) -> Answer | Failure:
        """One process per turn; it is killed when this is cancelled."""
        unfit = self._unfit()
        if unfit is not None:
            return Failure(error_class=ErrorClass.CONFIG, message=unfit)
        try:
            ended = await running.run(self._start, protocol.question_line(question))
        except (OSError, ValueError) as error:
            message = self._words.not_started(self._start.argv[0], error)
            return Failure(error_class=ErrorClass.CONFIG, message=message)
        return command_words.read(ended, start=self._start, words=self._words)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _unfit(self) -> str | None:
        if not self._start.argv:
            return self._words.key("command", "is empty: name the program and its arguments")
        if self._persistent:
            return self._words.key("persistent", "`true` is not available yet: remove it")
        if not self._start.cwd.is_dir():
            return self._words.key("cwd", f"there is no folder `{self._words.cwd}`")
        return None


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()
