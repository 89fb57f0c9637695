"""What a judge reads of a session stays within its limit, whole where it fits."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from mergebar.graders import framing, transcript
from mergebar.graders.transcript import Caps
from mergebar.model.gradings import ArtifactText, Seen, whole
from mergebar.traces import FileContents
from support import graded, traces

LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), max_size=30)


def numbered(lines: list[str]) -> Iterator[tuple[int, str]]:
    return iter(list(enumerate(lines)))


def backwards(lines: list[str]) -> Iterator[tuple[int, str]]:
    return iter(list(enumerate(lines))[::-1])


@given(st.text(max_size=40), LINES, st.integers(0, 400))
def test_a_frame_is_never_over_its_limit(first: str, lines: list[str], limit: int) -> None:
    assert len(framing.frame(first, numbered(lines), backwards(lines), limit)) <= limit


@given(st.text(max_size=40), LINES)
def test_what_fits_is_left_whole(first: str, lines: list[str]) -> None:
    everything = "\n".join([first, *lines])

    framed = framing.frame(first, numbered(lines), backwards(lines), len(everything))

    assert framed == everything


def test_the_beginning_and_the_end_are_kept_and_the_gap_is_marked() -> None:
    lines = [f"line {number:04}" for number in range(500)]

    framed = framing.frame("first", numbered(lines), backwards(lines), 500)

    kept = framed.split("\n")
    assert kept[:2] == ["first", "line 0000"]
    assert kept[-1] == "line 0499"
    assert kept.count("[… the middle is left out here …]") == 1
    assert 0.5 < sum(line < "line 0250" for line in kept[1:] if line[0] == "l") / len(kept) < 0.75


def test_no_more_lines_are_made_than_fit() -> None:
    made = []

    def endless(step: int) -> Iterator[tuple[int, str]]:
        number = 0 if step > 0 else 10**9
        while True:
            made.append(number)
            yield number, "x" * 9
            number += step

    framing.frame("", endless(1), endless(-1), 1000)

    assert len(made) < 120


@given(st.text(max_size=60), st.integers(0, 80))
def test_a_text_is_never_over_its_limit(text: str, limit: int) -> None:
    shortened = framing.shorten(text, limit)

    assert len(shortened) <= limit
    assert shortened == text or len(text) > limit


def render(records: list[traces.Record], caps: Caps) -> str:
    with TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.jsonl"
        session = traces.read(trace, records)
        artifact = graded.read(Path(folder), "- {id: one, assertion: A.}")
        with FileContents(session, trace) as contents:
            seen = Seen(
                session=session,
                contents=contents,
                excerpt=whole(session),
                artifact=artifact,
                text=ArtifactText(file="", shown=""),
            )
            return transcript.render(seen, redact=lambda text: text, caps=caps)


SAID = st.lists(
    st.one_of(
        st.text(max_size=50).map(traces.said),
        st.text(max_size=50).map(lambda text: traces.replied(traces.text(text))),
        st.text(max_size=50).map(lambda text: traces.replied(traces.call("Bash", command=text))),
    ),
    min_size=1,
    max_size=12,
)
CAPS = st.builds(
    Caps,
    message=st.integers(0, 60),
    arguments=st.integers(0, 60),
    failure=st.integers(0, 60),
    total=st.integers(0, 700),
)


@settings(max_examples=40, deadline=None)
@given(SAID, CAPS)
def test_no_session_is_over_the_limit_however_tight(said: list[traces.Record], caps: Caps) -> None:
    assert len(render(traces.chained([traces.said("go"), *said]), caps)) <= caps.total


def test_a_sub_agent_is_named(tmp_path: Path) -> None:
    del tmp_path
    side = traces.chained(
        [traces.said("look"), traces.replied(traces.text("found"))], start=50, side=True
    )
    main = traces.chained([
        traces.said("go"),
        traces.replied(traces.call("Agent", "a1", subagent_type="Explore", prompt="look")),
    ])  # fmt: skip
    side[0]["parentUuid"] = main[1]["uuid"]

    text = render([*main, *side], Caps())

    assert "[sub-agent 1, Explore] agent: found" in text
    assert "sub-agents started: Explore" in text
