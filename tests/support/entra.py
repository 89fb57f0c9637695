"""Entra and GitHub's OIDC service on loopback: what they were asked for, and the tokens they gave.

Entra's protocol is spoken over TLS only, so the certificate has to be trusted: see `trusted`.
"""

import json
import urllib.parse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from support import certificates
from support.servers import Reply, Request, Server

TENANT = "11111111-1111-1111-1111-111111111111"
CLIENT = "22222222-2222-2222-2222-222222222222"
ASSERTION = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJyZXBvOm8vcjpyZWYifQ.c2ln"
REQUEST_TOKEN = "runner-request-token-1"  # noqa: S105 - nobody else takes it


@dataclass(kw_only=True)
class Entra:
    """`forms` are the exchanges, `refuses` what is answered to an exchange by its kind."""

    authority: str = ""
    certificate: Path = Path()
    github_url: str = ""
    forms: list[dict[str, str]] = field(default_factory=list)
    asked_of_github: list[Request] = field(default_factory=list)
    refuses: frozenset[str] = frozenset()
    lasts_s: int = 3600

    @property
    def github(self) -> dict[str, str]:
        """What the runner sets for a job with `id-token: write`."""
        return {
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{self.github_url}/idtoken?api-version=2.0",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": REQUEST_TOKEN,
        }

    @property
    def application(self) -> dict[str, str]:
        """What says who signs in, and where."""
        return {
            "AZURE_TENANT_ID": TENANT,
            "AZURE_CLIENT_ID": CLIENT,
            "AZURE_AUTHORITY_HOST": self.authority,
        }

    def answer(self, request: Request) -> Reply:
        """Entra: an exchange, or what libraries ask for before one."""
        if "openid-configuration" in request.path:
            base = f"{self.authority}/{TENANT}"
            return _json(
                {
                    "token_endpoint": f"{base}/oauth2/v2.0/token",
                    "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
                    "issuer": f"{base}/v2.0",
                }
            )
        form = dict(urllib.parse.parse_qsl(request.body.decode()))
        self.forms.append(form)
        kind = "assertion" if "client_assertion" in form else "secret"
        if kind in self.refuses:
            error = {"error": "invalid_client", "error_description": f"AADSTS7000215: bad {kind}"}
            return Reply(status=401, body=json.dumps(error).encode())
        number = len(self.forms)
        token = {"token_type": "Bearer", "expires_in": self.lasts_s, "access_token": f"at-{number}"}
        return _json(token)

    def give(self, request: Request) -> Reply:
        """GitHub."""
        self.asked_of_github.append(request)
        if request.headers.get("authorization") != f"Bearer {REQUEST_TOKEN}":
            return Reply(status=401)
        return _json({"count": 1, "value": ASSERTION})


def _json(value: Mapping[str, object]) -> Reply:
    return Reply(body=json.dumps(value).encode())


@contextmanager
def running(folder: Path) -> Iterator[Entra]:
    """Both services."""
    entra = Entra()
    made = certificates.make(folder)
    with Server(entra.answer, tls=made.context) as server, Server(entra.give) as github:
        entra.authority = server.url
        entra.certificate = made.authority
        entra.github_url = github.url
        yield entra
