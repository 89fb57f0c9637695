"""What is kept of millions of records: identifiers as hashes, figures as sums."""

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.model.text import Json
from mergebar.traces.building import META, Building
from mergebar.traces.links import Links, Omissions
from mergebar.traces.tokens import Ledger, of_completion, settled, stated
from support import traces as t

USAGES = st.tuples(st.integers(0, 5), st.integers(0, 100), st.integers(0, 100))


@given(st.lists(USAGES, max_size=40))
def test_usage_is_the_sum_of_the_last_figures_of_each_reply(
    records: list[tuple[int, int, int]],
) -> None:
    ledger = Ledger()
    for key, uncached, output in records:
        ledger.add(key, t.usage(uncached, output))
    last = {key: uncached + output for key, uncached, output in records}
    total = ledger.total()

    assert ledger.replies == len(last)
    assert (total.total if total else 0) == sum(last.values())


def test_a_reply_without_figures_makes_the_sum_incomplete() -> None:
    ledger = Ledger()
    ledger.add(1, t.usage(1, 2))
    ledger.add(2, None)
    total = ledger.total()

    assert total is not None
    assert (total.total, total.complete) == (3, False)


def test_a_cost_counts_only_if_every_reply_has_one() -> None:
    ledger = Ledger()
    ledger.add(1, t.usage(1, 2), 0.5)
    ledger.add(2, t.usage(1, 2))
    total = ledger.total()

    assert total is not None
    assert total.cost_usd is None


ODD: list[Json] = [True, -5, "9999", None, [], {}, float("inf"), float("nan")]


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("key", ["input_tokens", "output_tokens"])
def test_odd_figures_are_none(key: str, odd: Json) -> None:
    figures: dict[str, Json] = {"input_tokens": 5, "output_tokens": 7, key: odd}
    ledger = Ledger()
    ledger.add(1, figures)
    found = stated(figures, 0.5)

    assert ledger.total() is None
    assert stated(figures, None) is None
    assert found is not None
    assert (found.cost_usd, found.complete) == (0.5, False)
    del figures[key]
    assert stated(figures, None) is None


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("key", ["prompt_tokens", "completion_tokens"])
def test_odd_figures_of_a_completion_are_none(key: str, odd: Json) -> None:
    figures: dict[str, Json] = {"prompt_tokens": 5, "completion_tokens": 7, key: odd}

    assert of_completion(figures) is None
    del figures[key]
    assert of_completion(figures) is None


def test_odd_figures_of_the_cache_and_odd_costs_count_nothing() -> None:
    figures: dict[str, Json] = {"input_tokens": 5, "output_tokens": 7}
    found = stated(figures | {"cache_read_input_tokens": "9"}, float("inf"))

    assert found is not None
    assert (found.total, found.cache_read_tokens, found.cost_usd) == (12, 0, None)


def test_a_total_that_is_a_cost_alone_is_held_beside_the_tokens_of_the_replies() -> None:
    ledger = Ledger()
    ledger.add(1, {"input_tokens": 5, "output_tokens": 7})
    found = settled(stated(None, 0.5), ledger.total())

    assert found is not None
    assert (found.total, found.cost_usd, found.stated, found.complete) == (12, 0.5, False, True)


@given(st.lists(st.integers(1, 6), max_size=30))
def test_repeats_are_those_that_stand_more_than_once(uuids: list[int]) -> None:
    links = Links()
    links.uuids.extend(uuids)

    assert links.repeated() == {each for each in uuids if uuids.count(each) > 1}


def test_repeats_among_very_many_are_found_too() -> None:
    links = Links()
    links.uuids.extend(range(-60_000, 60_000))
    links.uuids.append(-59_999)

    assert links.repeated() == {-59_999}


def test_what_hangs_on_an_abandoned_record_goes_with_it() -> None:
    omissions = Omissions(repeated=[7], abandoned=[2])

    out = [
        omissions.leaves_out({"type": "user"}, *pair)
        for pair in ((1, 0), (2, 1), (3, 2), (7, 1), (4, 3), (7, 1))
    ]
    assert out == [False, True, True, False, True, True]
    assert (omissions.count, omissions.others) == (4, 0)


def test_an_event_costs_a_few_bytes_however_long_its_text_is(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    turn = [t.replied(t.call("Bash", "a", command="x" * 2000)), t.said([t.result("a", "y" * 2000)])]
    records = t.chained([{**each} for _ in range(2000) for each in turn])
    t.write(path, records)
    tracemalloc.start()
    session = t.read(path)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(session.events) == 4000
    assert kept / len(session.events) < 200


STEPS = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 30)), max_size=60)


@given(STEPS)
def test_taken_back_is_every_prompt_after_one_record_that_the_last_record_does_not_follow(
    records: list[tuple[int, int]],
) -> None:
    """Each record is a prompt, and the identifiers are unique."""
    known = dict(reversed(records))
    links = Links()
    order = list(dict.fromkeys(uuid for uuid, _ in records))
    for place, uuid in enumerate(order):
        links.follow(uuid, known[uuid])
        if known[uuid]:
            links.prompts.append(place)
        links.leaf = place
    active, at = set(), len(order) - 1
    target = order[at] if order else 0
    while at >= 0 and target:  # only backwards: what comes later can't have been followed
        if order[at] == target:
            active.add(target)
            target = known[target]
        at -= 1
    left = set()
    for parent in set(known.values()) - {0}:
        siblings = [uuid for uuid in order if known[uuid] == parent]
        if len(siblings) > 1:
            left |= set(siblings) - (active & set(siblings) or {siblings[-1]})

    assert links.abandoned() == left


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 1, 255, 256, 70_000]),
            st.sampled_from([0, 2**16, 2**32 - 1, 2**32, 2**40]),
            st.sampled_from([0, 65_535, 65_536, 2**24]),
            st.sampled_from([0, 255, 256, 1_000_000]),
        ),
        max_size=20,
    )
)
def test_an_event_keeps_its_numbers_however_large(
    events: list[tuple[int, int, int, int]],
) -> None:
    building = Building()
    for branch, offset, length, part in events:
        building.branch, building.offset, building.length = branch, offset, length
        building.event(META, part)

    kept = [(one.branch, one.offset, one.length, one.part) for one in building.event_rows()]

    assert kept == events
    assert list(building.event_rows().column("branch")) == [branch for branch, *_ in events]
