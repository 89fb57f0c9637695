"""`regex`: whether a pattern matches what was said, or another text."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mergebar.graders import grades, options, searching, targets, views
from mergebar.graders.searching import Sought
from mergebar.model.artifacts import DeclaredEval, TargetSource
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Basis, Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability, EventKind

LONGEST = 1_048_576
"""Characters of one text; the rest isn't searched."""

_SPEAKERS: Mapping[str, frozenset[EventKind]] = {
    "assistant": frozenset({EventKind.ASSISTANT}),
    "user": frozenset({EventKind.USER}),
    "all": frozenset({EventKind.ASSISTANT, EventKind.USER}),
}
_NEEDS: Mapping[EventKind, Capability] = {
    EventKind.ASSISTANT: Capability.MESSAGES,
    EventKind.USER: Capability.PROMPTS,
}


def create() -> Grader:
    """The grader."""
    return Regex()


class Regex:
    """Searches each message by itself; calls of tools and their results are never searched."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """What the target needs."""
        if declared.target.source is TargetSource.TRANSCRIPT:
            needs = frozenset(_NEEDS[kind] for kind in _kinds(declared))
        else:
            needs = targets.NEEDS[declared.target.source]
        return Demands(capabilities=needs)

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Search in a process that can be ended."""
        pattern = options.text(declared.options, "pattern")
        if pattern is None:
            return grades.misdeclared("`regex` needs the option `pattern`: add it")
        given = _subject(declared, seen, means)
        if isinstance(given, Failure):
            return given
        sought = Sought(pattern=pattern, flags=options.text(declared.options, "flags") or "")
        found = await searching.first(means.matcher, sought, given.texts(), str)
        if isinstance(found, Failure):
            return Failure(error_class=found.error_class, message=f"`pattern` {found.message}")
        return _grade(declared, given, matched=found.item is not None)


@dataclass(slots=True, kw_only=True)
class _Subject:
    """The texts to search, each as far as it is searched, and what has to be known of them."""

    raw: Iterable[str]
    notices: tuple[str, ...] = ()
    count: int = 0
    cut: bool = False

    def texts(self) -> Iterator[str]:
        """One after the other, counted."""
        for text in self.raw:
            self.count += 1
            self.cut = self.cut or len(text) > LONGEST
            yield text[:LONGEST]


def _kinds(declared: DeclaredEval) -> frozenset[EventKind]:
    on = options.text(declared.options, "on") or "assistant"
    return _SPEAKERS.get(on, _SPEAKERS["assistant"])


def _subject(declared: DeclaredEval, seen: Seen, means: Means) -> _Subject | Failure:
    if declared.target.source is TargetSource.TRANSCRIPT:
        return _Subject(raw=views.messages(seen, _kinds(declared)))
    one = targets.text(declared, seen, means, shown=False)
    return one if isinstance(one, Failure) else _Subject(raw=[one.text], notices=one.notices)


def _what(declared: DeclaredEval) -> str:
    source = declared.target.source
    if source is TargetSource.TRANSCRIPT:
        on = options.text(declared.options, "on") or "assistant"
        whose = {"assistant": "of the agent", "user": "of the user"}.get(on, "of either side")
        return f"message {whose}"
    words = {
        TargetSource.LAST_MESSAGE: "the last message",
        TargetSource.FILES: "the list of written files",
        TargetSource.ARTIFACT: "the artifact's text",
    }
    return words.get(source, f"`{declared.target.path}`")


def _grade(declared: DeclaredEval, given: _Subject, *, matched: bool) -> Grade | Withholding:
    pattern = options.text(declared.options, "pattern")
    wanted = options.text(declared.options, "expect") != "no-match"
    what, source = _what(declared), declared.target.source
    if source is TargetSource.TRANSCRIPT:
        what = f"a {what}" if matched else f"any {what} ({given.count:,} in all)"
    said = f"`{pattern}` {'matches' if matched else 'does not match'} in {what}"
    cut = f"only the first {LONGEST:,} characters of a text are searched"
    wrong = [] if matched == wanted else [said]
    basis = Basis.SEEN if matched and source is TargetSource.TRANSCRIPT else targets.BASES[source]
    if given.cut and not matched:
        return grades.withheld(f"{said}, as far as is known: {cut}")
    return grades.grade(
        wrong, fine=said, notices=(*given.notices, *([cut] * given.cut)), basis=basis
    )
