"""A request in, GitHub's answer out, sent once through PyGithub: the only module that knows it.

PyGithub keeps the connection, the token, the address and the version of the API. Its objects stay
unused: they ask again for each field that a reply lacks, and PyGithub by itself repeats a POST,
never a PATCH, and waits unseen. Who may wait and repeat is `client`'s to say.
"""

import logging
import threading
from queue import Empty, SimpleQueue

import github

from mergebar import __version__
from mergebar.edge.github.exchange import Lost, Reply, Request

API_VERSION = "2022-11-28"
"""Later versions drop fields of pull requests; each lives for two years after its successor."""
_LONGEST_REASON = 200


class Rest:
    """A connection to the API at `api_url`, e.g. `https://api.github.com`.

    `timeout_s` is for a request from its beginning to its end, however slowly a reply trickles.
    """

    def __init__(self, *, token: str, api_url: str, timeout_s: float) -> None:
        github.set_log_level(logging.CRITICAL)  # it prints what a server redirects to
        self._token = token
        self._api_url = api_url
        self._timeout_s = timeout_s
        self._github = self._connected()

    def ask(self, request: Request) -> Reply | Lost:
        """Send it once. `Lost` is a broken connection, a timeout, or a reply that is none."""
        answers: SimpleQueue[Reply | Lost] = SimpleQueue()
        connection = self._github
        # Nothing else bounds it: a socket's timeout begins again with every byte, and PyGithub
        # itself asks without end where the answer is 202.
        threading.Thread(
            target=lambda: answers.put(_ask(connection, request)), name="github", daemon=True
        ).start()
        try:
            return answers.get(timeout=self._timeout_s)
        except Empty:
            self._github = self._connected()  # the old one is still in use
            return Lost(reason=f"after {self._timeout_s:g} s")

    def close(self) -> None:
        """Let go of the connection."""
        self._github.close()

    def _connected(self) -> github.Github:
        return github.Github(
            auth=github.Auth.Token(self._token),
            base_url=self._api_url,
            timeout=max(1, int(self._timeout_s)),
            user_agent=f"mergebar/{__version__}",
            retry=None,
            seconds_between_requests=None,
            seconds_between_writes=None,
            api_version=API_VERSION,
        )


def _ask(connection: github.Github, request: Request) -> Reply | Lost:
    try:
        status, headers, text = connection.requester.requestJson(
            request.method,
            request.path,
            parameters=dict(request.parameters),
            headers={"Accept": "application/vnd.github+json"},
            input=request.body,
        )
    except OSError as error:  # those of `requests`, and of the socket below it
        return Lost(reason=type(error).__name__)
    except Exception as error:  # noqa: BLE001 - PyGithub reads headers and redirects by itself, and raises whatever they lead to
        return Lost(reason=f"{type(error).__name__}: {error}"[:_LONGEST_REASON])
    return Reply(status=status, headers=headers, text=text)
