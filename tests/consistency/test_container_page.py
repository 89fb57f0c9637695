"""The page on the container, `requirements/run.txt` and what the packages say of one another."""

import re
from importlib import metadata

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.pages import DOCS, ROOT

PAGE = (DOCS / "reference/container.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z0-9-]+)` \| (.+?) \| (.+?) \|$", re.MULTILINE)
MANY = "many of these"
ELSEWHERE = {"httpx2-jsfetch"}
"""What is pinned for another kind of machine, and never in the image."""


def pinned() -> set[str]:
    """What is installed in the image: each by its canonical name."""
    text = (ROOT / "requirements/run.txt").read_text(encoding="utf-8")
    found = re.findall(r"^([\w.-]+)==", text, re.MULTILINE)
    return {str(canonicalize_name(name)) for name in found} - ELSEWHERE


def brought_by(package: str) -> set[str]:
    """Who asks for a package, of those that are pinned, and mergebar itself."""
    return {
        parent
        for parent in {*pinned(), "mergebar"}
        for wanted in map(Requirement, metadata.requires(parent) or [])
        if canonicalize_name(wanted.name) == package and _holds(wanted.marker)
    }


def _holds(marker: Marker | None) -> bool:
    return marker is None or marker.evaluate({"extra": ""})


def test_every_package_of_the_image_is_justified_and_no_other() -> None:
    rows = ROW.findall(PAGE)

    assert len(rows) > 30
    assert sorted(name for name, _, _ in rows) == sorted(pinned())
    assert all(reason for _, _, reason in rows)


def test_a_package_is_said_to_be_brought_by_who_asks_for_it() -> None:
    wrong = {}
    for name, parents, _ in ROW.findall(PAGE):
        said = {one.strip("` ") for one in parents.split(",")}
        found = brought_by(name)
        if said != ({MANY} if len(found) > 4 else found):
            wrong[name] = found

    assert wrong == {}


def test_the_image_is_built_from_a_base_that_a_release_can_pin() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")

    assert re.findall(r"^ARG BASE=(.+)$", dockerfile, re.MULTILINE) == ["python:3.13-slim"]
    assert re.findall(r"^FROM (.+)$", dockerfile, re.MULTILINE) == ["${BASE} AS build", "${BASE}"]
    assert "--require-hashes" in dockerfile
    assert "\nUSER " not in dockerfile
