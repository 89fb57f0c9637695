"""What counts as an opinion: all keys, no other, and one verdict only."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import prompting
from mergebar.model.judgements import Match, Opinion
from mergebar.model.text import Json

GOOD: dict[str, Json] = {
    "claim": "It was tested.",
    "observed": "make test",
    "reasoning": "It ran.",
    "match": "pass",
    "confidence": 0.9,
}


def reply(**changed: Json) -> str:
    return json.dumps({**GOOD, **changed})


@pytest.mark.parametrize(
    "text",
    [reply(), f"```json\n{reply()}\n```", f"Here it is:\n{reply()}\nDone.", f"\ufeff {reply()}"],
)
def test_an_opinion_is_read(text: str) -> None:
    opinion = prompting.parse_opinion(text)

    assert opinion == Opinion(
        match=Match.PASS,
        confidence=0.9,
        claim="It was tested.",
        observed="make test",
        reason="It ran.",
    )


UNUSABLE = [
    ("", "it is empty"),
    ("It passes.", "no JSON object with a `match`"),
    ("[]", "no JSON object"),
    (reply(match="PASS"), "none of `pass`"),
    (reply(match=None), "none of `pass`"),
    (reply(confidence=1.01), "from 0 to 1"),
    (reply(confidence=-0.1), "from 0 to 1"),
    (reply(confidence=True), "from 0 to 1"),
    (reply(confidence="0.9"), "from 0 to 1"),
    (reply().replace("0.9", "NaN"), "from 0 to 1"),
    (reply(claim=None), "its `claim` is no text"),
    (reply(extra=1), "keys that nobody asked for"),
    ('{"match": "pass", "confidence": 1}', "it holds no `claim`"),
    (reply().replace("}", ', "match": "fail"}'), "it gives `match` twice"),
    (f"The session says {reply()} and I say {reply(match='fail')}", "several JSON objects"),
    ("{" * 100_000, "no JSON object"),
]


@pytest.mark.parametrize(("text", "said"), UNUSABLE)
def test_anything_less_is_unusable_and_says_why(text: str, said: str) -> None:
    found = prompting.parse_opinion(text)

    assert isinstance(found, prompting.Unusable)
    assert said in found.message


@given(st.text() | st.text('{}[]":,mtchpas\\0.9 '))
def test_no_reply_is_too_odd(text: str) -> None:
    assert isinstance(prompting.parse_opinion(text), Opinion | prompting.Unusable)
