"""Whose certificates are trusted: read once, and anew where the environment names others."""

import ssl
from pathlib import Path

import httpx
import httpx2
import pytest

from mergebar.calling import trust
from support import certificates


@pytest.mark.parametrize("read", [httpx.create_ssl_context, httpx2.create_ssl_context])
def test_connections_share_what_was_read(read: trust.Read) -> None:
    first = trust.of(read)

    assert trust.of(read) is first
    assert first.verify_mode is ssl.CERT_REQUIRED
    assert first.check_hostname


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_other_certificates_are_read_anew(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = trust.of(httpx.create_ssl_context)
    authority = certificates.make(tmp_path).authority

    monkeypatch.setenv(variable, str(authority if variable == "SSL_CERT_FILE" else tmp_path))

    assert trust.of(httpx.create_ssl_context) is not usual


def test_each_library_keeps_its_own_ideas() -> None:
    assert trust.of(httpx.create_ssl_context) is not trust.of(httpx2.create_ssl_context)
