"""An open file in, what format it has and how to get at its records out; or what was seen."""

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice

from mergebar.model.problems import Problem
from mergebar.model.text import Json, JsonObject
from mergebar.reading.limits import MAX_BYTES, MIB
from mergebar.reading.sentences import listed
from mergebar.traces import files, formats, records, tolerant, value_marks, whole, yaml_messages
from mergebar.traces.faults import Faults
from mergebar.traces.files import Opened, refusal
from mergebar.traces.value_marks import Layout

_SAMPLE = 200
_SAMPLE_BYTES = 8 * MIB
_BESIDE = ("usage", "model", "models")


class Form(StrEnum):
    """How a file keeps its records."""

    LINES = "lines"
    JSON = "json"
    JOINED = "joined"
    YAML = "yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognised:
    """A format that can be read. `layout` says where in a file of one value the records are.

    `beside` is what such a file says beside its records; `cut` says that its end is missing.
    """

    form: Form
    layout: Layout
    beside: JsonObject = field(default_factory=dict)
    cut: bool = False


def recognise(opened: Opened, name: str) -> Recognised | Problem:
    """Look at the first records, and at all of a file that is one value."""
    faults = Faults()
    sample, first = _sample(opened, faults)
    broken = faults.first_malformed or faults.cut_line or faults.first_long
    if len(sample) > 1 and (not broken or first < broken):
        return _sequence(sample, name)
    if sample and not broken:
        return _value(sample[0], sample, name)
    if opened.size <= MAX_BYTES:
        opened.file.seek(0)
        found = _one_value(opened.file.read(MAX_BYTES), sample, name)
        if found is not None:
            return found
    if sample:
        return _sequence(sample, name)
    return _nothing(opened, faults, name)


def _sample(opened: Opened, faults: Faults) -> tuple[list[dict[str, Json]], int]:
    """The first records, and the line of the first."""
    opened.file.seek(0)
    sample: list[dict[str, Json]] = []
    first = 0
    for offset, _, line, value in islice(records.lines(opened.file, faults), _SAMPLE):
        first = first or line
        sample.append(value)
        if offset > _SAMPLE_BYTES:
            break
    return sample, first


def _sequence(
    sample: list[dict[str, Json]], name: str, *, form: Form = Form.LINES, cut: bool = False
) -> Recognised | Problem:
    """Records that follow one another: the format that most of them speak for."""
    tally = value_marks.tally(sample)
    if len(tally) > 1:
        titles = " and ".join(formats.title(each) for each in tally)
        return refusal("ambiguous-format", f"the records speak as much for {titles}", name)
    if not tally and _are_conversations(sample):
        message = "each line is a conversation of its own, and a trace is one: split the file"
        return refusal("several-sessions", message, name)
    layout = Layout(format=tally[0]) if tally else None
    return _settle(form, layout, sample, name, cut=cut)


def _settle(
    form: Form,
    layout: Layout | None,
    sample: list[dict[str, Json]],
    name: str,
    *,
    value: Json = None,
    cut: bool = False,
) -> Recognised | Problem:
    if layout is None:
        return _unknown(sample, name)
    if layout.format not in formats.READ:
        return files.unavailable(layout.format, name)
    return Recognised(form=form, layout=layout, beside=_beside(value), cut=cut)


def _beside(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        return {}
    return {key: value[key] for key in _BESIDE if key in value}


def _one_value(
    data: bytes, sample: list[dict[str, Json]], name: str
) -> Recognised | Problem | None:
    """A file that isn't one object per line: one value, several, or YAML. `None`: none of these."""
    text = tolerant.decode(data)
    found, end = tolerant.consecutive(text)
    values = [value for _, _, value in found]
    if len(values) == 1 and end >= len(text):
        return _value(values[0], sample, name)
    if len(values) > len(sample):
        objects = [value for value in values if isinstance(value, dict)]
        return _sequence(objects, name, form=Form.JOINED, cut=end < len(text))
    if sample:
        return None
    return _cut(text, name) or _yaml(data, name)


def _value(value: Json, sample: list[dict[str, Json]], name: str) -> Recognised | Problem:
    """All of a file: a value that holds records, or a single record."""
    layout = value_marks.layout(value)
    if layout is not None:
        return _settle(Form.JSON, layout, [], name, value=value)
    if isinstance(value, dict):
        return _sequence([value], name, form=Form.JOINED)
    if isinstance(value, list) and not value:
        return refusal("empty", "the file holds an empty list: nothing was recorded", name)
    return _unknown(sample, name)


def _cut(text: str, name: str) -> Recognised | Problem | None:
    """One value whose end is missing."""
    if text[:1].isspace() or text[:1] in "[{":
        value = whole.partial(text)
        layout = value_marks.layout(value)
        if layout is not None:
            return _settle(Form.JSON, layout, [], name, value=value, cut=True)
    return None


def _yaml(data: bytes, name: str) -> Recognised | Problem | None:
    read = yaml_messages.read(data)
    return _settle(Form.YAML, read[0], [], name) if read else None


def _are_conversations(sample: list[dict[str, Json]]) -> bool:
    layouts = [value_marks.layout(record) for record in sample]
    return all(layout is not None and layout.format == formats.CHAT for layout in layouts)


def _unknown(sample: list[dict[str, Json]], name: str) -> Problem:
    keys = sorted({key for record in sample[:20] for key in record})
    types = sorted({str(record["type"]) for record in sample if record.get("type")})
    seen = f"JSON with the keys {listed(keys, most=8)}" if keys else "JSON"
    kinds = f" and records of the types {listed(types, most=6)}" if types else ""
    message = f"this is {seen}{kinds}, which is no format that mergebar knows; {_reads()}"
    return refusal("unknown-format", message, name)


def _nothing(opened: Opened, faults: Faults, name: str) -> Problem:
    if faults.long and not faults.malformed:
        message = faults.problems(name)[0].message + "; nothing else is in the file"
        return refusal("long-line", message, name, line=faults.first_long)
    begins = opened.head.lstrip()[:1]
    if begins in (b"{", b"[") and opened.size > MAX_BYTES:
        message = (
            f"this is one JSON value of {opened.size:,} bytes, and at most {MAX_BYTES // MIB} MiB "
            f"of one are read"
        )
        return refusal("too-large", message, name)
    line = faults.first_malformed or faults.cut_line or 1
    return refusal("not-json", f"no line of this is a JSON object; {_reads()}", name, line=line)


def _reads() -> str:
    return f"it reads {formats.known()}"
