"""A judge and the eval at hand in, what puts a claim to it as often as is asked out."""

from collections.abc import Sequence

from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import AskOpinions
from mergebar.model.judgements import AssertionJudge, Claim, Inquiry, Judge, Opinion, PollingJudge


def ask(judge: Judge, declared: DeclaredEval, *, suite: str, case: str) -> AskOpinions:
    """One vote after the other, each in a request of its own. `case` is the session's key."""

    async def poll(claim: Claim, votes: int) -> Sequence[Opinion | Failure]:
        if not isinstance(judge, AssertionJudge):
            return [_unable(judge)] * votes
        inquiries = [
            Inquiry(
                suite=suite,
                case=case,
                eval=declared.key,
                vote=vote,
                claim=claim,
                model=declared.judge.model,
            )
            for vote in range(votes)
        ]
        if isinstance(judge, PollingJudge):
            return await judge.poll(inquiries)
        return [await judge.verify(inquiry) for inquiry in inquiries]

    return poll


def _unable(judge: Judge) -> Failure:
    message = f"the judge `{judge.identity.provider}` can't judge `ai` evals: configure another"
    return Failure(error_class=ErrorClass.CONFIG, message=message)
