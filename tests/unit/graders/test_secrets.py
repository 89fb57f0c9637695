"""What names itself a secret is taken out of what a judge reads; the rest stays."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.graders import secrets

TAKEN = [
    ('{"password": "p1-abc"}', '{"password": "***"}'),
    ('{\\"api_key\\": \\"k-123\\"}', '{\\"api_key\\": \\"***\\"}'),
    ('{"clientSecret":"abc"}', '{"clientSecret":"***"}'),
    ("export DB_PASSWORD=hunter2 && run", "export DB_PASSWORD=*** && run"),
    ("AWS_SESSION_ID=abc next", "AWS_SESSION_ID=*** next"),
    ("curl --token=abc123 x", "curl --token=*** x"),
    ("password: hunter2", "password: ***"),
    ("API_KEY='a b c'", "API_KEY=***"),
    ("postgres://me:pw@db/x", "postgres://me:***@db/x"),
    ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "Authorization: Basic ***"),
    ("sk_live_51H8abcdefghij0123", "***"),
    ("AccountKey=abcdefghijklmnopqrstuvwxyz0=", "***"),
    ("::add-mask::mysecret\nnext", "::add-mask::***\nnext"),
]
KEPT = [
    "max_tokens=500",
    '{"tokens": 12, "input_tokens": "9"}',
    "the secret of a good soup",
    "tokenizer: bpe",
    "keys: a, b",
    "https://example.com:8080/a@b",
    "basic training",
]


@pytest.mark.parametrize(("text", "expected"), TAKEN)
def test_a_secret_is_taken_out(text: str, expected: str) -> None:
    assert secrets.redact(text) == expected


@pytest.mark.parametrize("text", KEPT)
def test_what_is_none_stays(text: str) -> None:
    assert secrets.redact(text) == text


@pytest.mark.parametrize(("text", "_"), TAKEN)
def test_twice_is_once(text: str, _: str) -> None:
    once = secrets.redact(text)

    assert secrets.redact(once) == once


@given(st.text() | st.text("\"\\:= 'passwordtokenAWS_://@"))
def test_no_text_is_too_odd(text: str) -> None:
    secrets.redact(text)


@pytest.mark.parametrize(
    "piece", ["a", "a.", "a-", "password", '"', '\\"', "a://", "aws_", "x=", "token "]
)
def test_a_long_text_takes_no_time(piece: str) -> None:
    started = time.perf_counter()

    secrets.redact(piece * (200_000 // len(piece)))

    assert time.perf_counter() - started < 3
