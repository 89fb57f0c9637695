"""What an entry may call, as clients take it: nothing that passes here stops them."""

import httpx
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.calling import entries


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8080/v1",
        "https://models.example.com",
        "HTTP://Models.Example.com.",
        "http://127.0.0.1:1/x?q=a b",
        "http://[::1]:8080/",
        "http://user:pass@10.0.0.1/",
        "http://b\u00fccher.example/",
        "http://xn--bcher-kva.example/",
        "http://under_score.internal/{prompt}",
    ],
)
def test_what_people_call_is_an_address(url: str) -> None:
    assert entries.is_url(url)
    httpx.URL(url)
    httpx2.URL(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://256.256.256.256/",
        "http://127.0.0.01/",
        "http://\uff11\uff12\uff17.0.0.1/",
        "http://ho st/",
        "http://a\tb/",
        "http://127.0.0.1/\x01",
        "http://[v1.x]/",
        "http://[1.2.3.4]/",
        "http://\u2603.example/",
        f"http://127.0.0.1/{'a' * 70_000}",
    ],
)
def test_what_a_client_stops_at_is_none(url: str) -> None:
    assert not entries.is_url(url)


_PART = st.one_of(st.sampled_from(["0", "1", "255", "256", "01", "a", ""]), st.text(max_size=3))


@given(
    host=st.lists(_PART, min_size=1, max_size=5).map(".".join).filter(str.isascii),
    rest=st.sampled_from(["", ":80", "/x", ":80/x\n"]),
)
def test_no_client_stops_at_an_address_of_plain_letters(host: str, rest: str) -> None:
    url = f"http://{host}{rest}"

    if entries.is_url(url):
        httpx.URL(url)
        httpx2.URL(url)
