"""The agent of the example, asked as mergebar asks it: one process per question."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

EXAMPLE = Path(__file__).parent.parent.parent.parent / "examples" / "support-agent"


def put(line: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "agent.py"],
        input=line,
        cwd=EXAMPLE,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    return cast("dict[str, Any]", json.loads(done.stdout))


def ask(prompt: str, *earlier: tuple[str, str], conversation: str | None = None) -> dict[str, Any]:
    history = [{"prompt": said, "response": answered} for said, answered in earlier]
    return put(
        json.dumps(
            {
                "prompt": prompt,
                "conversation_id": conversation,
                "turn": len(history),
                "history": history,
                "case": "a-case",
            }
        )
        + "\n"
    )


def sources(reply: dict[str, Any]) -> list[str]:
    return [citation["source"] for citation in reply["citations"]]


@pytest.mark.parametrize(
    ("prompt", "says", "source"),
    [
        ("How do I restart the H2?", "eight seconds", "pages/restarting.md#restarting"),
        ("How can I reboot it", "eight seconds", "pages/restarting.md#restarting"),
        ("What does an amber ring mean?", "reduced its power", "pages/lights.md#amber-and-red"),
        ("HOW LONG DOES THE WARRANTY LAST?", "ten years", "pages/warranty.md#what-it-covers"),
        ("Does it work in winter?", "5 degrees", "pages/winter.md#in-the-cold"),
        ("change the wifi", "choose Device", "pages/app-and-updates.md#changing-the-wi-fi"),
        ("It smokes!", "leave the building", "pages/safety.md#smoke-smell-or-heat"),
    ],
)
def test_it_answers_from_the_page_that_knows_and_cites_it(
    prompt: str, says: str, source: str
) -> None:
    reply = ask(prompt)

    assert says in reply["response"]
    assert reply["response"].endswith("[1]")
    assert sources(reply)[0] == source
    assert reply["citations"][0]["index"] == 1


@pytest.mark.parametrize(
    "prompt",
    [
        "Can I pay for it with cryptocurrency?",
        "Who invented the telephone?",
        "",
        "???",
        "the and of",
        "система\u202e 電池 \x00",
    ],
)
def test_it_refuses_what_no_page_knows_and_cites_nothing(prompt: str) -> None:
    reply = ask(prompt)

    assert reply["response"].startswith("I can't find that")
    assert reply["citations"] == []


def test_a_follow_up_means_what_the_conversation_makes_it_mean() -> None:
    first = "How do I reset the H2 to factory settings?"
    second = "And how long does that take?"
    alone, after = ask(second), ask(second, (first, "Hold the round button for twenty seconds."))
    third = ask("Will I have to pair my phone again?", (first, "…"), (second, "…"))

    assert alone["response"].startswith("I can't find that")
    assert "about ten minutes" in after["response"]
    assert "pairing with your phone" in third["response"]


def test_a_new_subject_is_not_drawn_back_to_the_old_one() -> None:
    reply = ask("What does an amber ring mean?", ("How do I restart the H2?", "…"))

    assert sources(reply) == ["pages/lights.md#amber-and-red"]


def test_it_reports_what_it_looked_for_and_found() -> None:
    reply = ask("What keeps running in a power cut?")

    [execution] = reply["diagnostics"]["retrieval_executions"]
    hits = execution["retrievalHits"]
    assert execution["capability"] == "SupportPages"
    assert execution["status"] == "success"
    assert execution["queries"] == [
        {"queryString": "keeps running power cut", "filterExpression": None}
    ]
    assert [hit["rank"] for hit in hits] == list(range(1, len(hits) + 1))
    assert len(hits) <= 5 <= execution["totalResultCount"]
    assert hits[0]["webUrl"] == "pages/power-cuts.md#backup-supply"
    assert "the fridge" in hits[0]["extracts"][0]["text"]


def test_every_sentence_of_an_answer_is_on_the_page_that_it_cites() -> None:
    reply = ask("And does that also happen when I restart it?", ("How do I reset it?", "…"))
    text, marks = reply["response"], reply["citations"]

    for citation in marks:
        said, _, text = text.partition(f" [{citation['index']}]")
        page = (EXAMPLE / citation["source"].partition("#")[0]).read_text(encoding="utf-8")
        for sentence in said.strip().split(". "):
            assert sentence.rstrip(".") in page
    assert text == ""


def test_a_conversation_keeps_its_id_and_a_new_one_gets_one() -> None:
    assert ask("How do I restart it?", conversation="c-7")["conversation_id"] == "c-7"
    assert ask("How do I restart it?")["conversation_id"] == "h2-a-case"


def test_the_same_question_gets_the_same_answer() -> None:
    assert ask("What keeps running in a power cut?") == ask("What keeps running in a power cut?")


@pytest.mark.parametrize("line", ["", "\n", "no json\n", "[1]\n", '{"prompt": 1}\n', "{}\n"])
def test_a_line_that_is_no_question_is_answered_with_an_error(line: str) -> None:
    assert put(line) == {
        "error": {
            "class": "config",
            "message": "standard input isn't one line of JSON with a `prompt`",
        }
    }


def test_every_section_has_a_source_of_its_own() -> None:
    pages = sorted((EXAMPLE / "pages").glob("*.md"))
    headings = [
        f"{page.name}#{line[3:]}"
        for page in pages
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("## ")
    ]

    assert 8 <= len(pages) <= 12
    assert len(set(headings)) == len(headings)
