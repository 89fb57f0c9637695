"""The built-in graders as a table: names, options, and what they can be put to."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

CHECKER_PREFIX = "tool:"
"""What the names of graders begin with that run a checker of somebody else."""

NEWEST_VOCABULARY = "1.1.0"


class OptionKind(StrEnum):
    """What an option's value has to be."""

    NAME = "name"
    CHOICE = "choice"
    COUNT = "count"
    AMOUNT = "amount"
    FLAG = "flag"
    PATTERN = "pattern"
    PATTERN_FLAGS = "pattern flags"
    GLOB = "glob"
    SCHEMA = "schema"


class Bound(StrEnum):
    """Which numbers a bound lets through."""

    FLOOR = "floor"
    CEILING = "ceiling"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionSpec:
    """One option. `choices` are the values of a `CHOICE`; `bound` is set for a number that is one.

    Graders agree on what a name bounds: in a report, an option has no grader.
    """

    name: str
    kind: OptionKind
    required: bool = False
    choices: tuple[str, ...] = ()
    bound: Bound | None = None


class Targets(StrEnum):
    """Which values of `target` a grader reads."""

    NONE = "none"
    ALL = "all"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderSpec:
    """What is known of a grader before it runs.

    `since` is the version of the vocabulary that names it. `any_of` are options of which one has
    to be there. `guided`: it reads `evidence` and `examples`. `whole`: it looks at the whole
    session, so a `when` is refused. A grader that isn't `strict` ignores options that it doesn't
    know.
    """

    name: str
    options: tuple[OptionSpec, ...] = ()
    since: str = "1.0.0"
    any_of: tuple[str, ...] = ()
    guided: bool = False
    whole: bool = False
    strict: bool = True
    targets: Targets = Targets.NONE

    @property
    def required(self) -> tuple[str, ...]:
        """The options that have to be there."""
        return tuple(option.name for option in self.options if option.required)

    def option(self, name: str) -> OptionSpec | None:
        """The option of this name."""
        return next((option for option in self.options if option.name == name), None)


def _name(name: str) -> OptionSpec:
    return OptionSpec(name=name, kind=OptionKind.NAME, required=True)


def _choice(name: str, *choices: str) -> OptionSpec:
    return OptionSpec(name=name, kind=OptionKind.CHOICE, choices=choices)


def _optional(kind: OptionKind, *names: str) -> tuple[OptionSpec, ...]:
    return tuple(OptionSpec(name=name, kind=kind) for name in names)


_SIDECHAINS = _optional(OptionKind.FLAG, "includeSidechains")
_BOUNDS = (
    OptionSpec(name="min", kind=OptionKind.COUNT, bound=Bound.FLOOR),
    OptionSpec(name="max", kind=OptionKind.COUNT, bound=Bound.CEILING),
)
_COSTS = tuple(
    OptionSpec(name=name, kind=OptionKind.AMOUNT, bound=Bound.CEILING)
    for name in ("maxUsd", "maxTokens")
)

_ALL = (
    GraderSpec(name="ai", guided=True, strict=False, targets=Targets.ALL),
    GraderSpec(name="human", guided=True, strict=False),
    GraderSpec(name="command", strict=False),
    GraderSpec(
        name="tool-usage",
        options=(_name("tool"), _choice("expect", "used", "not-used"), *_BOUNDS, *_SIDECHAINS),
    ),
    GraderSpec(
        name="tool-order",
        since="1.1.0",
        options=(
            _name("before"),
            _name("after"),
            *_optional(OptionKind.PATTERN, "beforeInputMatch", "afterInputMatch"),
            *_SIDECHAINS,
        ),
    ),
    GraderSpec(
        name="skill-invoked",
        options=(_name("skill"), _choice("expect", "used", "not-used")),
    ),
    GraderSpec(
        name="file-access",
        options=(
            OptionSpec(name="path", kind=OptionKind.GLOB, required=True),
            _choice("op", "read", "write", "edit"),
            _choice("expect", "accessed", "not-accessed"),
        ),
    ),
    GraderSpec(name="turn-count", options=_BOUNDS, any_of=("min", "max")),
    GraderSpec(
        name="cost",
        options=_COSTS,
        any_of=("maxUsd", "maxTokens"),
        whole=True,
    ),
    GraderSpec(
        name="regex",
        options=(
            OptionSpec(name="pattern", kind=OptionKind.PATTERN, required=True),
            OptionSpec(name="flags", kind=OptionKind.PATTERN_FLAGS),
            _choice("on", "assistant", "user", "all"),
            _choice("expect", "match", "no-match"),
        ),
        targets=Targets.ALL,
    ),
    GraderSpec(
        name="json-output",
        options=(OptionSpec(name="schema", kind=OptionKind.SCHEMA, required=True),),
        whole=True,
        targets=Targets.OUTPUT,
    ),
)

GRADERS: Mapping[str, GraderSpec] = {spec.name: spec for spec in _ALL}

BOUNDS: Mapping[str, Bound] = {
    option.name: option.bound for spec in _ALL for option in spec.options if option.bound
}
"""The options that bound a number, by name."""

CHECKER = GraderSpec(name=CHECKER_PREFIX, strict=False, targets=Targets.ALL)
"""What holds for every `tool:` grader; whose checker it is, is known when it is run."""

CONDITIONS: Mapping[str, OptionSpec] = {
    spec.name: spec
    for spec in (
        OptionSpec(name="file-access", kind=OptionKind.GLOB),
        OptionSpec(name="tool-used", kind=OptionKind.NAME),
        OptionSpec(name="prompt-matches", kind=OptionKind.PATTERN),
        OptionSpec(name="command-matches", kind=OptionKind.PATTERN),
        OptionSpec(name="turn-count-above", kind=OptionKind.COUNT),
    )
}
"""What `when` may hold."""


def find(name: str) -> GraderSpec | None:
    """The grader of this name; every `tool:<name>` is one."""
    if name.startswith(CHECKER_PREFIX) and len(name) > len(CHECKER_PREFIX):
        return CHECKER
    return GRADERS.get(name)
