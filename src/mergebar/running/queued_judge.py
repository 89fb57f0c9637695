"""The run's judge as evals see it: asked in turn with everybody else, within budget, counted."""

from collections.abc import Awaitable, Callable, Sequence

from mergebar.model.conversations import Failure
from mergebar.model.judgements import (
    AssertionJudge,
    Assessment,
    Inquiry,
    Judge,
    JudgeIdentity,
    Opinion,
    RecallingJudge,
    Verdict,
)
from mergebar.running.endpoints import Endpoint
from mergebar.running.tallies import Tally


class QueuedJudge:
    """A judge behind the endpoint that bounds how often it is asked at once, and at all."""

    __slots__ = ("_endpoint", "_judge", "_tally", "_verify")

    def __init__(
        self,
        judge: Judge,
        verify: Callable[[Inquiry], Awaitable[Opinion | Failure]],
        endpoint: Endpoint,
        tally: Tally,
    ) -> None:
        self._judge = judge
        self._verify = verify
        self._endpoint = endpoint
        self._tally = tally

    @property
    def identity(self) -> JudgeIdentity:
        """Who judges."""
        return self._judge.identity

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """One vote on an answer."""
        return await self._judge.assess(assessment)

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """One vote on an assertion."""
        (opinion,) = await self.poll([inquiry])
        return opinion

    async def poll(self, inquiries: Sequence[Inquiry], /) -> Sequence[Opinion | Failure]:
        """All votes on an assertion: what isn't known is claimed together, and asked in turn."""
        known = [self._recall(inquiry) for inquiry in inquiries]
        missing = sum(1 for one in known if one is None)
        spent = self._endpoint.claim(missing) if missing else None
        if spent is not None:
            return [spent] * len(inquiries)
        return [
            await self._ask(inquiry) if opinion is None else opinion
            for inquiry, opinion in zip(inquiries, known, strict=True)
        ]

    async def aclose(self) -> None:
        """Whoever made the judge closes it."""

    def _recall(self, inquiry: Inquiry) -> Opinion | None:
        if not isinstance(self._judge, RecallingJudge):
            return None
        opinion = self._judge.recall_opinion(inquiry)
        if opinion is not None:
            self._tally.add(hits=1)
        return opinion

    async def _ask(self, inquiry: Inquiry) -> Opinion | Failure:
        async def asked() -> Opinion | Failure:
            self._tally.add(calls=1)
            return await self._verify(inquiry)

        async with self._endpoint.slots:
            opinion = await self._endpoint.call(asked)
        if isinstance(opinion, Opinion) and opinion.cached:
            self._tally.add(calls=-1, hits=1)
        return opinion


def queued(judge: Judge, endpoint: Endpoint, *, tally: Tally) -> Judge:
    """The judge in the queue; one that can't vote on assertions stays as it is."""
    if not isinstance(judge, AssertionJudge):
        return judge
    return QueuedJudge(judge, judge.verify, endpoint, tally)
