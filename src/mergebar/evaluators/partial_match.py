"""A response and the expected response in; how far their words overlap, out.

The score is the F1 of the two multisets of tokens, so words that nobody expected cost as much as
missing ones.
"""

import re
from collections import Counter
from collections.abc import Collection

from mergebar.evaluators import scoring
from mergebar.evaluators.measuring import Measured
from mergebar.model.evaluations import Evaluator, Evidence, Score
from mergebar.model.text import JsonObject
from mergebar.untrusted.redaction import MASK

# Scripts that put no space between words: there, every character is a token.
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
)
# `\w` leaves out marks that belong to the letter before them.
_MARKS_UNSPACED = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059"
    "\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u109a-\u109d"
    "\u17b4-\u17d3\u17dd\u3099\u309a"
)
_MARKS = (
    "\u0300-\u036f\u0483-\u0487"  # Latin, Greek, Cyrillic
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"  # Arabic
    "\u0900-\u0963\u0966-\u096f\u0971-\u0df3"  # the scripts of India and Sri Lanka, whole
    "\u200c\u200d"  # joiners within a word
)
_LETTER = rf"[^\W{_UNSPACED}]"
_TOKEN = re.compile(
    rf"(?=\w)[{_UNSPACED}][{_MARKS_UNSPACED}]*+|{_LETTER}(?:{_LETTER}|[{_MARKS}])*+"
)

_NAMED = 5
_NAME_LENGTH = 24


def create() -> Evaluator:
    return Measured(name="PartialMatch", measure=_measure)


def tokens(text: str, *, case_sensitive: bool) -> Counter[str]:
    """The words of a text and how often each occurs; a character each where words run together."""
    return Counter(_TOKEN.findall(scoring.composed(text, case_sensitive=case_sensitive)))


def _measure(evidence: Evidence, options: JsonObject, threshold: float) -> Score:
    case_sensitive = options.get("case_sensitive") is True

    def read(text: str) -> Counter[str]:
        return tokens(text, case_sensitive=case_sensitive)

    response, expected = evidence.response, evidence.expected_response or ""
    given, wanted = read(response), read(expected)
    shown = {*read(evidence.redact(response)), *read(evidence.redact(expected))}
    score = _f1(given, wanted)
    passed = scoring.meets(score, threshold)
    reason = _reason(score, given, wanted, shown)
    return Score(
        passed=passed,
        score=score,
        threshold=threshold,
        reason=reason,
        record={
            "score": score,
            "result": scoring.result(passed=passed),
            "threshold": threshold,
            "reason": reason,
        },
    )


def _f1(given: Counter[str], wanted: Counter[str]) -> float:
    total = given.total() + wanted.total()
    return 1.0 if total == 0 else 2 * (given & wanted).total() / total


def _reason(score: float, given: Counter[str], wanted: Counter[str], shown: Collection[str]) -> str:
    """`shown` are the words that are no part of a secret."""
    if not given and not wanted:
        return f"token F1 {score:.3f}: neither text has a word in it"
    shared, expected, answered = (given & wanted).total(), wanted.total(), given.total()
    parts = [f"token F1 {score:.3f}: {shared} shared of {expected} expected and {answered} given"]
    parts += [
        f"{label}: {_named(counts, shown)}"
        for label, counts in (("missing", wanted - given), ("extra", given - wanted))
        if counts
    ]
    return "; ".join(parts)


def _named(counts: Counter[str], shown: Collection[str]) -> str:
    """The first few in the order of the text, and how many more there are."""
    words = [token if token in shown else MASK for token in counts][:_NAMED]
    names = [f"`{scoring.tidy(word, limit=_NAME_LENGTH)}`" for word in dict.fromkeys(words)]
    more = len(counts) - len(words)
    return ", ".join(names) + (f" and {more} more" if more else "")
