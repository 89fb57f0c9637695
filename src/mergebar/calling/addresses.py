"""The address of an OpenAI-compatible service in, what a client has to know of it out.

Azure OpenAI speaks the same protocol under other rules: the key has a header of its own, the
version may be part of the query, and a bare endpoint isn't yet the address of the API.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from mergebar.calling import entries
from mergebar.model.text import Json

OPENAI = "https://api.openai.com/v1"
AZURE_API = "/openai/v1"
_AZURE_HOSTS = (
    ".openai.azure.com",
    ".cognitiveservices.azure.com",
    ".services.ai.azure.com",
    ".openai.azure.us",
    ".cognitiveservices.azure.us",
    ".openai.azure.cn",
    ".cognitiveservices.azure.cn",
)
_DEPLOYMENTS = "/openai/deployments/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """`url` has no query and no slash at its end; `query` goes with every request."""

    url: str
    query: Mapping[str, str]
    is_azure: bool

    def credentials(self, key: str) -> dict[str, str]:
        """The header that carries a key here; none where there is no key."""
        if not key:
            return {}
        return {"api-key": key} if self.is_azure else {"authorization": f"Bearer {key}"}


class Implied(TypedDict):
    """What an entry leaves to us: the address, and to send no key."""

    standing_in: str
    keyless: bool


def implied(options: Mapping[str, Json]) -> Implied:
    """For messages, which name no key of the file that isn't in it."""
    return {
        "standing_in": "" if entries.text(options, "base_url") else OPENAI,
        "keyless": not entries.text(options, "api_key"),
    }


def read(text: str) -> Address | None:
    """`None` where it is no address; the empty text stands for OpenAI's own service."""
    given = text.strip() or OPENAI
    if not entries.is_url(given):
        return None
    parts = urlsplit(given)
    path = parts.path.rstrip("/")
    is_azure = is_azure_host(parts.hostname or "") or _DEPLOYMENTS in f"{path}/"
    if is_azure and path in {"", "/openai"}:
        path = AZURE_API
    return Address(
        url=urlunsplit((parts.scheme, parts.netloc, path, "", "")),
        query=dict(parse_qsl(parts.query)),
        is_azure=is_azure,
    )


def is_azure_host(host: str) -> bool:
    """Whether a host name is one of Azure's own."""
    return host.lower().endswith(_AZURE_HOSTS)
