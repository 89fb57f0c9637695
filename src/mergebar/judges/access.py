"""How a judge's model is reached: what its provider's entry says in, what a call needs out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from mergebar import prompting
from mergebar.calling import entries, proxies
from mergebar.calling.addresses import Address
from mergebar.calling.parties import Party
from mergebar.calling.proxies import Proxy
from mergebar.judges import parameters
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.judgements import JudgeIdentity


class Credentials(Protocol):
    """What lets us in."""

    async def headers(self) -> Mapping[str, str] | Failure:
        """The headers for the next call, fresh enough for it."""
        ...

    async def aclose(self) -> None:
        """Release what is held."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Credentials that never change."""

    sent: Mapping[str, str]

    async def headers(self) -> Mapping[str, str] | Failure:
        """The same each time."""
        return self.sent

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """`model` is what the result names. `place` gives path and name to send for a model."""

    party: Party
    address: Address
    model: str
    credentials: Credentials
    place: Callable[[str], tuple[str, str]]
    proxy: Proxy | None = None


def through(access: Access, environ: Mapping[str, str]) -> Access | Failure:
    """The same, by way of the proxy that the environment names; why not, where it can't be."""
    proxy = proxies.of(access.address.url, environ)
    failure = None if proxy is None else proxy.failure
    return failure or replace(access, proxy=proxy)


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


def unfit_key(key: str, party: Party) -> Failure | None:
    """A key that no header can carry."""
    if key.isascii() and key.isprintable():
        return None
    return unfit(f"{party.secret_key} {entries.NO_KEY}")


def unfit(message: str) -> Failure:
    """What is wrong with the entry."""
    return Failure(error_class=ErrorClass.CONFIG, message=message)
