"""The support agent of the Emberstow H2, a home battery that doesn't exist.

It reads one question from standard input, as one line of JSON, and writes one line with the answer:
the `command` protocol of mergebar. It knows nothing but the pages beside it. It finds the passages
that fit the question, answers with sentences from them, and says where each comes from.
"""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGES = Path(__file__).parent / "pages"
CAPABILITY = "SupportPages"
REFUSAL = (
    "I can't find that in the Emberstow H2 pages, and I won't guess. "
    "Please ask your installer, or put the question in other words."
)

HITS = 5  # how many passages the diagnostics list
CITED = 2  # how many passages an answer draws on at most
SENTENCES = 3  # how many sentences an answer has at most
COVERED = 0.5  # the share of the question that the best passage must know about
CLOSE = 0.75  # how near to the best passage another one must come to be cited too
CARRIED = 0.4  # what a word of the question before weighs beside a new one
FITTING = 0.7  # how near to the best sentence of a passage another one must come
SHORTEST = 3  # how many letters of a word remain at least
K1, B = 1.2, 0.6  # BM25: how soon repetition stops counting, how much length does

WORD = re.compile(r"[a-z0-9]+(?:[.'-][a-z0-9]+)*")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")
DURATION = re.compile(
    r"\b(?:takes?|lasts?|runs?|within)\b[^.]*\b(?:seconds|minutes|hours|days|years)\b"
)
REFERRING = {"again", "afterwards", "it", "that", "then", "there", "this", "those"}
IDLE = """
a about after again all also am an and any are as at battery be been but by can could did do
does doesn't don't each emberstow for from h2 had happen happens has have how i if in into is it
it's its just long many may me much my need of on or our please should so take takes than that
the their them then there these they this those to until us was we were what what's when where
which while who why will with work works would you your
"""
STOP = frozenset(IDLE.split())  # words that tell no page from another
ALIKE = {"reboot": "restart", "cold": "winter", "outage": "cut", "blackout": "cut", "wifi": "wi-fi"}


@dataclass(frozen=True)
class Passage:
    """One section of a page: what is ranked, quoted and cited."""

    source: str
    title: str
    heading: str
    text: str

    @property
    def sentences(self) -> list[str]:
        return SENTENCE.split(self.text)


def words(text: str) -> list[str]:
    """The words that tell one page from another, under one name for each thing."""
    return [ALIKE.get(word, word) for word in WORD.findall(text.lower()) if word not in STOP]


def stem(word: str) -> str:
    """Enough to let "charging" meet "charge", and "lights" meet "light"."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > SHORTEST and word[-1] == word[-2] else word


def terms(text: str) -> list[str]:
    return [stem(word) for word in words(text)]


def slug(heading: str) -> str:
    return "-".join(WORD.findall(heading.lower()))


def read(folder: Path) -> list[Passage]:
    """Every section of every page, in the order of the names."""
    passages = []
    for page in sorted(folder.glob("*.md")):
        title, *sections = re.split(r"^## +", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for section in sections:
            heading, _, body = section.partition("\n")
            passages.append(
                Passage(
                    source=f"pages/{page.name}#{slug(heading)}",
                    title=title.strip().lstrip("# "),
                    heading=heading.strip(),
                    text=" ".join(body.split()),
                )
            )
    return passages


class Index:
    """The passages, ready to be ranked (BM25; a heading counts twice)."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = passages
        self._bags = [
            Counter(terms(f"{each.title} {each.heading} {each.heading} {each.text}"))
            for each in passages
        ]
        self._average = sum(bag.total() for bag in self._bags) / max(1, len(passages))
        self._spread = Counter(term for bag in self._bags for term in bag)

    def rarity(self, term: str) -> float:
        """High for a word of few passages; highest for one that none has."""
        count = self._spread[term]
        return math.log(1 + (len(self.passages) - count + 0.5) / (count + 0.5))

    def rank(self, query: Mapping[str, float]) -> list[tuple[float, float, Passage]]:
        """Score, covered share of the query, and passage, best first; without those of score 0."""
        ranked = []
        sought = {stem(word): weight for word, weight in query.items()}
        whole = sum(weight * self.rarity(term) for term, weight in sought.items())
        for bag, passage in zip(self._bags, self.passages, strict=True):
            length = 1 - B + B * bag.total() / self._average
            score = covered = 0.0
            for term, weight in sought.items():
                if bag[term]:
                    worth = weight * self.rarity(term)
                    covered += worth
                    score += worth * bag[term] * (K1 + 1) / (bag[term] + K1 * length)
            if score:
                ranked.append((score, covered / whole, passage))
        return sorted(ranked, key=lambda each: (-each[0], each[2].source))


def query_of(prompt: str, earlier: Sequence[str]) -> dict[str, float]:
    """The words to look for. A question that points back takes over the words of the one before."""
    query = dict.fromkeys(words(prompt), 1.0)
    points_back = not REFERRING.isdisjoint(WORD.findall(prompt.lower()))
    if earlier and (points_back or len(query) <= 1):
        share = CARRIED if query else 1.0
        for word, weight in query_of(earlier[-1], earlier[:-1]).items():
            query.setdefault(word, share * weight)
    return query


def chosen(passage: Passage, query: Mapping[str, float], index: Index, prompt: str) -> list[str]:
    """The sentences of a passage that fit the question best, in its order."""
    sought = {stem(word): weight for word, weight in query.items()}
    asks_how_long = "how long" in prompt.lower()

    def worth(sentence: str) -> float:
        found = sum(sought.get(term, 0) * index.rarity(term) for term in set(terms(sentence)))
        return found * (3 if asks_how_long and DURATION.search(sentence) else 1)

    worths = {sentence: worth(sentence) for sentence in passage.sentences}
    bar = max(worths.values()) * FITTING
    return [each for each, value in worths.items() if value >= bar > 0]


def answer(question: Mapping[str, Any], index: Index) -> dict[str, Any]:
    """The whole reply to one question."""
    prompt = question["prompt"]
    query = query_of(prompt, [turn["prompt"] for turn in question.get("history", [])])
    ranked = index.rank(query)
    best = [each for each in ranked if each[0] >= CLOSE * ranked[0][0] and each[1] >= COVERED]
    parts: list[str] = []
    citations: list[dict[str, Any]] = []
    left = SENTENCES
    for _, _, passage in best[:CITED]:
        sentences = chosen(passage, query, index, prompt)[:left]
        if not sentences and not parts:  # only its heading fits, and nothing fits better
            sentences = passage.sentences[:1]
        if sentences:
            left -= len(sentences)
            citations.append(cite(len(citations) + 1, passage))
            parts.append(f"{' '.join(sentences)} [{len(citations)}]")
    return {
        "response": " ".join(parts) or REFUSAL,
        "conversation_id": question.get("conversation_id") or f"h2-{question.get('case', 'new')}",
        "citations": citations,
        "diagnostics": {"retrieval_executions": [execution(query, [each[2] for each in ranked])]},
    }


def cite(number: int, passage: Passage) -> dict[str, Any]:
    return {"index": number, "text": passage.heading, "source": passage.source}


def execution(query: Iterable[str], found: Sequence[Passage]) -> dict[str, Any]:
    """What was looked for and found, for whoever wants to check the search and not the answer."""
    return {
        "capability": CAPABILITY,
        "status": "success",
        "totalResultCount": len(found),
        "queries": [{"queryString": " ".join(query), "filterExpression": None}],
        "retrievalHits": [
            {"rank": rank, "webUrl": passage.source, "extracts": [{"text": passage.text}]}
            for rank, passage in enumerate(found[:HITS], start=1)
        ],
    }


def question_in(line: str) -> Mapping[str, Any] | None:
    """The question, or `None` where the line isn't one."""
    try:
        question = json.loads(line)
    except ValueError:
        return None
    asked = isinstance(question, dict) and isinstance(question.get("prompt"), str)
    return question if asked else None


def main() -> int:
    question = question_in(sys.stdin.readline())
    if question is None:
        message = "standard input isn't one line of JSON with a `prompt`"
        print(json.dumps({"error": {"class": "config", "message": message}}))
    else:
        print(json.dumps(answer(question, Index(read(PAGES)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
