"""Names are resolved through tables first, and through installed packages after."""

import subprocess
import sys
from pathlib import Path

import pytest

from mergebar import catalogue, plugins
from mergebar.errors import ExitCode, StopError

ENTRY_POINTS = """\
[mergebar.agents]
homemade = homemade_adapter:create

[mergebar.graders]
broken = homemade_broken:create
nothing = homemade_adapter:missing
constant = homemade_adapter:CONSTANT
homemade = homemade_adapter:create
"""


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of somebody else, laid out as an installer leaves it."""
    info = tmp_path / "homemade-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: homemade\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "homemade_adapter.py").write_text("CONSTANT = 1\ndef create(*_): return 'made'\n")
    (tmp_path / "homemade_broken.py").write_text("raise RuntimeError('no licence file')\n")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize("name", plugins.AGENTS)
def test_each_built_in_agent_loads(name: str) -> None:
    assert callable(plugins.agent(name))


@pytest.mark.parametrize("name", plugins.JUDGES)
def test_each_built_in_judge_loads(name: str) -> None:
    assert callable(plugins.judge(name))


@pytest.mark.parametrize("name", catalogue.EVALUATORS)
def test_each_evaluator_of_the_catalogue_loads(name: str) -> None:
    found = plugins.evaluator(name)

    assert not isinstance(found, plugins.Unknown)
    assert callable(found().evaluate)


def test_the_tables_name_no_evaluator_that_the_catalogue_lacks() -> None:
    assert set(plugins.EVALUATORS) == set(catalogue.EVALUATORS)


def test_the_explainer_loads() -> None:
    assert callable(plugins.explainer())


@pytest.mark.usefixtures("_installed")
def test_an_installed_package_adds_a_name() -> None:
    found = plugins.grader("homemade")

    assert not isinstance(found, plugins.Unknown)
    assert found.__module__ == "homemade_adapter"
    assert not isinstance(plugins.agent("homemade"), plugins.Unknown)
    assert isinstance(plugins.judge("homemade"), plugins.Unknown)


def test_an_unknown_name_is_a_value_with_the_nearest_one() -> None:
    found = plugins.evaluator("Coherance")

    assert found == plugins.Unknown(
        name="Coherance",
        message="there is no evaluator `Coherance`: did you mean `Coherence`?",
    )


@pytest.mark.usefixtures("_installed")
def test_an_unknown_name_may_be_near_an_installed_one() -> None:
    found = plugins.agent("home-made")

    assert isinstance(found, plugins.Unknown)
    assert "did you mean `homemade`?" in found.message


def test_a_name_that_is_near_nothing_gets_the_list() -> None:
    found = plugins.judge("oracle-of-delphi")

    assert isinstance(found, plugins.Unknown)
    assert "known are `openai`, `azure`, `replay`" in found.message


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "RuntimeError: no licence file"),
        ("nothing", "has no attribute 'missing'"),
        ("constant", "is not a function"),
    ],
)
def test_a_broken_package_stops_and_is_named(name: str, reason: str) -> None:
    with pytest.raises(StopError) as stop:
        plugins.grader(name)

    assert stop.value.code is ExitCode.INVALID
    assert f"`{name}` is installed as `homemade_" in stop.value.message
    assert reason in stop.value.message


def test_a_built_in_name_reads_no_metadata_and_loads_no_other_adapter() -> None:
    script = (
        "import sys; from mergebar import plugins; before = set(sys.modules);"
        "plugins.evaluator('ExactMatch');"
        "print(*sorted(set(sys.modules) - before))"
    )

    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()

    assert "mergebar.evaluators.exact_match" in loaded
    assert "importlib.metadata" not in loaded
    assert "mergebar.evaluators.relevance" not in loaded
    assert not any(name.startswith(("openai", "jsonschema.")) for name in loaded)
