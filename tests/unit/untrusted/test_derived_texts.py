"""A secret in a text that was made of another one: folded, split, joined, cut; and what stays."""

import unicodedata
from collections.abc import Callable

import pytest

from mergebar.untrusted import truncation
from mergebar.untrusted.redaction import Redactor
from support.secrets import FORMS, parts

REWRITES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "lower": str.lower,
    "upper": str.upper,
    "folded and composed": lambda text: unicodedata.normalize("NFKC", text.casefold()),
    "split": lambda text: ", ".join(f"`{one}`" for one in _words(text)),
    "folded and split": lambda text: "; ".join(_words(text.casefold())),
    "sorted": lambda text: " ".join(sorted(_words(text.casefold()))),
    "joined": lambda text: "".join(_words(text)),
    "blanks for separators": lambda text: " ".join(_words(text)),
    "in a diff": lambda text: f"- {text}\n+ {text.lower()}",
    "swapped case": str.swapcase,
}


def _words(text: str) -> list[str]:
    return "".join(one if one.isalnum() else " " for one in text).split()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rewrite", REWRITES)
def test_no_telling_part_of_a_secret_survives_a_rewrite(form: str, rewrite: str) -> None:
    secret = FORMS[form]

    said = Redactor([secret]).redact_derived(f"extra: {REWRITES[rewrite](secret)}.").lower()

    assert "***" in said
    assert not [part for part in parts(secret) if part in said.replace("***", " ")]
    assert said.startswith("extra: ")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("limit", range(5, 40))
def test_none_survives_a_rewrite_and_a_cut(form: str, limit: int) -> None:
    secret = FORMS[form]

    cut = truncation.characters(f"{secret.casefold()} and more of the same", limit)
    said = Redactor([secret]).redact_derived(cut)

    assert secret.casefold()[:8] not in said


@pytest.mark.parametrize(
    "text",
    [
        "the answer opens the door with the key of the host",
        "`https` and `example` are words of the answer",
        "2 shared of 4 expected and 7 given; missing: `days`; extra: `door`, `4`",
        "it went on… and on…",
    ],
)
def test_words_that_are_no_secret_by_themselves_stay(text: str) -> None:
    assert Redactor(FORMS.values()).redact_derived(text) == text


def test_a_text_without_known_secrets_stays() -> None:
    assert Redactor().redact_derived("a1b2c3d4 is a word") == "a1b2c3d4 is a word"
