"""A page that tells a story in; its files written and its commands run, in the order of the page.

A block after "`name`:" is that file. A `console` block holds commands after `$ ` and what each
prints; `…` stands for anything, and by itself for any lines.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from support.pages import Block
from support.repositories import ENVIRON


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command, and what the page says that it prints."""

    block: Block
    command: str
    expected: str


def steps(block: Block) -> Iterator[Step]:
    """The commands of a `console` block."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield Step(block=block, command=command.strip(), expected=expected)


def play(blocks: Iterable[Block], folder: Path, *, unplayed: Iterable[str] = ()) -> int:
    """Play a story in a folder; `unplayed` commands are passed over. Returns how many ran."""
    ran, code = 0, 0
    for block in blocks:
        if block.language != "console":
            _write(block, folder)
            continue
        for step in steps(block):
            if step.command in unplayed:
                continue
            code, said = _run(step.command, folder, last=code)
            assert _matches(step.expected, said), _differs(step, said)
            ran += 1
    return ran


def _write(block: Block, folder: Path) -> None:
    if block.name is None:
        return
    file = folder / block.name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(block.text, encoding="utf-8")


def _run(command: str, folder: Path, *, last: int) -> tuple[int, str]:
    """`last` is what `$?` is: the exit code of the command before."""
    search = os.pathsep.join([str(Path(sys.executable).parent), ENVIRON["PATH"]])
    done = subprocess.run(
        ["sh", "-c", f"(exit {last}); {command}"],
        cwd=folder,
        env={**ENVIRON, "PATH": search, "HOME": str(folder.parent), "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _matches(expected: str, said: str) -> bool:
    """Blank lines don't count, and neither do blanks at the end of a line."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*?") + "\n"
        for line in _lines(expected)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(said))) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _differs(step: Step, said: str) -> str:
    return f"{step.block}: `{step.command}` printed\n{said}\nand the page says\n{step.expected}"
