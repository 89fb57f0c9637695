"""What holds for every test: no network but loopback, and no silent skip in CI."""

import gc
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"

# A busy machine is slow, and that is no fault of what is tested. CI looks at twice as many examples.
settings.register_profile("quick", deadline=None, max_examples=50)
settings.register_profile("thorough", deadline=None)
settings.load_profile("thorough" if os.environ.get("MERGEBAR_NO_SKIPS") else "quick")

LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@pytest.fixture(autouse=True, scope="session")
def only_loopback() -> Iterator[None]:
    """A connection off this machine fails the test that makes it."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and address[0] not in LOOPBACK:
            message = f"a test tried to reach {address[0]}"
            raise AssertionError(message)
        connect(self, address)  # type: ignore[arg-type]

    socket.socket.connect = guarded  # type: ignore[assignment, method-assign]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test depends on the CI, the keys or the git configuration of who runs it."""
    for name in list(os.environ):
        if name.startswith(
            ("GITHUB_", "INPUT_", "ACTIONS_", "RUNNER_", "OPENAI_", "AZURE_", "GIT_")
        ):
            monkeypatch.delenv(name)
    for name in ("CI", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def shared() -> Path:
    """The public files beside the project; tests that need them skip where they are absent."""
    if not SHARED.is_dir():
        pytest.skip("../shared is absent: the public files are not beside this checkout")
    return SHARED


def pytest_collection_finish() -> None:
    """Ten thousand tests stay to the end: whoever collects garbage need not look at them."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """In CI a skip is a failure: everything that a test may need is installed there."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if report.skipped and os.environ.get("MERGEBAR_NO_SKIPS") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid}: skipped, and CI allows no skips: {report.longrepr}"
