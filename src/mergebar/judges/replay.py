"""The `replay` judge: an assessment in, the vote that a recording holds for it out.

Nothing is called, whatever the configuration says.
"""

from mergebar.model.configuration import JudgeConfig
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import Failure
from mergebar.model.judgements import (
    Assessment,
    Inquiry,
    Judge,
    JudgeIdentity,
    Opinion,
    Verdict,
)
from mergebar.recordings import FOLDER, Playback


def create(config: JudgeConfig, context: JudgeContext) -> Judge:
    """From the folder `recordings`, below the working directory."""
    folder = str(config.options.get("recordings") or FOLDER)
    return ReplayJudge(Playback(context.root, folder), model=config.model)


class ReplayJudge:
    """Votes as was recorded for this very material."""

    def __init__(self, playback: Playback, *, model: str | None) -> None:
        self._playback = playback
        self._model = model

    @property
    def identity(self) -> JudgeIdentity:
        """A recording; `model` is what the configuration calls it."""
        return JudgeIdentity(provider="replay", model=self._model)

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether verdicts written by hand were played back."""
        return self._playback.notes

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """The recorded vote."""
        return self._playback.verdict(assessment)

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """The recorded vote on an assertion."""
        return self._playback.opinion(inquiry)

    async def aclose(self) -> None:
        """Nothing is held."""
