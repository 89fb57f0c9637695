"""The host of an Azure resource in, where its cloud signs people in, and for what, out."""

from collections.abc import Mapping
from dataclasses import dataclass

_AUTHORITY = "AZURE_AUTHORITY_HOST"
_PUBLIC = "login.microsoftonline.com"
_CLOUDS = (
    (".azure.us", "https://cognitiveservices.azure.us/.default", "login.microsoftonline.us"),
    (".azure.cn", "https://cognitiveservices.azure.cn/.default", "login.chinacloudapi.cn"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """`is_known`: the authority is one of Microsoft's own, which the libraries know."""

    scope: str
    authority: str
    is_known: bool


def of(host: str, environ: Mapping[str, str]) -> Cloud:
    """The cloud of a host; `AZURE_AUTHORITY_HOST` names another authority."""
    scope, authority = "https://cognitiveservices.azure.com/.default", _PUBLIC
    for suffix, its_scope, its_authority in _CLOUDS:
        if host.lower().endswith(suffix):
            scope, authority = its_scope, its_authority
    named = environ.get(_AUTHORITY, "").strip()
    known = {_PUBLIC, *(one for _, _, one in _CLOUDS)}
    chosen = named or authority
    return Cloud(
        scope=scope,
        authority=chosen,
        is_known=chosen.removeprefix("https://").rstrip("/").lower() in known,
    )
