"""How a report is to be drawn: what a sink knows besides the report itself."""

from dataclasses import dataclass

from mergebar.model.configuration import Responses


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """Options of a sink. Addresses are absolute; without them nothing is linked.

    `key` is the gate's name. `repository_url` is the page of the repository, whose files are
    linked as of the tested commit. `reported`: an untrusted run says all this, and not we.
    """

    key: str = "mergebar"
    responses: Responses = Responses.ARTIFACT
    repository_url: str | None = None
    run_url: str | None = None
    artifact_url: str | None = None
    reported: bool = False
