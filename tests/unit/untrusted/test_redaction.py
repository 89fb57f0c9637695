"""Secrets by value and by shape, and what must not be taken for one."""

import base64
import contextlib
import html
import json
import re
import urllib.parse
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.untrusted import truncation
from mergebar.untrusted.redaction import Redactor
from support import hostile
from support.secrets import FORMS

SECRET = "s3cr3t/value+with=signs"  # noqa: S105 - made up

# Written in two halves, so that no scanner takes this file for a leak.
TOKENS = [
    "ghp_" + "a1B2" * 9,
    "ghs_" + "a1B2" * 9,
    "github_pat_" + "11ABCDEFG0" * 5,
    "sk-" + "proj-" + "Ab1_" * 10,
    "xoxb-" + "123456789012-abcdef",
    "AKIA" + "ABCDEFGHIJKLMNOP",
    "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxIn0xx." + "c2lnbmF0dXJl",
    "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE" + " KEY-----\ncut short",
]


@pytest.mark.parametrize("token", TOKENS)
def test_a_known_shape_is_redacted_without_being_told(token: str) -> None:
    assert Redactor().redact(f"before {token}, after").startswith("before ***")
    assert token[8:20] not in Redactor().redact(f"x {token} y")


def test_a_bearer_header_loses_its_token() -> None:
    assert Redactor().redact("Authorization: Bearer abc.def-123456") == "Authorization: Bearer ***"


ODD = "p@ss/w0rd +<\"quoted'> & é~(1)=?"


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in lower case": str.lower,
    "in upper case": str.upper,
    "in JSON": json.dumps,
    "in JSON as it is in Unicode": lambda text: json.dumps(text, ensure_ascii=False),
    "in JSON in JSON": lambda text: json.dumps(json.dumps({"key": text})),
    "in JSON for a page": lambda text: (
        json.dumps(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    ),
    "in JSON with escaped slashes": lambda text: json.dumps(text).replace("/", "\\/"),
    "in a log of Python": repr,
    "in an address": lambda text: urllib.parse.quote(text, safe=""),
    "in a path": urllib.parse.quote,
    "in an address in lower case": lambda text: urllib.parse.quote(text, safe="").lower(),
    "in a form": urllib.parse.quote_plus,
    "as a component in JavaScript": lambda text: urllib.parse.quote(text, safe="!'()*~"),
    "as an address in JavaScript": lambda text: urllib.parse.quote(text, safe="!'()*~;,/?:@&=+$#"),
    "in HTML": html.escape,
    "in the text of HTML": lambda text: html.escape(text, quote=False),
    "in XML": lambda text: html.escape(text).replace("&#x27;", "&apos;"),
    "in HTML with numbers": lambda text: html.escape(text).replace("&#x27;", "&#39;"),
    "in an attribute": lambda text: html.escape(text, quote=False).replace('"', "&quot;"),
    "in base64": _base64,
    "in base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "in Basic auth": lambda text: f"Basic {_base64(f'user:{text}')}",
    "in Basic auth without a user": lambda text: f"Basic {_base64(f':{text}')}",
    "in Basic auth with another user": lambda text: f"Basic {_base64(f'me:{text}')}",
    "in base64 between other text": lambda text: _base64(f"key={text}; and so on"),
    "in hexadecimal": lambda text: text.encode().hex(),
    "in capital hexadecimal": lambda text: text.encode().hex().upper(),
}


def _pieces(text: str, length: int = 6) -> list[str]:
    return [text[at : at + length] for at in range(len(text) - length + 1)]


IN_64 = [one for one in ENCODINGS if "base64" in one or "Basic" in one]


@pytest.mark.parametrize("secret", [SECRET, ODD, *FORMS.values()])
@pytest.mark.parametrize("encoding", [one for one in ENCODINGS if one not in IN_64])
def test_a_secret_is_found_however_it_is_written(encoding: str, secret: str) -> None:
    redacted = Redactor([secret]).redact(f"a {ENCODINGS[encoding](secret)} b")

    assert redacted in {"a *** b", f"a {ENCODINGS[encoding]('***')} b"}


@pytest.mark.parametrize("secret", [SECRET, ODD, *FORMS.values()])
@pytest.mark.parametrize("encoding", IN_64)
def test_of_what_is_left_of_base64_nothing_can_be_read(encoding: str, secret: str) -> None:
    redacted = Redactor([secret]).redact(ENCODINGS[encoding](secret))
    assert "***" in redacted
    for run in re.findall("[A-Za-z0-9+/_-]+", redacted):
        for skipped in range(4):
            piece = run[skipped : skipped + (len(run) - skipped) // 4 * 4].encode()
            with contextlib.suppress(ValueError):
                read = base64.b64decode(piece, altchars=b"-_").decode("utf-8", "replace")
                assert not [one for one in _pieces(secret, 4) if one in read]


def test_a_lower_case_secret_in_another_alphabet_is_found() -> None:
    assert Redactor(["ΟΔΟΣ-Straße-7İ"]).redact("x οδοσ-STRAßE-7İ y") == "x *** y"


@pytest.mark.parametrize(
    "value", ["short1!", "production", "Production", "12345678901", "2.50.100", ""]
)
def test_words_numbers_and_short_values_are_no_secrets(value: str) -> None:
    text = f"in {value} today"
    assert Redactor([value]).redact(text) == text


@pytest.mark.parametrize("value", ["hunter2-hunter2", "passWordX", "a" * 30])
def test_everything_else_is(value: str) -> None:
    assert Redactor([value]).redact(f"x{value}y") == "x***y"


def test_each_line_of_a_secret_is_redacted() -> None:
    assert Redactor(["first-line-1\nsecond-line-2"]).redact("second-line-2!") == "***!"


def test_the_longer_secret_wins() -> None:
    assert Redactor(["abcd-1234", "abcd-1234-more"]).redact("abcd-1234-more") == "***"


@pytest.mark.parametrize(
    "text", ["task-force-of-seven", "sk-learning-is-a-library-name", "akiaabc"]
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert Redactor().redact(text) == text


def test_json_is_redacted_all_through() -> None:
    value = Redactor([SECRET]).redact_json({SECRET: [f"<{SECRET}>", 1, None, True]})
    assert value == {"***": ["<***>", 1, None, True]}


@given(secret=st.text(min_size=8, max_size=30), before=hostile.texts, after=hostile.texts)
def test_no_secret_survives(secret: str, before: str, after: str) -> None:
    secret = secret + "0x!"
    assert secret not in Redactor([secret]).redact(before + secret + after)


def test_hostile_text_takes_linear_time() -> None:
    for piece in (
        *hostile.PIECES,
        "eyJ",
        "eyJaaaaaaaa.",
        "-----BEGIN PRIVATE KEY-----",
        "Bearer ",
        "sk-",
        "ghp_",
    ):
        Redactor([SECRET]).redact(piece * 20_000)


CUTS = st.integers(min_value=1, max_value=80)


@given(
    st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60),
    st.integers(min_value=0, max_value=60),
    CUTS,
)
def test_no_piece_of_a_secret_survives_a_cut_that_came_before_redaction(
    secret: str, lead: int, limit: int
) -> None:
    redactor = Redactor([secret])
    if redactor.redact(secret) != "***":
        return  # a word or a number
    text = "\x00" * lead + secret + "\x00" * 60
    for cut in (
        truncation.characters(text, limit),
        f"{truncation.ELLIPSIS}{text[-limit:]}",
        f"{truncation.ELLIPSIS}{text[lead + 2 : lead + 2 + limit]}{truncation.ELLIPSIS}",
    ):
        shown = redactor.redact(cut)
        pieces = {secret[at : at + 4] for at in range(len(secret) - 3)}
        assert not [piece for piece in pieces if piece in shown.replace("***", "\x00")]


@pytest.mark.parametrize("token", TOKENS[:-2])
def test_a_known_shape_is_redacted_although_it_was_cut(token: str) -> None:
    for end in range(16, len(token)):
        shown = Redactor().redact(f"said {token[:end]}…")
        assert token[12:16] not in shown


def test_what_is_no_piece_of_a_secret_stays_beside_an_ellipsis() -> None:
    text = "it went on… and on, task-force…"
    assert Redactor([SECRET]).redact(text) == text
