"""`regex`: whether a pattern matches what was said, or another text."""

from collections.abc import Iterator, Mapping
from itertools import islice

from mergebar.graders import grades, options, targets, views
from mergebar.model.artifacts import DeclaredEval, TargetSource
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability, EventKind

LONGEST = 1_048_576
"""Characters of one text; the rest isn't searched."""

_MOST = 100_000
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
        texts, notices = given
        flags = options.text(declared.options, "flags") or ""
        found = await means.matcher.search(pattern, flags, texts)
        if isinstance(found, Failure):
            return Failure(error_class=found.error_class, message=f"`pattern` {found.message}")
        return _grade(declared, matched=any(found), what=_what(declared, len(texts)), notes=notices)


def _kinds(declared: DeclaredEval) -> frozenset[EventKind]:
    on = options.text(declared.options, "on") or "assistant"
    return _SPEAKERS.get(on, _SPEAKERS["assistant"])


def _subject(
    declared: DeclaredEval, seen: Seen, means: Means
) -> tuple[tuple[str, ...], tuple[str, ...]] | Failure:
    """The texts, and what has to be known of them."""
    if declared.target.source is TargetSource.TRANSCRIPT:
        said = views.messages(seen, _kinds(declared))
        return _cut(islice(said, _MOST), notices=())
    one = targets.text(declared, seen, means, shown=False)
    return one if isinstance(one, Failure) else _cut(iter([one.text]), notices=one.notices)


def _cut(
    texts: Iterator[str], *, notices: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    kept, cut = [], False
    for text in texts:
        kept.append(text[:LONGEST])
        cut = cut or len(text) > LONGEST
    if cut:
        notices = (*notices, f"only the first {LONGEST:,} characters of a text are searched")
    return tuple(kept), notices


def _what(declared: DeclaredEval, number: int) -> str:
    source = declared.target.source
    if source is TargetSource.TRANSCRIPT:
        on = options.text(declared.options, "on") or "assistant"
        whose = {"assistant": "of the agent", "user": "of the user"}.get(on, "of both sides")
        return f"{number:,} {'message' if number == 1 else 'messages'} {whose}"
    words = {
        TargetSource.LAST_MESSAGE: "the last message",
        TargetSource.FILES: "the list of written files",
        TargetSource.ARTIFACT: "the artifact's text",
    }
    return words.get(source, f"`{declared.target.path}`")


def _grade(declared: DeclaredEval, *, matched: bool, what: str, notes: tuple[str, ...]) -> Grade:
    pattern = options.text(declared.options, "pattern")
    wanted = options.text(declared.options, "expect") != "no-match"
    said = f"`{pattern}` {'matches' if matched else 'does not match'} in {what}"
    return grades.grade([] if matched == wanted else [said], fine=said, notices=notes)
