#!/usr/bin/env python3
"""The tag, version, changelog and action.yml of a release in, what its workflow needs of them out.

`version TAG` prints `version=1.2.3` if all of them agree, `notes VERSION` what the changelog says
of it, and `pin IMAGE@sha256:…` makes action.yml name this image. `valid VERSION IMAGE` says whether
both are such as the scripts take, and `pinned IMAGE` whether the action.yml on stdin names this
image.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

PREFIX = "release-"
BUILT = "  image: Dockerfile\n"

_NUMBER = r"(?:0|[1-9][0-9]*)"
_VERSION = re.compile(rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:(?:a|b|rc){_NUMBER})?")
_DECLARED = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_WORD = r"[a-z0-9]+"
_LABEL = rf"{_WORD}(?:-+{_WORD})*"
_PART = rf"{_WORD}(?:(?:\.|_|__|-+){_WORD})*"
_IMAGE = re.compile(
    rf"(?:localhost|{_LABEL}(?:\.{_LABEL})+|{_LABEL}(?=:))(?::[0-9]{{1,5}})?"
    rf"(?:/{_PART})+@sha256:[0-9a-f]{{64}}"
)


class WrongError(Exception):
    """What is to be mended before a release can be made."""


def version(tag: str, root: Path) -> str:
    """The version that a tag asks for, where the package declares it and the changelog knows it."""
    asked = tag.removeprefix(PREFIX)
    if not tag.startswith(PREFIX) or not _VERSION.fullmatch(asked):
        raise WrongError(f"`{tag}` is no tag of a release: push one like `{PREFIX}1.2.3`")
    source = root / "src/mergebar/__init__.py"
    declared = _DECLARED.search(source.read_text(encoding="utf-8"))
    if declared is None or declared[1] != asked:
        found = declared[1] if declared else "nothing"
        raise WrongError(f"`{tag}` is pushed, and `__version__` is `{found}`: make them one")
    notes(asked, root)
    return asked


def notes(asked: str, root: Path) -> str:
    """What stands under the heading of a version in the changelog."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        if heading.split()[:1] == [asked] and body.strip():
            return body.strip() + "\n"
    raise WrongError(f"CHANGELOG.md says nothing under `## {asked}`: give `Unreleased` that name")


def valid(asked: str, image: str) -> None:
    """Whether a version and an image are such as a release is made of."""
    if not _VERSION.fullmatch(asked):
        raise WrongError(f"`{asked}` is no version: it has to be like `1.2.3` or `1.2.3rc1`")
    _check(image)


def pinned(image: str, text: str) -> None:
    """Whether an action names the image: it isn't made to name another one."""
    _check(image)
    if f"  image: docker://{image}\n" not in text:
        named = re.search(r"^  image: (.*)$", text, re.MULTILINE)
        raise WrongError(
            f"the tag is there already, and its action.yml names `{named[1] if named else ''}`, "
            f"not `docker://{image}`: a tag never moves, so release another version"
        )


def pin(image: str, root: Path) -> None:
    """Name the image in action.yml, instead of having it built."""
    _check(image)
    file = root / "action.yml"
    text = file.read_text(encoding="utf-8")
    if text.count(BUILT) != 1:
        raise WrongError(f"action.yml has to have the line `{BUILT.strip()}` once")
    named = text.replace(BUILT, f"  image: docker://{image}\n")
    file.write_text(named, encoding="utf-8")


def _check(image: str) -> None:
    """A registry with a path of plain names below it, and a digest: nothing else can change."""
    if not _IMAGE.fullmatch(image):
        raise WrongError(
            f"`{image}` is no image with a digest: it has to be like `registry/name@sha256:…`, and "
            "the variable IMAGE_REGISTRY of the repository has to be set"
        )


def main(argv: Sequence[str], root: Path) -> int:
    """Return 0, or 2 when something has to be mended."""
    try:
        match argv:
            case ["version", tag]:
                print(f"version={version(tag, root)}")
            case ["notes", asked]:
                print(notes(asked, root), end="")
            case ["pin", image]:
                pin(image, root)
            case ["valid", asked, image]:
                valid(asked, image)
            case ["pinned", image]:
                pinned(image, sys.stdin.read())
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except WrongError as wrong:
        print(f"::error::{wrong}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path.cwd()))
