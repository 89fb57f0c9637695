"""Addresses of OpenAI-compatible services, as people copy them."""

import socket
from dataclasses import replace

import pytest

from mergebar.calling import addresses, connections, parties, refusals
from mergebar.calling.addresses import Address
from mergebar.calling.bodies import Received
from mergebar.calling.parties import Party
from mergebar.calling.refusals import Reading
from mergebar.model.text import Json


@pytest.mark.parametrize(
    ("given", "url", "query", "azure"),
    [
        ("", "https://api.openai.com/v1", {}, False),
        ("https://api.openai.com/v1/", "https://api.openai.com/v1", {}, False),
        (" http://127.0.0.1:8080/v1 ", "http://127.0.0.1:8080/v1", {}, False),
        ("https://models.example.com", "https://models.example.com", {}, False),
        ("https://x.openai.azure.com", "https://x.openai.azure.com/openai/v1", {}, True),
        ("https://x.openai.azure.com/openai/", "https://x.openai.azure.com/openai/v1", {}, True),
        ("https://X.OpenAI.Azure.com/openai/v1/", "https://X.OpenAI.Azure.com/openai/v1", {}, True),
        (
            "https://x.services.ai.azure.com/openai/v1?api-version=preview",
            "https://x.services.ai.azure.com/openai/v1",
            {"api-version": "preview"},
            True,
        ),
        (
            "https://x.cognitiveservices.azure.com/openai/deployments/d?api-version=2024-10-21",
            "https://x.cognitiveservices.azure.com/openai/deployments/d",
            {"api-version": "2024-10-21"},
            True,
        ),
        (
            "https://gateway.example.com/openai/deployments/d?api-version=1",
            "https://gateway.example.com/openai/deployments/d",
            {"api-version": "1"},
            True,
        ),
        ("https://openai.azure.com.example.com", "https://openai.azure.com.example.com", {}, False),
    ],
)
def test_an_address_is_known_by_its_host_and_path(
    given: str, url: str, query: dict[str, str], *, azure: bool
) -> None:
    assert addresses.read(given) == Address(url=url, query=query, is_azure=azure)


@pytest.mark.parametrize(
    "given", ["localhost:8080", "ftp://x", "https://", "http://[::1", "http://a..b/", "http:// /"]
)
def test_what_is_no_address_is_none(given: str) -> None:
    assert addresses.read(given) is None


def test_a_key_travels_as_the_service_wants_it() -> None:
    plain, azure = addresses.read(""), addresses.read("https://x.openai.azure.com")

    assert plain is not None
    assert azure is not None
    assert plain.credentials("k") == {"authorization": "Bearer k"}
    assert azure.credentials("k") == {"api-key": "k"}
    assert plain.credentials("") == azure.credentials("") == {}


def _party(options: dict[str, Json]) -> Party:
    return replace(parties.judge(), **addresses.implied(options))


def test_a_message_names_no_key_of_the_file_that_is_not_in_it() -> None:
    unknown = socket.gaierror("unknown")

    bare = connections.read(unknown, party=_party({}), url=addresses.OPENAI)
    given = connections.read(
        unknown, party=_party({"base_url": "https://x.example", "api_key": "k"}), url="x"
    )

    assert bare.trouble.failure.message == (
        "the host name in `judge.base_url` (not set: `https://api.openai.com/v1`) is not known; "
        "`judge.api_key` is not set either: name the service that is meant"
    )
    assert given.trouble.failure.message == "the host name in `judge.base_url` is not known"


def test_a_key_that_was_not_sent_is_not_refused() -> None:
    reading = Reading(party=_party({}), model="m", too_long=None, may_pass=lambda *_: False, now=0)
    reply = Received(status=401, headers={}, body=b"{}")

    said = refusals.read(reply, reading).trouble.failure.message

    assert (
        "the judge wants a key at `judge.base_url` (not set: `https://api.openai.com/v1`): " in said
    )
    assert "set `judge.api_key`" in said
