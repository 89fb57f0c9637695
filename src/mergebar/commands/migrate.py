"""`mergebar migrate`: paths in, their documents in the current schema out, written if asked."""

import argparse
import difflib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mergebar import loading
from mergebar.commands import arguments, streams, workspace
from mergebar.commands.workspace import Found, Place
from mergebar.errors import ExitCode
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.reading.sentences import counted
from mergebar.report import problems as drawing
from mergebar.suites import migrating
from mergebar.suites.migrating import Migration
from mergebar.untrusted import terminal

EXAMPLE = """\
examples:
  mergebar migrate                       # the documents of mergebar.yml: shows what would change
  mergebar migrate evals/hr.json --write

exit codes: 0 done, or nothing to do; 2 a document can't be brought to the current schema
"""

_UNWRITABLE = "document/unwritable"
_UNENDED = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Migrated:
    """A document by its reported path; `migration` is `None` where `problems` are in the way."""

    path: str
    migration: Migration | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def changes(self) -> tuple[str, ...]:
        """What became of it, or would."""
        return () if self.migration is None else self.migration.changes


def main(argv: list[str]) -> int:
    """Show what would change, or with `--write` change it; 2 where a document resists."""
    parsed = arguments.parse(_parser(), argv)
    if isinstance(parsed, int):
        return parsed
    place = workspace.here()
    found = _found(parsed.paths, parsed.config, place)
    migrated = [_migrate(path, place) for path in found.paths]
    if parsed.write:
        migrated = [_write(one, place) if one.changes else one for one in migrated]
    failed = [one for one in migrated if one.migration is None]
    problems = (*found.problems, *(problem for one in failed for problem in one.problems))
    for problem in problems:
        streams.tell(drawing.line(problem) + "\n")
    done = [one for one in migrated if one.changes]
    streams.write(terminal.guard("".join(_drawn(done, written=parsed.write))))
    streams.tell(_summary(len(done), len(migrated), failed=len(failed), written=parsed.write))
    return ExitCode.INVALID if is_invalid(problems) else ExitCode.PASSED


def _parser() -> argparse.ArgumentParser:
    made = arguments.parser(
        "migrate", "Bring legacy eval documents to the current schema.", EXAMPLE
    )
    made.add_argument("paths", nargs="*", metavar="PATH", help="only these documents, or folders")
    made.add_argument("--config", metavar="FILE", help="instead of the mergebar.yml found here")
    made.add_argument("--write", action="store_true", help="change the files; else only show how")
    return made


def _found(paths: Sequence[str], config: str | None, place: Place) -> Found:
    """The documents that are named, else those of the configuration."""
    settled = workspace.settle(place, config, loading.explain)
    if paths:
        return workspace.asked(place, paths, settled.config)
    if settled.config is None:
        return Found(problems=settled.problems)
    return workspace.every_suite(place, settled.config)


def _migrate(path: str, place: Place) -> _Migrated:
    data = place.read(path)
    if isinstance(data, Problem):
        return _Migrated(path=path, problems=(data,))
    made = migrating.migrate(data, path=path, explain=loading.explain)
    if isinstance(made, Migration):
        return _Migrated(path=path, migration=made)
    return _Migrated(path=path, problems=made)


def _write(one: _Migrated, place: Place) -> _Migrated:
    """Beside the file, then in its place: nobody ever reads half of it."""
    real = Path(os.path.realpath(place.top / one.path))
    try:
        if not real.is_relative_to(place.top):
            return _unwritten(one, "it lies outside of the repository")
        if one.migration is not None and not _replace(real, one.migration):
            return _unwritten(one, "it was changed meanwhile; run this again")
    except OSError as error:
        return _unwritten(one, (error.strerror or str(error)).lower())
    return one


def _replace(path: Path, migration: Migration) -> bool:
    """`False`, and nothing is done, where somebody changed the file since it was read."""
    handle, beside = tempfile.mkstemp(prefix=f".{path.name[:100]}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(migration.after.encode())
            os.fchmod(handle, path.stat().st_mode & 0o7777)
        if path.read_bytes() != migration.before.encode():
            return False
        Path(beside).replace(path)
    finally:
        with suppress(FileNotFoundError):  # it is in its place
            Path(beside).unlink()
    return True


def _unwritten(one: _Migrated, why: str) -> _Migrated:
    message = f"the document can't be written: {why}"
    problem = Problem(level=Level.ERROR, rule=_UNWRITABLE, message=message, path=one.path)
    return _Migrated(path=one.path, problems=(problem,))


def _drawn(done: Sequence[_Migrated], *, written: bool) -> Iterator[str]:
    for one in done:
        if one.migration is None:
            continue
        if not written:
            yield from _difference(one.path, one.migration)
            continue
        yield f"{one.path}: {'; '.join(one.migration.changes)}\n"


def _difference(path: str, migration: Migration) -> Iterator[str]:
    """A unified diff. Line ends are drawn alike: they stay as they are in the file."""
    before, after = _lines(migration.before), _lines(migration.after)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="")
    return (f"{line}\n" for line in lines)


def _lines(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[-1]:
        lines[-1] += f"\n{_UNENDED}"
    else:
        lines.pop()
    return lines


def _summary(changed: int, total: int, *, failed: int, written: bool) -> str:
    current = total - changed - failed
    parts = []
    if changed:
        verb = "brought" if written else "would be brought"
        parts.append(f"{counted(changed, 'document')} {verb} to the current schema")
    if failed:
        parts.append(f"{failed} can't be")
    if current:
        parts.append(f"{current} {'is' if current == 1 else 'are'} in it already")
    hint = "" if written or not changed else "; change the files with `mergebar migrate --write`"
    return f"mergebar: {', '.join(parts) or 'no eval documents found'}{hint}\n"
