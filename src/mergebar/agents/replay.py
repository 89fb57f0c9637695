"""The `replay` agent: a question in, the answer that the document stores or a recording holds out.

Nothing is called, whatever the configuration says.
"""

from mergebar.model.configuration import AgentConfig
from mergebar.model.contexts import AgentContext
from mergebar.model.conversations import Agent, Answer, ErrorClass, Failure, Question
from mergebar.recordings import Playback


def create(config: AgentConfig, context: AgentContext) -> Agent:
    """With `recordings`, from that folder; without, from the documents themselves."""
    folder = config.options.get("recordings")
    if isinstance(folder, str) and folder:
        return RecordedAgent(Playback(context.root, folder))
    return StoredAgent()


class StoredAgent:
    """Answers with what the document says was answered."""

    async def ask(self, question: Question, /) -> Answer | Failure:
        """The stored response of this turn."""
        if question.stored is not None:
            return question.stored
        return Failure(
            error_class=ErrorClass.CONFIG,
            message=(
                f"`{question.suite}` stores no response for case `{question.case}`, turn "
                f"{question.turn}: add its `response`, or give the suite an agent that answers"
            ),
        )

    async def aclose(self) -> None:
        """Nothing is held."""


class RecordedAgent:
    """Answers with what was recorded for this very prompt after this very history."""

    def __init__(self, playback: Playback) -> None:
        self._playback = playback

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether answers written by hand were played back."""
        return self._playback.notes

    async def ask(self, question: Question, /) -> Answer | Failure:
        """The recorded answer of this turn."""
        return self._playback.answer(question)

    async def aclose(self) -> None:
        """Nothing is held."""
