"""What our container made in somebody's folder is theirs afterwards: real files of real users."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mergebar.processes import handing_back

OWNER, ACCOUNT, THIRD = 12345, 12346, 4242

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of others")


@pytest.fixture
def outer() -> Iterator[Path]:
    """Where everything is."""
    with tempfile.TemporaryDirectory(prefix="mergebar-test-") as made:
        yield Path(made).resolve()


@pytest.fixture
def top(outer: Path) -> Path:
    """A folder of somebody else."""
    return made(outer / "top", Path.mkdir, OWNER)


@pytest.fixture
def environ(outer: Path) -> dict[str, str]:
    """What our image says."""
    return {handing_back.MARK: str(made(outer / "home", Path.mkdir, ACCOUNT))}


def made(path: Path, make: Callable[[Path], object], user: int = 0) -> Path:
    """Made, and somebody's."""
    make(path)
    os.chown(path, user, user, follow_symlinks=False)
    return path


def linked(path: Path) -> None:
    """A link to somewhere else."""
    path.symlink_to("/etc")


KINDS: dict[str, Callable[[Path], object]] = {
    "a file": Path.touch,
    "a folder": Path.mkdir,
    "a link": linked,
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("user", [0, ACCOUNT], ids=["root", "the account"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_made_meanwhile_is_the_owners(
    top: Path, environ: dict[str, str], kind: str, user: int
) -> None:
    before = handing_back.look(str(top), environ)
    inner = made(top / "inner", Path.mkdir, user)
    inner.chmod(0o700)
    paths = [made(folder / "made", KINDS[kind], user) for folder in (top, inner)]

    handing_back.hand_back(before)

    assert {path.lstat().st_uid for path in (*paths, inner)} == {OWNER}
    assert Path("/etc").stat().st_uid == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("then", ["touched", "renamed", "nothing"])
def test_what_was_roots_before_stays_so(
    top: Path, environ: dict[str, str], kind: str, then: str
) -> None:
    old = made(top / "old", KINDS[kind])
    before = handing_back.look(str(top), environ)
    if then == "touched":
        os.chown(old, 0, 0, follow_symlinks=False)
    elif then == "renamed":
        old = old.rename(top / "new")

    handing_back.hand_back(before)

    assert old.lstat().st_uid == 0


def test_a_third_ones_and_what_has_a_name_elsewhere_stay(
    outer: Path, top: Path, environ: dict[str, str]
) -> None:
    secret = made(outer / "secret", Path.touch)
    before = handing_back.look(str(top), environ)
    third = made(top / "third", Path.touch, THIRD)
    (top / "second name").hardlink_to(secret)

    handing_back.hand_back(before)

    assert (third.stat().st_uid, secret.stat().st_uid) == (THIRD, 0)


def test_elsewhere_and_in_a_folder_of_root_nothing_changes(
    outer: Path, top: Path, environ: dict[str, str]
) -> None:
    looked = [handing_back.look(str(top), {}), handing_back.look(str(outer), environ)]
    paths = [made(folder / "made", Path.touch) for folder in (top, outer)]

    for before in looked:
        handing_back.hand_back(before)

    assert {path.stat().st_uid for path in paths} == {0}


def test_a_folder_that_is_gone_by_then_is_nobodys(top: Path, environ: dict[str, str]) -> None:
    before = handing_back.look(str(top), environ)
    assert before is not None
    top.rmdir()

    handing_back.hand_back(before)
    assert handing_back.look(str(top), environ) is None
