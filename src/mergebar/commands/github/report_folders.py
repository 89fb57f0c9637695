"""The action's workspace and the runner's own folder in; the report in both, out.

They are made before anything of the repository runs, so that nothing can be put in their way
without being noticed.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mergebar import settings
from mergebar.commands.runs import placeholders
from mergebar.commands.runs.placeholders import Placeholder
from mergebar.edge import artifacts, output_files
from mergebar.edge.git import Git
from mergebar.edge.output_files import Refusal
from mergebar.errors import StopError
from mergebar.settings.table import Mode

FOLDER = "mergebar-report"


def made(root: Path, environ: Mapping[str, str], *, check_name: str) -> tuple[Path, ...]:
    """Where the report goes: first to the runner's own folder, then to the workspace at `root`."""
    _refuse_tracked(root, environ)
    own = environ.get("RUNNER_TEMP", "")
    wanted = [root / FOLDER]
    if own and Path(own).is_dir():
        wanted.insert(0, Path(own) / artifacts.report_name(check_name))
    found = []
    for folder in wanted:
        real = output_files.prepare(folder, owner=output_files.owner_of(folder.parent))
        if isinstance(real, Refusal):
            raise StopError(real.message)
        found.append(real)
    return tuple(found)


def write(folders: tuple[Path, ...], files: Mapping[str, bytes]) -> None:
    """Write all that can be written, and stop where it can't: nobody has a report that isn't."""
    refused = []
    for folder in folders:
        unwritten = put(folder, files)
        if unwritten is not None:
            refused.append(unwritten.message)
    if refused:
        raise StopError("; ".join(refused))


def placeholder_at(root: Path, environ: Mapping[str, str], *, trusted: bool) -> Placeholder:
    """The folder in the workspace, where a runner of one's own may have kept an earlier report."""
    folders = placeholders.within(root / FOLDER, root)
    return Placeholder(folders=folders, environ=environ, trusted=trusted, write=put)


@contextmanager
def refusing(root: Path, environ: Mapping[str, str]) -> Iterator[None]:
    """Whatever is refused before a run begins is what an earlier run's report in `root` says.

    A step that only checks or publishes leaves the report of the step before it alone.
    """
    mode = environ.get(settings.variable("mode"), "")
    publishes = environ.get("GITHUB_EVENT_NAME") == "workflow_run"
    if mode in {Mode.CHECK, Mode.PUBLISH} or (mode in {"", Mode.AUTO} and publishes):
        yield
        return
    with placeholder_at(root, environ, trusted=False).refusing(anew=False):
        yield


def put(folder: Path, files: Mapping[str, bytes]) -> Refusal | None:
    """Write to one of them, as whoever owns what it is in."""
    return output_files.write(folder, files, owner=output_files.owner_of(folder.parent))


def _refuse_tracked(root: Path, environ: Mapping[str, str]) -> None:
    remedy = f"remove it from the repository: the action writes its report to `{FOLDER}`"
    refused = output_files.refuse(
        root / FOLDER, Git(root, environ), what="report folder", remedy=remedy
    )
    if refused is not None:
        raise StopError(refused.message)
