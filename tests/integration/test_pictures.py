"""The pictures of the documentation are of comments that mergebar posts, as a browser shows them."""

import re
from pathlib import Path

import pytest

from support import pictures

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", ROOT / "docs/guides/github-action.md")


@pytest.fixture
def chromium() -> Path:
    found = pictures.browser()
    if found is None:
        pytest.skip("Chromium is not installed")
    return found


@pytest.mark.parametrize(
    ("name", "headline"),
    [
        ("comment-failed", "Failed: 2 checks block (1 regressed, 1 new)"),
        ("comment-passed", "Passed: 18 checks measured, 40 carried from 9c41f0e (2 days)"),
    ],
)
def test_a_browser_shows_the_comment_as_in_its_picture(
    tmp_path: Path, chromium: Path, name: str, headline: str
) -> None:
    drawn = tmp_path / "drawn.png"

    shown = pictures.draw(pictures.PICTURES[name](), drawn, chromium=chromium)

    text = " ".join(re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", shown, flags=re.DOTALL).split())
    assert headline in text
    assert "|--" not in text
    assert "pass rate" in text
    assert "base this change Δ points" in text
    width, height = pictures.size(drawn.read_bytes())
    kept_width, kept_height = pictures.size((pictures.FOLDER / f"{name}.png").read_bytes())
    assert width == kept_width == pictures.WIDTH * pictures.SCALE
    # Fonts differ between systems, and with them where lines break.
    assert 0.8 < height / kept_height < 1.25


def test_every_picture_is_shown_and_every_picture_that_is_shown_is_there() -> None:
    shown = set()
    for page in PAGES:
        for target in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text()):
            path = (page.parent / target).resolve()
            assert path.is_file(), target
            shown.add(path.stem)

    assert shown == set(pictures.PICTURES)
