"""An eval's grader and options in, what the grader could not work with out."""

from collections.abc import Callable, Collection, Iterator

from mergebar.catalogue import graders
from mergebar.catalogue.graders import GraderSpec
from mergebar.model.problems import Level
from mergebar.model.text import Json, JsonObject
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import either, listed, quoted
from mergebar.suites.artifacts import values
from mergebar.suites.artifacts.declarations import Entry
from mergebar.suites.findings import Finding, Pointer, error, warning

OPTION = "artifact/option"
_BESIDE = frozenset(
    {
        "id",
        "assertion",
        "grader",
        "severity",
        "weight",
        "type",
        "skip",
        "target",
        "evidence",
        "examples",
        "provider",
        "model",
        "runs",
        "command",
        "timeout-ms",
        "success-exit-codes",
        "severity-map",
    }
)
"""Keys of an eval, which are no options of its grader."""

EXTENSION = "x-"
"""What begins the names of options that are for others."""


Installed = Callable[[], Collection[str]]
"""The names of the graders that packages bring; asked only about a name that isn't built in."""


def none_installed() -> Collection[str]:
    """What somebody knows who knows the built-in graders alone."""
    return ()


def check(entry: Entry, *, installed: Installed = none_installed) -> Iterator[Finding]:
    """Look at the grader's name and at all its options; those of an installed one are its own."""
    spec = graders.find(entry.grader)
    if spec is None:
        others = installed()
        if entry.grader not in others:
            yield _unknown_grader(entry, others)
        return
    value = entry.value.get("options") if isinstance(entry.value, dict) else None
    if value is None:
        if isinstance(entry.value, dict) and entry.value.get("skip") is not True:
            yield from _without_options(entry)
        return
    if isinstance(value, dict):
        yield from _known(spec, entry, value)
        yield from _needed(spec, entry, value)
        yield from _contradictions(spec, entry, value)
        if "when" in value:
            yield from _when(spec, entry, value["when"])


def lack(entry: Entry) -> str | None:
    """What a grader can't do without, where no options are given at all."""
    spec = graders.find(entry.grader)
    if spec is None or (isinstance(entry.value, dict) and "options" in entry.value):
        return None
    if spec.required:
        return f"`{spec.name}` needs {listed(spec.required)} in its `options`"
    if spec.any_of:
        choice = either([quoted(name) for name in spec.any_of])
        return f"`{spec.name}` needs {choice} in its `options`"
    return None


def _unknown_grader(entry: Entry, others: Collection[str]) -> Finding:
    names = [*graders.GRADERS, *others]
    near = nearest(entry.grader, names)
    hint = f"did you mean {quoted(near)}?" if near else f"known are {listed(names, most=12)}"
    message = f"{quoted(entry.grader)} is no grader: {hint}"
    return error("artifact/unknown-grader", message, entry.place("grader"))


def _without_options(entry: Entry) -> Iterator[Finding]:
    """No error of the artifact: authors write an eval down first. Alone it can't be measured."""
    message = lack(entry)
    if message is not None:
        at = entry.place("grader")
        level = Level.NOTICE
        full = f"{message}: until they are there, this eval can't be measured"
        yield Finding(level=level, rule="artifact/no-options", message=full, pointer=at)


def _known(spec: GraderSpec, entry: Entry, options: JsonObject) -> Iterator[Finding]:
    names = [*(option.name for option in spec.options), "when"]
    for name, value in options.items():
        if name == "when" or name.startswith(EXTENSION):
            continue
        place = entry.place("options", name)
        known = spec.option(name)
        if known is not None:
            reason = values.fault(known, value, flags=options.get("flags"))
            if reason is not None:
                yield error(OPTION, reason, place)
        elif not spec.strict:
            message = (
                f"{quoted(name)} is ignored: a grader {quoted(entry.grader)} has no such option"
            )
            yield warning("artifact/ignored", message, place, on_key=True)
        else:
            near = nearest(name, names)
            hint = f"did you mean {quoted(near)}?" if near else f"known are {listed(names)}"
            if name in _BESIDE:
                hint = "it belongs beside `options`, one level up"
            message = f"{quoted(name)} is no option of `{spec.name}`: {hint}"
            yield error("artifact/unknown-option", message, place, on_key=True)


def _needed(spec: GraderSpec, entry: Entry, options: JsonObject) -> Iterator[Finding]:
    place = entry.place("options")
    for name in spec.required:
        if name not in options:
            message = f"`{spec.name}` needs the option `{name}`: add it"
            yield error("artifact/missing-option", message, place)
    if spec.any_of and not any(name in options for name in spec.any_of):
        choice = either([f"`{name}`" for name in spec.any_of])
        message = f"`{spec.name}` needs {choice}: without one it could never fail"
        yield error("artifact/missing-option", message, place)


def _contradictions(spec: GraderSpec, entry: Entry, options: JsonObject) -> Iterator[Finding]:
    least, most = _number(options.get("min")), _number(options.get("max"))
    if least is not None and most is not None and least > most:
        message = f"`min` ({least}) is more than `max` ({most}): no session can satisfy that"
        yield error(OPTION, message, entry.place("options", "min"))
    if spec.name != "tool-usage":
        return
    unused = options.get("expect") == "not-used"
    if unused and least is not None and least >= 1:
        message = "`expect: not-used` and a `min` contradict each other: remove one"
        yield error(OPTION, message, entry.place("options", "min"))
    if not unused and most == 0:
        message = "`max: 0` says that the tool isn't used: write `expect: not-used`"
        yield error(OPTION, message, entry.place("options", "max"))


def _number(value: Json) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _when(spec: GraderSpec, entry: Entry, value: Json) -> Iterator[Finding]:
    place = entry.place("options", "when")
    if spec.whole:
        message = f"`{spec.name}` looks at the whole session and knows no `when`: remove it"
        yield error(OPTION, message, place, on_key=True)
    elif not isinstance(value, dict) or not value:
        names = listed(graders.CONDITIONS)
        yield error(OPTION, f"`when` must be an object with one or more of {names}", place)
    else:
        for name, wanted in value.items():
            yield from _condition(name, wanted, (*place, name))


def _condition(name: str, value: Json, place: Pointer) -> Iterator[Finding]:
    spec = graders.CONDITIONS.get(name)
    if spec is None:
        near = nearest(name, graders.CONDITIONS)
        known = listed(graders.CONDITIONS)
        hint = f"did you mean {quoted(near)}?" if near else f"known are {known}"
        message = f"{quoted(name)} is no condition of `when`: {hint}"
        yield error("artifact/unknown-option", message, place, on_key=True)
        return
    reason = values.fault(spec, value, rooted=True)
    if reason is not None:
        yield error(OPTION, reason, place)
