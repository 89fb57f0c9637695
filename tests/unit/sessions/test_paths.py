"""Recorded paths as paths below the session's folder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar import sessions
from mergebar.sessions import paths


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        ("/home/dev/shop/src/a.py", "/home/dev/shop", "src/a.py"),
        ("/home/dev/shop/src/a.py", "/home/dev/shop/", "src/a.py"),
        ("/home/dev/shop/src/../b.py", "/home/dev/shop", "b.py"),
        ("/home/dev/shopping/a.py", "/home/dev/shop", None),
        ("/home/dev/shop/../a.py", "/home/dev/shop", None),
        ("/home/dev/shop", "/home/dev/shop", None),
        ("/etc/passwd", "/home/dev/shop", None),
        ("/etc/passwd", None, None),
        ("src/a.py", "/home/dev/shop", "src/a.py"),
        ("./src/a.py", None, "src/a.py"),
        ("../a.py", "/home/dev/shop", None),
        ("", "/home/dev/shop", None),
        ("C:\\work\\shop\\src\\a.ts", "C:\\work\\shop", "src/a.ts"),
        ("c:\\Work\\shop\\src\\A.ts", "C:\\work\\shop", "src/A.ts"),
        ("C:/work/shop/src/a.ts", "C:\\work\\shop", "src/a.ts"),
        ("C:\\work\\shopping\\a.ts", "C:\\work\\shop", None),
        ("src\\a.ts", "C:\\work\\shop", "src/a.ts"),
        ("/home/dev/shop/odd\\name", "/home/dev/shop", "odd\\name"),
        ("/Home/dev/shop/a", "/home/dev/shop", None),
    ],
)
def test_a_path_stands_below_the_folder_or_nowhere(
    path: str, cwd: str | None, expected: str | None
) -> None:
    assert sessions.relative(path, cwd) == expected


@given(st.text(alphabet="ab/.\\:C", max_size=12), st.text(alphabet="ab/.\\:C", max_size=8))
def test_nothing_below_a_folder_leads_out_of_it(path: str, cwd: str) -> None:
    found = sessions.relative(path, cwd)

    assert found is None or (not found.startswith(("/", "../")) and found not in {"", ".", ".."})


def test_a_path_ends_with_whole_segments_only() -> None:
    assert paths.ends_with("/repo/skills/a/SKILL.md", "skills/a/SKILL.md")
    assert not paths.ends_with("/repo/myskills/a/SKILL.md", "skills/a/SKILL.md")
