"""How a judge's model is reached: what its provider's entry says in, what a call needs out."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from mergebar import prompting
from mergebar.calling.addresses import Address
from mergebar.calling.parties import Party
from mergebar.judges import parameters
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.judgements import JudgeIdentity

Credentials = Callable[[], Awaitable[Mapping[str, str] | Failure]]
"""The headers that let us in, fresh enough for the next call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """`model` is what the result names. `place` gives path and name to send for a model.

    `notes` are asked for after the last call.
    """

    party: Party
    address: Address
    model: str
    credentials: Credentials
    place: Callable[[str], tuple[str, str]]
    notes: Callable[[], tuple[str, ...]] = tuple


def identity(provider: str, model: str | None) -> JudgeIdentity:
    """Who judges: the model, and the parameters that are tried first."""
    return JudgeIdentity(
        provider=provider,
        model=model,
        parameters={
            **parameters.start(model or "").body(),
            "prompt_version": prompting.PROMPT_VERSION,
        },
    )


def fixed(headers: Mapping[str, str]) -> Credentials:
    """Credentials that never change."""

    async def given() -> Mapping[str, str]:
        return headers

    return given


def unfit_key(key: str, party: Party) -> Failure | None:
    """A key that no header can carry."""
    if key.isascii() and key.isprintable():
        return None
    message = f"{party.secret_key} holds characters that no key has: was it pasted with others?"
    return unfit(message)


def unfit(message: str) -> Failure:
    """What is wrong with the entry."""
    return Failure(error_class=ErrorClass.CONFIG, message=message)
