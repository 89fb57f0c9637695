"""What was found and what became of each file in, the lines that `init` prints out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mergebar.commands.starting import scalars
from mergebar.commands.starting.covering import Cover
from mergebar.commands.starting.covers import Covers
from mergebar.commands.starting.drawing import REPOSITORY, WORKFLOW
from mergebar.commands.starting.looking import Found
from mergebar.commands.starting.writing import Act, Draft
from mergebar.commands.workspace import Place
from mergebar.reading.sentences import listed

_SHOWN = 3
_DONE = {Act.WRITE: "wrote", Act.ADD: "added to", Act.KEEP: "kept", Act.FAIL: "couldn't write"}
_MEANT = {Act.WRITE: "would write", Act.ADD: "would add to", Act.KEEP: "would keep"}


def found(seen: Found, covers: Covers, place: Place) -> Iterator[str]:
    """A line for each kind of thing, and what is measured from now on, by paths as reported."""
    prefix = scalars.glob(f"{place.prefix}/") if place.prefix else ""
    yield from _seen(reported(seen, place))
    yield from _covered(covers, prefix)


def reported(seen: Found, place: Place) -> Found:
    """The same with the paths that reports have. `gates` have them already."""

    def all_of(paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(place.reported, paths))

    return replace(
        seen,
        asked=all_of(seen.asked),
        stored=all_of(seen.stored),
        artifacts=all_of(seen.artifacts),
        bare=all_of(seen.bare),
        traces=all_of(seen.traces),
        broken=all_of(seen.broken),
    )


def _seen(seen: Found) -> Iterator[str]:
    rows = (
        ("eval documents for an agent to answer", seen.asked),
        ("eval documents that hold their answers", seen.stored),
        ("artifacts with evals", seen.artifacts),
        ("artifacts that declare no evals, so that nothing is measured of them", seen.bare),
        ("recorded sessions", seen.traces),
        ("left out, because they aren't valid", seen.broken),
        ("workflows that run mergebar already", seen.gates),
    )
    said = [f"  {what}: {len(all_)} ({listed(all_, most=_SHOWN)})" for what, all_ in rows if all_]
    yield "found:"
    yield from said or ["  no eval documents, artifacts, sessions or workflows with mergebar"]
    if seen.traces and not seen.artifacts:
        yield "  no artifact declares evals, so the recorded sessions aren't used"


def _covered(covers: Covers, prefix: str) -> Iterator[str]:
    """What will be measured: new files, too, or no more than what is there."""
    traces = covers.traces if covers.artifacts.patterns else Cover()
    every = (covers.asked, covers.stored, covers.artifacts, traces)

    def shown(patterns: Iterable[str]) -> str:
        return listed((prefix + one.removeprefix("/") for one in patterns), most=_SHOWN)

    new = [one for cover in every for one in cover.patterns if one in cover.new]
    alone = [one for cover in every for one in cover.patterns if one not in cover.new]
    excluded = [one for cover in every for one in cover.excluded]
    if new or alone:
        yield "covered:"
    if new:
        yield f"  with every file that is added there: {shown(new)}"
    if excluded:
        yield f"  but not: {shown(excluded)}"
    if alone:
        yield f"  by name, so that a new file beside it has to be added by hand: {shown(alone)}"


def written(draft: Draft) -> str:
    """What became of a file."""
    return _noted(f"{_DONE[draft.act]} {draft.shown}", draft)


def meant(draft: Draft) -> str:
    """What would become of it."""
    return _noted(f"{_MEANT[draft.act]} {draft.shown}", draft)


def _noted(text: str, draft: Draft) -> str:
    return f"{text}: {draft.note}" if draft.note else text


_COMMITS = f"git ls-remote {REPOSITORY} HEAD"


def steps(seen: Found, drafts: Sequence[Draft], *, first: str | None, folder: str) -> Iterator[str]:
    """What to do next, one thing after the other.

    `first` is the document that was written to begin with, `folder` the working directory in the
    repository, empty at its top. The last draft is the configuration.
    """
    told = (
        *_preparations(seen, first, drafts[-1].shown),
        "see what the gate says here: `mergebar check`, `mergebar plan`, then `mergebar run`",
        f"until `v1` is released, name a commit where the workflow says `v1`: `{_COMMITS}`",
        ", ".join(_publications(seen, drafts, folder)),
    )
    yield "next:"
    yield from (f"  {number}. {step}" for number, step in enumerate(told, start=1))


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


def _preparations(seen: Found, first: str | None, config: str) -> Iterator[str]:
    if first is not None:
        yield f"put your own questions into {first}"
    if seen.asked:
        yield f"say in {config} how `my-agent` is started, and which files it is made of"
    if seen.artifacts and not seen.traces:
        yield f"give the artifacts `traces` or `sessions` in {config}"
    if seen.judged:
        yield "export JUDGE_KEY, the judge's key, here, and make it a secret of the repository"
    if not (seen.asked or seen.judged or (seen.artifacts and not seen.traces)):
        yield f"read {config}: it needs nothing more to run"
