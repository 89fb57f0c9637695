"""What the runner should know in; the step's summary and outputs in the files that it reads out.

Only files carry data to the runner, never what is printed: text of a model could forge that.
A file that can't be written is a warning, never the end of a run.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from mergebar.model.reports import ReportWarning

SUMMARY_LIMIT = 1024 * 1024
OUTPUT_LIMIT = 256 * 1024

_CUT = "\n\n*The rest did not fit into a job summary; the report has all of it.*\n"
_NAME = re.compile("[a-z][a-z0-9-]*")
_ATTEMPTS = 8


def delimiter() -> str:
    """A line that no value has, other than by being told."""
    return f"mergebar-{uuid4().hex}"


def append_summary(environ: Mapping[str, str], markdown: str) -> ReportWarning | None:
    """Append to the step's summary, and cut what would make the runner drop all of it."""
    path = environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return _missing("the job summary", "GITHUB_STEP_SUMMARY")
    text = _encoded(markdown.replace("\0", "\N{REPLACEMENT CHARACTER}"))
    try:
        return _append_within(Path(path), text if text.endswith(b"\n") else text + b"\n")
    except (OSError, ValueError) as error:
        return _unwritable("the job summary", error)


def write_outputs(
    environ: Mapping[str, str],
    values: Mapping[str, str],
    *,
    declared: Sequence[str],
    choose_delimiter: Callable[[], str] = delimiter,
) -> ReportWarning | None:
    """Write every declared output, empty where it has no value; a later call wins.

    An output left out could be set by a line that the step prints.
    """
    unknown = sorted({*values} - {*declared})
    if unknown or not all(_NAME.fullmatch(name) for name in declared):
        message = f"not declared as outputs, or not names: {unknown or declared}"
        raise ValueError(message)
    path = environ.get("GITHUB_OUTPUT")
    if not path:
        return _missing("the outputs", "GITHUB_OUTPUT")
    blocks = (_block(name, values.get(name, ""), choose_delimiter) for name in declared)
    try:
        _append(Path(path), b"".join(blocks))
    except (OSError, ValueError) as error:
        return _unwritable("the outputs", error)
    return None


def _block(name: str, value: str, choose_delimiter: Callable[[], str]) -> bytes:
    text = _encoded(value.replace("\0", "\N{REPLACEMENT CHARACTER}"))[:OUTPUT_LIMIT]
    text = text.decode("utf-8", "ignore").encode()
    for _ in range(_ATTEMPTS):
        mark = choose_delimiter().encode("ascii")
        if mark not in text:
            return b"%s<<%s\n%s\n%s\n" % (name.encode("ascii"), mark, text, mark)
    message = "no delimiter was found that the value doesn't contain"
    raise ValueError(message)


def _append_within(path: Path, text: bytes) -> ReportWarning | None:
    room = SUMMARY_LIMIT - _size(path)
    if len(text) <= room:
        _append(path, text)
        return None
    cut = _encoded(_CUT)
    if room > len(cut):
        kept = text[: room - len(cut) - 1]
        _append(path, kept[: kept.rfind(b"\n") + 1] + cut)
    return ReportWarning(message="the job summary is cut: a step may write 1 MiB at most")


def _append(path: Path, data: bytes) -> None:
    """Append on a line of its own, whatever wrote to the file before."""
    with path.open("a+b") as stream:
        if stream.seek(0, os.SEEK_END):
            stream.seek(-1, os.SEEK_END)
            if stream.read(1) != b"\n":
                data = b"\n" + data
        stream.write(data)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _missing(what: str, variable: str) -> ReportWarning:
    return ReportWarning(message=f"{what} can't be written: `{variable}` is not set")


def _unwritable(what: str, error: Exception) -> ReportWarning:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ReportWarning(message=f"{what} can't be written: {reason}")
