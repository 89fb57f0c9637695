"""What makes a judge in; one that is made for the first vote that isn't known yet, out."""

from collections.abc import Callable, Sequence

from mergebar import prompting
from mergebar.caching import entries, keeping
from mergebar.caching.keeping import Keeper
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.judgements import (
    AssertionJudge,
    Assessment,
    Inquiry,
    Judge,
    JudgeIdentity,
    Opinion,
    Verdict,
)
from mergebar.model.text import Json

_FENCE = "0123456789abcdef"
"""Stands for the random code of the marks, which says nothing."""


class CachingJudge:
    """Votes that were given before; the others are asked for, and kept unless they failed."""

    def __init__(
        self,
        make: Callable[[], Judge],
        identity: JudgeIdentity,
        keeper: Keeper,
        *,
        made: Judge | None = None,
    ) -> None:
        self._make = make
        self._identity = identity
        self._keeper = keeper
        self._judge = made

    @property
    def identity(self) -> JudgeIdentity:
        """The judge's own, known before it is made."""
        return self._identity

    @property
    def notes(self) -> tuple[str, ...]:
        """What the judge itself has to say, if it was needed."""
        return keeping.notes(self._judge)

    @property
    def throttled(self) -> int:
        """How often the judge was told to slow down."""
        return keeping.throttled(self._judge)

    def recall(self, assessment: Assessment, /) -> Verdict | None:
        """The vote as it was given before."""
        found = self._keeper.find(self._of_assessment(assessment))
        return None if found is None else entries.verdict(found)

    def recall_opinion(self, inquiry: Inquiry, /) -> Opinion | None:
        """The vote on an assertion as it was given before."""
        found = self._keeper.find(self._of_inquiry(inquiry))
        return None if found is None else entries.opinion(found)

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """Ask the judge, and keep its vote."""
        verdict = await self._made().assess(assessment)
        if isinstance(verdict, Verdict):
            self._keeper.keep(self._of_assessment(assessment), entries.of_verdict(verdict))
        return verdict

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """Ask the judge about an assertion, and keep its vote."""
        judge = self._made()
        if not isinstance(judge, AssertionJudge):
            message = f"the judge `{self.identity.provider}` can't judge `ai` evals"
            return Failure(error_class=ErrorClass.CONFIG, message=message)
        opinion = await judge.verify(inquiry)
        if isinstance(opinion, Opinion):
            self._keeper.keep(self._of_inquiry(inquiry), entries.of_opinion(opinion))
        return opinion

    async def aclose(self) -> None:
        """Close the judge, if there is one."""
        self._keeper.close()
        if self._judge is not None:
            await self._judge.aclose()

    def _made(self) -> Judge:
        if self._judge is None:
            self._judge = self._make()
        return self._judge

    def _of_assessment(self, assessment: Assessment) -> str | None:
        """The words themselves are in it, so that no change of ours can be forgotten."""
        messages = prompting.messages(assessment, fence=_FENCE)
        return self._keeper.key(
            "verdict",
            {
                "version": [prompting.PROMPT_VERSION, assessment.rubric.version],
                "evaluator": assessment.evaluator,
                "options": dict(assessment.options),
                "messages": _contents(messages),
                "run": assessment.run,
                "vote": assessment.vote,
            },
        )

    def _of_inquiry(self, inquiry: Inquiry) -> str | None:
        messages = prompting.claim_messages(inquiry.claim, fence=_FENCE)
        return self._keeper.key(
            "opinion",
            {
                "version": prompting.CLAIM_PROMPT_VERSION,
                "model": inquiry.model,
                "messages": _contents(messages),
                "vote": inquiry.vote,
            },
        )


def _contents(messages: Sequence[prompting.Message]) -> list[Json]:
    return [message.content for message in messages]
