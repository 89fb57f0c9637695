"""What was found and what became of each file in, the lines that `init` prints out."""

from collections.abc import Iterator, Sequence

from mergebar.commands.starting.drawing import WORKFLOW
from mergebar.commands.starting.looking import Found
from mergebar.commands.starting.writing import Act, Draft
from mergebar.reading.sentences import listed

_SHOWN = 3
_DONE = {Act.WRITE: "wrote", Act.ADD: "added to", Act.KEEP: "kept", Act.FAIL: "couldn't write"}
_MEANT = {Act.WRITE: "would write", Act.ADD: "would add to", Act.KEEP: "would keep"}


def found(seen: Found) -> Iterator[str]:
    """A line for each kind of thing."""
    rows = (
        ("eval documents for an agent to answer", seen.asked),
        ("eval documents that hold their answers", seen.stored),
        ("artifacts with evals", seen.artifacts),
        ("left out, because they declare no evals", seen.bare),
        ("recorded sessions", seen.traces),
        ("left out, because they aren't valid", seen.broken),
        ("workflows that run mergebar already", seen.gates),
    )
    said = [f"  {what}: {len(all_)} ({listed(all_, most=_SHOWN)})" for what, all_ in rows if all_]
    yield "found:"
    yield from said or ["  no eval documents, artifacts, sessions or workflows with mergebar"]
    if seen.traces and not seen.artifacts:
        yield "  no artifact declares evals, so the recorded sessions aren't used"


def written(draft: Draft) -> str:
    """What became of a file."""
    return _noted(f"{_DONE[draft.act]} {draft.shown}", draft)


def meant(draft: Draft) -> str:
    """What would become of it."""
    return _noted(f"{_MEANT[draft.act]} {draft.shown}", draft)


def _noted(text: str, draft: Draft) -> str:
    return f"{text}: {draft.note}" if draft.note else text


def steps(seen: Found, drafts: Sequence[Draft], *, first: str | None, folder: str) -> Iterator[str]:
    """Three things to do next.

    `first` is the document that was written to begin with, `folder` the working directory in the
    repository, empty at its top.
    """
    yield "next:"
    yield f"  1. {'; '.join(_preparations(seen, first))}"
    yield "  2. see what the gate says here: `mergebar check`, `mergebar plan`, then `mergebar run`"
    yield f"  3. {', '.join(_publications(seen, drafts, folder))}"


def _publications(seen: Found, drafts: Sequence[Draft], folder: str) -> Iterator[str]:
    """What brings the gate to pull requests. A workflow that was there may gate other folders."""
    written = {one.shown for one in drafts if one.act in {Act.WRITE, Act.ADD}}
    if not seen.versioned:
        yield "`git init`"
    if WORKFLOW not in written:
        kept = seen.gates[0] if seen.gates else WORKFLOW
        inputs = f" with `working-directory: {folder}` and a `check-name` of its own"
        yield f"let a job of {kept} use `mergebar/mergebar@v1`{inputs if folder else ''}"
    yield f"commit {', '.join(one.shown for one in drafts if one.shown in written)}"
    yield "open a pull request"
    job = "the job `gate`" if WORKFLOW in written else "that job"
    yield f"and make {job} a required status"


def _preparations(seen: Found, first: str | None) -> Iterator[str]:
    if first is not None:
        yield f"put your own questions into {first}"
    if seen.asked:
        yield "say in mergebar.yml how `my-agent` is started, and which files it is made of"
    if seen.artifacts and not seen.traces:
        yield "give the artifacts `traces` or `sessions` in mergebar.yml"
    if seen.judged:
        yield "set JUDGE_KEY to the judge's key, here and as a secret of the repository"
    if not (seen.asked or seen.judged or (seen.artifacts and not seen.traces)):
        yield "read mergebar.yml: it needs nothing more to run"
