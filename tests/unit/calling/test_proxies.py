"""Which proxy leads to an address: as curl reads the environment, and never to this machine."""

import pytest

from mergebar.calling import proxies
from mergebar.calling.proxies import Proxy

URL = "https://a.example/ask"
P = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "environ", "expected"),
    [
        (URL, {}, None),
        (URL, {"HTTPS_PROXY": P}, ("HTTPS_PROXY", P)),
        (URL, {"HTTP_PROXY": P}, None),
        ("http://a.example/", {"HTTP_PROXY": P, "HTTPS_PROXY": "http://x"}, ("HTTP_PROXY", P)),
        (URL, {"https_proxy": P, "HTTPS_PROXY": "http://x"}, ("https_proxy", P)),
        (URL, {"ALL_PROXY": P}, ("ALL_PROXY", P)),
        (URL, {"ALL_PROXY": "http://x", "https_proxy": P}, ("https_proxy", P)),
        (URL, {"HTTPS_PROXY": "proxy.example:3128"}, ("HTTPS_PROXY", P)),
        (URL, {"HTTPS_PROXY": " "}, None),
        (URL, {"HTTPS_PROXY": P, "NO_PROXY": "a.example"}, None),
        (URL, {"HTTPS_PROXY": P, "NO_PROXY": "b, .example"}, None),
        (URL, {"HTTPS_PROXY": P, "NO_PROXY": "*.example"}, None),
        (URL, {"HTTPS_PROXY": P, "no_proxy": "*"}, None),
        (URL, {"HTTPS_PROXY": P, "NO_PROXY": "ample"}, ("HTTPS_PROXY", P)),
        (URL, {"HTTPS_PROXY": P, "NO_PROXY": ","}, ("HTTPS_PROXY", P)),
        ("https://a.example:8443/", {"HTTPS_PROXY": P, "NO_PROXY": "a.example:8443"}, None),
        (
            "https://a.example:8443/",
            {"HTTPS_PROXY": P, "NO_PROXY": "a.example:9"},
            ("HTTPS_PROXY", P),
        ),
        ("https://10.1.2.3/", {"HTTPS_PROXY": P, "NO_PROXY": "10.0.0.0/8"}, None),
        ("https://[fd00::1]/", {"HTTPS_PROXY": P, "NO_PROXY": "[fd00::1]"}, None),
        ("https://[fd00::1]/", {"HTTPS_PROXY": P}, ("HTTPS_PROXY", P)),
        *(
            (f"http://{host}:8080/", {"HTTP_PROXY": P, "ALL_PROXY": P}, None)
            for host in ("localhost", "x.localhost", "127.0.0.1", "127.9.9.9", "[::1]")
        ),
        ("", {"HTTP_PROXY": P}, None),
    ],
)
def test_the_environment_names_it(
    url: str, environ: dict[str, str], expected: tuple[str, str] | None
) -> None:
    found = proxies.of(url, environ)

    assert (found and (found.variable, found.url)) == expected


@pytest.mark.parametrize("url", ["socks5://proxy.example:1080", "nonsense://x", "http://", "://"])
def test_one_that_is_not_spoken_to_is_named_by_its_variable_alone(url: str) -> None:
    failure = Proxy(variable="ALL_PROXY", url=url).failure

    assert failure is not None
    assert failure.message.startswith("`ALL_PROXY` names a proxy that isn't spoken to")
    assert "proxy.example" not in failure.message
