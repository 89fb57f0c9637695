"""How a judge signs in to Azure without a key: the environment in, a bearer token or why not out.

Which ways there are is told by the variables that are set; the first that gives a token is kept.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import httpx
from azure.core.credentials import AccessToken
from azure.core.exceptions import AzureError
from azure.identity import (
    CertificateCredential,
    ClientAssertionCredential,
    ClientSecretCredential,
    ManagedIdentityCredential,
    WorkloadIdentityCredential,
)

from mergebar.calling import proxies, replies, trust
from mergebar.judges.azure_clouds import Cloud
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.untrusted.redaction import Redactor

GITHUB_AUDIENCE = "api://AzureADTokenExchange"
"""The audience that a federated credential in Entra expects, unless told otherwise."""

# What they have to say is in what they raise; without a handler, Python prints it on stderr.
for _library in ("azure", "msal", "urllib3"):
    logging.getLogger(_library).addHandler(logging.NullHandler())

_EARLY_S = 300.0
_GITHUB_URL, _GITHUB_TOKEN = "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"
_TENANT, _CLIENT, _SECRET = "AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET"
_CERTIFICATE, _PASSWORD = "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_CLIENT_CERTIFICATE_PASSWORD"
_TOKEN_FILE = "AZURE_FEDERATED_TOKEN_FILE"  # noqa: S105 - the name of a variable
_BOTH = 2
_PATIENCE: Mapping[str, Any] = {"connection_timeout": 10, "read_timeout": 20, "retry_total": 2}


class _Credential(Protocol):
    """What every class of azure-identity has."""

    def get_token(self, *scopes: str) -> AccessToken: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """One way in, by the name that people know it by."""

    name: str
    credential: Callable[[], _Credential]


class Entra:
    """Signs in when the first call is made, and again shortly before a token ends."""

    def __init__(self, context: JudgeContext, cloud: Cloud) -> None:
        environ = context.environ
        self._ways = tuple(_ways(environ, cloud))
        self._forgotten = _forgotten(environ)
        self._scope = cloud.scope
        self._timing = context.timing
        self._tell = context.tell
        self._redactor = Redactor(
            environ[name] for name in (_SECRET, _PASSWORD, _GITHUB_TOKEN) if environ.get(name)
        )
        self._turn = asyncio.Lock()
        self._credential: _Credential | None = None
        self._token: AccessToken | None = None
        self._failure: Failure | None = None

    async def headers(self) -> Mapping[str, str] | Failure:
        """The header for the next call; calls at the same time share one exchange.

        Where there is no way in, that is found once.
        """
        async with self._turn:
            if self._failure is not None:
                return self._failure
            if self._token is None or self._ends_soon(self._token):
                got = await self._sign_in()
                if isinstance(got, Failure):
                    return got
                self._token = got
            return {"authorization": f"Bearer {self._token.token}"}

    async def aclose(self) -> None:
        """Close the connections to whoever gave the token."""
        if self._credential is not None:
            self._credential.close()

    def _ends_soon(self, token: AccessToken) -> bool:
        return token.expires_on - self._timing.now() < _EARLY_S

    async def _sign_in(self) -> AccessToken | Failure:
        if self._credential is not None:
            got = await asyncio.to_thread(_token, self._credential, self._scope)
            return got if isinstance(got, AccessToken) else self._refused([f"again: {got}"])
        refused = [] if self._forgotten is None else [self._forgotten]
        for way in self._ways:
            try:
                credential = way.credential()
            except (ValueError, OSError) as error:
                refused.append(f"{way.name}: {error}")
                continue
            got = await asyncio.to_thread(_token, credential, self._scope)
            if isinstance(got, AccessToken):
                self._credential = credential
                self._tell(f"the judge signs in to Azure by {way.name}")
                return got
            credential.close()
            refused.append(f"{way.name}: {got}")
        return self._refused(refused)

    def _refused(self, refused: list[str]) -> Failure:
        said = "; ".join(self._redactor.redact(one) for one in refused)
        message = f"no token of Entra for the judge (`judge.auth: entra`): {said}"
        self._failure = Failure(error_class=ErrorClass.AUTH, message=message)
        return self._failure


def _token(credential: _Credential, scope: str) -> AccessToken | str:
    """The token, or why there is none."""
    try:
        return credential.get_token(scope)
    except (AzureError, httpx.HTTPError, ValueError, OSError) as error:
        return replies.one_line(str(error), 300)


def _ways(environ: Mapping[str, str], cloud: Cloud) -> Iterator[_Way]:
    """In the order in which they are tried. A machine's own identity only where nothing is set."""
    found = [*_configured(environ, cloud)]
    yield from found
    if not found:
        client = environ.get(_CLIENT) or None
        # It reads further variables of the platform by itself.
        yield _Way(
            name="the managed identity of this machine",
            credential=lambda: ManagedIdentityCredential(client_id=client, **_PATIENCE),
        )


def _forgotten(environ: Mapping[str, str]) -> str | None:
    """What is missing beside what is set, where that looks as if it was meant to let us in."""
    there = [name for name in (_TENANT, _CLIENT) if environ.get(name)]
    proofs = [name for name in (_SECRET, _CERTIFICATE, _TOKEN_FILE) if environ.get(name)]
    on_github = bool(environ.get(_GITHUB_URL) and environ.get(_GITHUB_TOKEN))
    if len(there) == _BOTH:
        return None if proofs or on_github else _without_proof(environ)
    if proofs or _TENANT in there:
        missing = [name for name in (_TENANT, _CLIENT) if name not in there]
        return f"{_listed([*there, *proofs])} set, and {_listed(missing)} not: set what is missing"
    return None


def _listed(names: list[str]) -> str:
    named = " and ".join(f"`{name}`" for name in names)
    return f"{named} {'is' if len(names) == 1 else 'are'}"


def _without_proof(environ: Mapping[str, str]) -> str:
    """The identity is named, and nothing proves it: on GitHub, the permission was forgotten."""
    others = f"`{_SECRET}`, `{_CERTIFICATE}` or `{_TOKEN_FILE}`"
    named = f"`{_TENANT}` and `{_CLIENT}` are set, and nothing to sign in with"
    if environ.get("GITHUB_ACTIONS"):
        return f"{named}: give the job the permission `id-token: write`, or set {others}"
    return f"{named}: set {others}"


def _configured(environ: Mapping[str, str], cloud: Cloud) -> Iterator[_Way]:
    tenant, client = environ.get(_TENANT, ""), environ.get(_CLIENT, "")
    if not tenant or not client:
        return
    options = {**_PATIENCE, "authority": cloud.authority}
    if not cloud.is_known:
        options["disable_instance_discovery"] = True
    if environ.get(_GITHUB_URL) and environ.get(_GITHUB_TOKEN):
        yield _Way(
            name="GitHub's OIDC token",
            credential=lambda: ClientAssertionCredential(
                tenant, client, func=lambda: _github_token(environ), **options
            ),
        )
    if environ.get(_SECRET):
        yield _Way(
            name=f"the client secret in `{_SECRET}`",
            credential=lambda: ClientSecretCredential(tenant, client, environ[_SECRET], **options),
        )
    if environ.get(_CERTIFICATE):
        password = environ.get(_PASSWORD) or None
        yield _Way(
            name=f"the certificate in `{_CERTIFICATE}`",
            credential=lambda: CertificateCredential(
                tenant, client, environ[_CERTIFICATE], password=password, **options
            ),
        )
    if environ.get(_TOKEN_FILE):
        yield _Way(
            name=f"the workload identity in `{_TOKEN_FILE}`",
            credential=lambda: WorkloadIdentityCredential(
                tenant_id=tenant, client_id=client, token_file_path=environ[_TOKEN_FILE], **options
            ),
        )


def _github_token(environ: Mapping[str, str]) -> str:
    """Asked for with each exchange: GitHub's token lives for minutes only.

    Raises httpx.HTTPError, or ValueError for a reply that holds none.
    """
    url = httpx.URL(environ[_GITHUB_URL]).copy_merge_params({"audience": GITHUB_AUDIENCE})
    proxy = proxies.of(str(url), environ)
    if proxy is not None and proxy.failure is not None:
        raise ValueError(proxy.failure.message)
    transport = httpx.HTTPTransport(
        verify=trust.of(httpx.create_ssl_context), proxy=None if proxy is None else proxy.url
    )
    with httpx.Client(transport=transport, timeout=30) as client:
        reply = client.get(url, headers={"authorization": f"Bearer {environ[_GITHUB_TOKEN]}"})
    reply.raise_for_status()
    value = reply.json()
    token = value.get("value") if isinstance(value, dict) else None
    if not isinstance(token, str) or not token:
        raise ValueError("GitHub gave no token: does the job have `id-token: write`?")
    return token
