"""A request in, GitHub's answer out, sent once through PyGithub: the only module that knows it.

PyGithub keeps the connection, the token, the address and the version of the API. Its objects stay
unused: they ask again for each field that a reply lacks, and PyGithub by itself repeats a POST,
never a PATCH, and waits unseen. Who may wait and repeat is `client`'s to say.
"""

import github

from mergebar import __version__
from mergebar.edge.github.exchange import Lost, Reply, Request

API_VERSION = "2022-11-28"
"""Later versions drop fields of pull requests; each lives for two years after its successor."""


class Rest:
    """A connection to the API at `api_url`, e.g. `https://api.github.com`."""

    def __init__(self, *, token: str, api_url: str, timeout_s: int) -> None:
        self._github = github.Github(
            auth=github.Auth.Token(token),
            base_url=api_url,
            timeout=timeout_s,
            user_agent=f"mergebar/{__version__}",
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            api_version=API_VERSION,
        )

    def ask(self, request: Request) -> Reply | Lost:
        """Send it once. `Lost` is a broken connection, a timeout, or a redirect to elsewhere."""
        try:
            status, headers, text = self._github.requester.requestJson(
                request.method,
                request.path,
                parameters=dict(request.parameters),
                headers={"Accept": "application/vnd.github+json"},
                input=request.body,
            )
        except OSError as error:  # those of `requests`, and of the socket below it
            return Lost(reason=type(error).__name__)
        except RuntimeError as error:  # PyGithub's, for a redirect that leaves the server
            return Lost(reason=str(error))
        return Reply(status=status, headers=headers, text=text)

    def close(self) -> None:
        """Let go of the connection."""
        self._github.close()
