"""Annotations in, what the checks API takes out: within its limits, and in batches."""

from collections.abc import Iterator, Sequence

from mergebar.model.publishing import Annotation, CheckRunOutput
from mergebar.model.text import Json
from mergebar.untrusted import truncation

BATCH = 50
SUMMARY_BYTES = 65_535
_TITLE = 255
_TEXT_BYTES = 64_000


def batches(annotations: Sequence[Annotation]) -> Iterator[Sequence[Annotation]]:
    """Fifty at a time; one empty batch for none, since the check run is completed all the same."""
    for start in range(0, max(1, len(annotations)), BATCH):
        yield annotations[start : start + BATCH]


def output(drawn: CheckRunOutput, batch: Sequence[Annotation]) -> dict[str, Json]:
    """The output with these annotations: GitHub adds them to those that it has."""
    title = truncation.characters(drawn.title, _TITLE)
    summary = truncation.utf8(drawn.summary or title, SUMMARY_BYTES)
    shown: dict[str, Json] = {"title": title, "summary": summary}
    if batch:
        shown["annotations"] = [_shape(one) for one in batch]
    return shown


def _shape(annotation: Annotation) -> Json:
    start = max(1, annotation.start_line)
    end = max(start, annotation.end_line)
    shape: dict[str, Json] = {
        "path": annotation.path,
        "start_line": start,
        "end_line": end,
        "annotation_level": annotation.level.value,
        "message": truncation.utf8(annotation.message or annotation.title, _TEXT_BYTES),
    }
    if annotation.title:
        shape["title"] = truncation.characters(annotation.title, _TITLE)
    if annotation.raw_details:
        shape["raw_details"] = truncation.utf8(annotation.raw_details, _TEXT_BYTES)
    if annotation.start_column is not None and start == end:
        first = max(1, annotation.start_column)
        shape["start_column"] = first
        shape["end_column"] = max(first, annotation.end_column or first)
    return shape
