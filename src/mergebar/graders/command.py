"""`command`: whether a program of the repository, given the session's trace, exits as it should."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from mergebar.graders import grades, own_programs, views
from mergebar.model.artifacts import CommandSpec, DeclaredEval
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Basis, Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.processes import endings, environment, running
from mergebar.processes.running import End, Ended, Start

OUTPUT_LIMIT = 16 * 1024 * 1024
_TAIL = 64 * 1024
_SHOWN = 240
"""Characters of the end of what it printed: a reason is cut behind them in most places."""

_MB = 1024 * 1024
_KILLED = 137


def create() -> Grader:
    """The grader."""
    return Command()


class Command:
    """Runs it once, in a process group of its own that is ended whatever happens."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """Leave to run code of the repository."""
        del declared
        return Demands(runs_code=True)

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Run it, and look at how it ended."""
        spec = declared.command or CommandSpec()
        unfit = next(_unfit(declared, spec, means), None)
        if unfit is not None:
            return grades.misdeclared(unfit)
        changed = own_programs.changed(spec.argv, home=means.home or means.root, root=means.root)
        if changed is not None:
            return grades.withheld(
                f"the session changed `{changed}`, which its command runs: whoever is graded "
                "doesn't grade"
            )
        start = _start(declared, spec, seen, means)
        try:
            ended = await running.run(start, b"")
        except (OSError, ValueError) as error:
            return grades.misdeclared(_not_started(start, error))
        return _grade(spec, start, ended, seen=seen, means=means)


def _unfit(declared: DeclaredEval, spec: CommandSpec, means: Means) -> Iterator[str]:
    if not spec.argv:
        yield "there is no `command` yet: write one that checks the assertion"
        return
    if spec.assertion_hash is not None:
        if declared.assertion is None:
            yield "there is no `assertion` that the hash could be of: add it, or remove the hash"
        elif spec.assertion_hash != hashlib.sha256(declared.assertion.encode()).hexdigest():
            yield "the assertion has changed since the command was written: check the command"
    if not means.root.is_dir():
        yield f"its working directory `{means.root}` doesn't exist"
    program = spec.argv[0]
    if "/" in program and not program.startswith("/"):
        script = Path(os.path.realpath(means.root / program))  # of a circle, too
        if not script.is_relative_to(os.path.realpath(means.root)):
            yield f"`{program}` lies outside the repository: name a program within it"


def _start(declared: DeclaredEval, spec: CommandSpec, seen: Seen, means: Means) -> Start:
    trace = str(means.trace.absolute())
    said: Mapping[str, str] = {
        "ARTIFACT_EVALS_TRACE": trace,
        "ARTIFACT_EVALS_ARTIFACT": seen.artifact.path,
        "ARTIFACT_EVALS_EVAL_ID": declared.key,
    }
    return Start(
        argv=tuple(part.replace("{trace}", trace) for part in spec.argv),
        cwd=means.root,
        environ={**environment.allowed(means.environ, named=()), **said},
        timeout_s=spec.timeout_s,
        output_limit=OUTPUT_LIMIT,
        log_limit=OUTPUT_LIMIT,
        log_tail=_TAIL,
    )


def _grade(
    spec: CommandSpec, start: Start, ended: Ended, *, seen: Seen, means: Means
) -> Grade | Failure:
    program = f"`{spec.argv[0]}`"
    if ended.end is End.TIMED_OUT:
        bound = f"within {start.timeout_s:g} s (`timeout-ms`)"
        message = f"{program} didn't end {bound}{_said(ended, means)}"
        return Failure(error_class=ErrorClass.TIMEOUT, message=message)
    if ended.end is End.TOO_MUCH:
        message = f"{program} printed more than {OUTPUT_LIMIT // _MB} MB and was stopped"
        return Failure(error_class=ErrorClass.EVALUATOR, message=message)
    how = endings.sentence(ended.returncode)
    exited = ended.returncode is not None and ended.returncode >= 0
    if exited and ended.returncode in spec.success_exit_codes:
        return grades.grade(
            [], fine=f"{program} {how}", notices=[views.unseen(seen)], basis=Basis.SEEN
        )
    wrong = f"{program} {how}{_hint(ended.returncode)}{_said(ended, means)}"
    return grades.grade([wrong], fine="")


def _hint(returncode: int | None) -> str:
    return ": was it out of memory?" if returncode in {_KILLED, -9} else ""


def _said(ended: Ended, means: Means) -> str:
    """The end of what it printed. Secrets go first: one that is cut in half is no longer found."""
    printed = ended.stderr
    if not printed.strip():
        printed = running.tail(bytearray(ended.stdout[-_TAIL - 1 :]), _TAIL)
    shown = means.redact(printed).strip()
    if not shown:
        return ""
    return f"; it printed: {shown if len(shown) <= _SHOWN else '…' + shown[1 - _SHOWN :]}"


def _not_started(start: Start, error: OSError | ValueError) -> str:
    program = start.argv[0]
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        place = "in the repository" if "/" in program else "on the PATH"
        return f"there is no `{program}` {place}: install it, or mend the `command`"
    if isinstance(error, PermissionError) and (start.cwd / program).is_dir():
        return f"`{program}` is a folder, and no program: name a program in it"
    if isinstance(error, PermissionError):
        return f"`{program}` may not be executed: make it executable (`chmod +x`)"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"`{program}` doesn't start: {reason}"
