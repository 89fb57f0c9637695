"""A configuration's amounts and rules in, those that say nothing or contradict themselves out."""

from collections.abc import Iterator

from mergebar.config import units
from mergebar.config.findings import Finding, entries, fits, mapping, texts
from mergebar.model.problems import Level
from mergebar.model.text import JsonObject

_AMOUNTS = (
    ("agents", "*", "timeout"),
    ("agents", "*", "output_limit"),
    ("judge", "timeout"),
    ("artifacts", "*", "sessions", "timeout"),
    ("cache", "max_size"),
)
_SAYS = ("severity", "weight", "must_pass")


def find(config: JsonObject) -> Iterator[Finding]:
    """Amounts of nothing, and rules without an effect or with two."""
    value = dict(config)
    for pointer, text in texts(value, ()):
        is_nothing = 0 in (units.seconds(text), units.size(text))
        if is_nothing and any(fits(pointer, amount) for amount in _AMOUNTS):
            message = f"`{pointer[-1]}` must be more than 0"
            yield Finding(pointer=pointer, rule="config/amount", message=message)
    yield from _rules(value)
    yield from _nothing(value)


def _rules(config: JsonObject) -> Iterator[Finding]:
    for pointer, rule in entries(dict(config), "rules"):
        if all(rule.get(key) is None or rule.get(key) is False for key in _SAYS):
            message = (
                "this rule changes nothing: give it a `severity`, a `weight` or "
                "`must_pass: true`, or remove it"
            )
            yield Finding(
                pointer=pointer,
                rule="config/rule-without-effect",
                message=message,
                level=Level.WARNING,
            )
        severity = rule.get("severity")
        if rule.get("must_pass") is True and severity in ("warning", "notice"):
            message = (
                f"`severity: {severity}` has no effect: `must_pass` makes it `error`; remove one "
                "of the two"
            )
            yield Finding(
                pointer=(*pointer, "severity"),
                rule="config/rule-contradicts-itself",
                message=message,
                level=Level.WARNING,
            )


def _nothing(config: JsonObject) -> Iterator[Finding]:
    if config.get("documents") == [] and not mapping(dict(config)).get("artifacts"):
        message = "`documents` is an empty list, so nothing is ever evaluated: add a group"
        yield Finding(
            pointer=("documents",),
            rule="config/nothing-to-evaluate",
            message=message,
            level=Level.WARNING,
        )
