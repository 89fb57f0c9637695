"""Files of the base: byte for byte, or why not."""

import pytest

from mergebar.edge.github.repository import GitHub
from mergebar.model.publishing import GitHubTrouble, TroubleKind
from support.github import faults
from support.github.connecting import BASE
from support.github.server import GitHubServer

BYTES = bytes(range(256)) * 40


def put(server: GitHubServer, **tree: bytes) -> None:
    server.state.commit(BASE, tree={name.replace("__", "."): data for name, data in tree.items()})


@pytest.mark.parametrize(
    "data", [b"", b"version: 1\n", "gr\u00fc\u00dfe \U0001f600".encode(), BYTES]
)
def test_a_file_is_read_byte_for_byte(server: GitHubServer, github: GitHub, data: bytes) -> None:
    put(server, mergebar__yml=data)
    assert github.read("mergebar.yml", BASE) == data


@pytest.mark.parametrize("extra", [0, 1])
def test_a_file_of_more_than_a_megabyte_is_read_too(
    server: GitHubServer, github: GitHub, extra: int
) -> None:
    data = BYTES * 102 + b"x" * (1024 * 1024 - len(BYTES) * 102 + extra)
    put(server, evals__json=data)
    assert github.read("evals.json", BASE) == data
    assert len(server.asked("GET", "/git/blobs/")) == extra


@pytest.mark.parametrize("path", ["a b/c.json", "ünï/#1?.json", "100%/x;y=1&z.json", "a+b.json"])
def test_any_name_of_a_file_is_asked_for_as_it_is(
    server: GitHubServer, github: GitHub, path: str
) -> None:
    server.state.commit(BASE, tree={path: b"x"})
    assert github.read(path, BASE) == b"x"


def test_a_file_that_the_commit_lacks_is_not_found(server: GitHubServer, github: GitHub) -> None:
    put(server, other__yml=b"")
    found = github.read("mergebar.yml", BASE)
    assert isinstance(found, GitHubTrouble)
    assert found.kind is TroubleKind.NOT_FOUND
    assert "`mergebar.yml`" in found.message
    assert "contents: read" in found.message


def test_a_directory_is_no_file(server: GitHubServer, github: GitHub) -> None:
    server.state.commit(BASE, tree={"evals/a.json": b"{}", "evals/b.json": b"{}"})
    found = github.read("evals", BASE)
    assert isinstance(found, GitHubTrouble)
    assert "is a directory" in found.message


def test_a_file_over_the_limit_is_not_fetched(server: GitHubServer, github: GitHub) -> None:
    put(server, big__json=b"x" * 2_000_000)
    found = github.read("big.json", BASE, limit=1_999_999)
    assert isinstance(found, GitHubTrouble)
    assert "2,000,000 bytes" in found.message
    assert server.asked("GET", "/git/blobs/") == []


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../secret", "a/../../b", "a//b", "./a"])
def test_a_path_that_leads_elsewhere_is_not_asked_for(
    server: GitHubServer, github: GitHub, path: str
) -> None:
    found = github.read(path, BASE)
    assert isinstance(found, GitHubTrouble)
    assert found.kind is TroubleKind.REJECTED
    assert server.requests == []


def test_a_page_of_a_proxy_is_no_file(server: GitHubServer, github: GitHub) -> None:
    put(server, mergebar__yml=b"version: 1")
    server.faults.append(faults.page_of_a_proxy("GET", "/contents/"))
    found = github.read("mergebar.yml", BASE)
    assert isinstance(found, GitHubTrouble)
    assert found.kind is TroubleKind.UNAVAILABLE
    assert "isn't what its API describes" in found.message
