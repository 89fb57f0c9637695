"""The run's judge as evals see it: asked in turn with everybody else, and counted."""

from collections.abc import Awaitable, Callable

from mergebar.model.conversations import Failure
from mergebar.model.judgements import (
    AssertionJudge,
    Assessment,
    Inquiry,
    Judge,
    JudgeIdentity,
    Opinion,
    Verdict,
)
from mergebar.running.endpoints import Endpoint


class QueuedJudge:
    """A judge behind the endpoint that bounds how often it is asked at once."""

    __slots__ = ("_endpoint", "_judge", "_tell", "_verify")

    def __init__(
        self,
        judge: Judge,
        verify: Callable[[Inquiry], Awaitable[Opinion | Failure]],
        endpoint: Endpoint,
        tell: Callable[[], None],
    ) -> None:
        self._judge = judge
        self._verify = verify
        self._endpoint = endpoint
        self._tell = tell

    @property
    def identity(self) -> JudgeIdentity:
        """Who judges."""
        return self._judge.identity

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """One vote on an answer."""
        return await self._judge.assess(assessment)

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """One vote on an assertion."""
        async with self._endpoint.slots:
            opinion = await self._endpoint.call(lambda: self._verify(inquiry))
        if isinstance(opinion, Opinion) and opinion.cached:
            self._tell()
        return opinion

    async def aclose(self) -> None:
        """Whoever made the judge closes it."""


def queued(judge: Judge, endpoint: Endpoint, *, cache_hit: Callable[[], None]) -> Judge:
    """The judge in the queue; one that can't vote on assertions stays as it is."""
    if not isinstance(judge, AssertionJudge):
        return judge
    return QueuedJudge(judge, judge.verify, endpoint, cache_hit)
