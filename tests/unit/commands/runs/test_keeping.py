"""Where answers and progress are kept: never where a checkout could stand in for a measurement."""

from dataclasses import replace
from pathlib import Path

import pytest

from mergebar.commands import workspace
from mergebar.commands.runs import keeping
from mergebar.commands.runs.invocations import Invocation, Surroundings, around
from mergebar.commands.runs.keeping import Keeping
from mergebar.errors import StopError
from mergebar.model.configuration import CacheConfig, Config
from support import builders, repositories

KEY = "0" * 64


def surroundings(path: Path) -> Surroundings:
    repositories.start(path, {"a.txt": "a", "kept/x.json": "{}"})
    return around(workspace.here(path), {})


def config(path: str = ".mergebar/cache") -> Config:
    return replace(builders.config(judge=builders.judge_config()), cache=CacheConfig(path=path))


def cached_at(kept: Keeping, root: Path) -> str:
    """Where a text ends up, relative to `root`."""
    assert kept.store is not None
    kept.store.put(KEY, b"text")
    kept.store.close()
    (path,) = root.rglob(f"{KEY[1:]}.json")
    return path.parent.parent.relative_to(root).as_posix()


def test_on_a_laptop_they_are_below_the_working_directory(tmp_path: Path) -> None:
    kept = keeping.settle(Invocation(output="out"), surroundings(tmp_path), config())

    assert kept.journal == tmp_path / "out" / "journal.jsonl"
    assert not kept.anew
    assert cached_at(kept, tmp_path) == ".mergebar/cache"


@pytest.mark.parametrize("path", [".mergebar/cache", "kept", "a/../b"])
def test_the_action_keeps_nothing_in_the_checkout(tmp_path: Path, path: str) -> None:
    invocation = Invocation(own_folder=tmp_path / "temp" / "mergebar", artifact="gate")

    kept = keeping.settle(invocation, surroundings(tmp_path / "work"), config(path))

    assert kept.journal == tmp_path / "temp" / "mergebar" / "gate.journal.jsonl"
    assert cached_at(kept, tmp_path) == "temp/mergebar/cache"


def test_the_action_keeps_answers_outside_of_the_checkout_where_it_is_told(tmp_path: Path) -> None:
    invocation = Invocation(own_folder=tmp_path / "temp" / "mergebar")

    kept = keeping.settle(invocation, surroundings(tmp_path / "work"), config("../mine"))

    assert cached_at(kept, tmp_path) == "mine"


def test_a_runner_without_a_folder_of_its_own_keeps_nothing(tmp_path: Path) -> None:
    assert keeping.settle(Invocation(keeps=False), surroundings(tmp_path), config()) == Keeping()


@pytest.mark.parametrize("invocation", [Invocation(cache=False), Invocation(record=True)])
def test_who_asks_anew_or_records_takes_nothing_that_is_known(
    tmp_path: Path, invocation: Invocation
) -> None:
    kept = keeping.settle(invocation, surroundings(tmp_path), config())

    assert kept.store is None
    assert kept.anew


def test_without_anything_to_cache_git_is_not_even_asked(tmp_path: Path) -> None:
    plain = replace(config("kept"), judge=builders.judge_config("replay"))

    assert keeping.settle(Invocation(), surroundings(tmp_path), plain).store is None


@pytest.mark.parametrize("path", ["kept", "kept/deeper/..", "."])
def test_a_folder_that_git_tracks_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(StopError, match="git tracks the cache folder"):
        keeping.settle(Invocation(), surroundings(tmp_path), config(path))
