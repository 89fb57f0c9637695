"""An address and the environment in, the proxy that leads there, or none, out.

The clients would read the environment themselves: through a proxy to this very machine, and into
a crash where it names one that they can't speak to.
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from mergebar.calling import entries
from mergebar.model.conversations import ErrorClass, Failure

_BYPASSED = "no_proxy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """`variable` is the name of the one that it stands in; the address may hold a password."""

    variable: str
    url: str

    @property
    def failure(self) -> Failure | None:
        """Why no call can be made through it; `None` where one can."""
        if entries.is_url(self.url):
            return None
        message = (
            f"`{self.variable}` names a proxy that isn't spoken to: give the address of one that "
            "speaks HTTP, or put the host into `NO_PROXY`"
        )
        return Failure(error_class=ErrorClass.CONFIG, message=message)


def of(url: str, environ: Mapping[str, str]) -> Proxy | None:
    """As curl reads the environment; but what is on this machine is never asked for elsewhere."""
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return None
    if not host or _is_local(host) or _is_bypassed(host, port, environ):
        return None
    names = (f"{parts.scheme}_proxy", "all_proxy")
    for variable in (one for name in names for one in (name, name.upper())):
        given = environ.get(variable, "").strip()
        if given:
            return Proxy(variable=variable, url=given if "://" in given else f"http://{given}")
    return None


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _is_bypassed(host: str, port: int | None, environ: Mapping[str, str]) -> bool:
    named = environ.get(_BYPASSED) or environ.get(_BYPASSED.upper()) or ""
    return any(_covers(entry.strip().lower(), host, port) for entry in named.split(","))


def _covers(entry: str, host: str, port: int | None) -> bool:
    """`example.com`, `.example.com`, `example.com:8080`, `10.0.0.0/8`, `*`."""
    if entry == "*":
        return True
    if entry.endswith(f":{port}"):
        entry = entry.removesuffix(f":{port}")
    name = entry.strip("[]").removeprefix("*").removeprefix(".")
    if name and (host == name or host.endswith(f".{name}")):
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(name, strict=False)
    except ValueError:
        return False
