"""What makes an agent in; one that is made for the first case that isn't known yet, out.

A case is known as a whole or not at all: nobody can go on with a conversation of last week.
"""

from collections.abc import Callable

from mergebar.caching import entries, keeping
from mergebar.caching.keeping import Keeper
from mergebar.model.conversations import Agent, Answer, Failure, Question, Thread


class CachingAgent:
    """Answers that were given before; the others are asked for, and kept unless one failed."""

    def __init__(
        self, make: Callable[[], Agent], keeper: Keeper, *, made: Agent | None = None
    ) -> None:
        self._make = make
        self._keeper = keeper
        self._agent = made

    @property
    def notes(self) -> tuple[str, ...]:
        """What the agent itself has to say, if it was needed."""
        return keeping.notes(self._agent)

    @property
    def throttled(self) -> int:
        """How often the agent told us to slow down."""
        return keeping.throttled(self._agent)

    def recall(self, thread: Thread, /) -> tuple[Answer, ...] | None:
        """The answers as they were given before."""
        found = self._keeper.find(self._key(thread))
        answers = None if found is None else entries.answers(found)
        return answers if answers and len(answers) == len(thread.prompts) else None

    def remember(self, thread: Thread, answers: tuple[Answer, ...], /) -> None:
        """Keep them."""
        self._keeper.keep(self._key(thread), entries.of_answers(answers))

    async def ask(self, question: Question, /) -> Answer | Failure:
        """Ask the agent."""
        if self._agent is None:
            self._agent = self._make()
        return await self._agent.ask(question)

    async def aclose(self) -> None:
        """Close the agent, if there is one."""
        self._keeper.close()
        if self._agent is not None:
            await self._agent.aclose()

    def _key(self, thread: Thread) -> str | None:
        return self._keeper.key(
            "answers", {"case": thread.case, "run": thread.run, "prompts": [*thread.prompts]}
        )
