"""`json-output`: whether the session's last message, or a file, is JSON that a schema accepts."""

import json

from mergebar.graders import grades, targets
from mergebar.model.artifacts import DeclaredEval, TargetSource
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Basis, Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability
from mergebar.model.text import Json

_FENCE = "```"


def create() -> Grader:
    """The grader."""
    return JsonOutput()


class _NotJsonError(ValueError):
    """It never leaves this module."""


class JsonOutput:
    """Takes the whole text for JSON: what stands in a fence is no JSON."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """The agent's messages, unless a file is looked at."""
        from_file = declared.target.source is TargetSource.FILE
        needs = frozenset[Capability]() if from_file else frozenset({Capability.MESSAGES})
        return Demands(capabilities=needs, whole=True)

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Parse, and then hold against the schema in a process that can be ended."""
        schema = declared.options.get("schema")
        if not isinstance(schema, dict):
            return grades.misdeclared("`json-output` needs a `schema`: add one")
        from_file = declared.target.source is TargetSource.FILE
        basis = Basis.SEEN if from_file else Basis.LAST
        given = _text(declared, seen, means)
        if isinstance(given, Failure):
            return given
        what = _what(declared)
        if not given.text.strip():
            return grades.grade([f"{what} is empty"], fine="", basis=basis)
        try:
            value = _parsed(given.text)
        except _NotJsonError as error:
            wrong = [f"{what} is no JSON: {error}"]
            return grades.grade(wrong, fine="", notices=given.notices, basis=basis)
        found = await means.matcher.violations(schema, value)
        if isinstance(found, Failure):
            return Failure(error_class=found.error_class, message=f"`schema` {found.message}")
        return grades.grade(
            found,
            fine=f"{what} is what the schema wants",
            notices=given.notices,
            quotes=True,
            basis=basis,
        )


def _text(declared: DeclaredEval, seen: Seen, means: Means) -> targets.Text | Failure:
    if declared.target.source is TargetSource.FILE:
        return targets.text(declared, seen, means, shown=False)
    structured = seen.session.structured_output
    if structured is not None:
        return targets.Text(text=seen.contents.text(structured))
    return targets.Text(text=targets.last_message(seen))


def _what(declared: DeclaredEval) -> str:
    if declared.target.source is TargetSource.FILE:
        return f"`{declared.target.path}`"
    return "the last message"


def _parsed(text: str) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=_refuse)
    except _NotJsonError:
        raise
    except RecursionError:
        raise _NotJsonError("it is nested too deeply") from None
    except ValueError as error:
        if text.strip().startswith(_FENCE):
            raise _NotJsonError("it stands in a code fence: ask for bare JSON") from None
        raise _NotJsonError(str(error)) from None
    return value


def _refuse(name: str) -> Json:
    message = f"`{name}` is no JSON number"
    raise _NotJsonError(message)
