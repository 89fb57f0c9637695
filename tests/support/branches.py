"""A repository with many branches on the loopback GitHub, and the runs that its events start."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mergebar.model.text import Json
from support import events
from support.github.state import file, packed
from support.jobs import Job, Result

ARTIFACT = "mergebar-report-mergebar"
_STATUSES = {"A": "added", "D": "removed", "M": "modified"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """The origin of a job; whatever is committed to it GitHub knows too."""

    job: Job

    def commit(self, branch: str, files: Mapping[str, str | None], *, at: str | None = None) -> str:
        """A commit on a branch, which starts at `at` where it is given."""
        origin = self.job.origin
        if at is not None:
            origin.git("checkout", "--quiet", "-B", branch, at)
        else:
            origin.checkout(branch)
        made = origin.commit(files, message=f"{branch} {sorted(files)}")
        self.tell(branch)
        return made

    def tell(self, branch: str) -> None:
        """GitHub hears of the branch and of its commits."""
        origin, state = self.job.origin, self.job.github.state
        listed = origin.git("rev-list", "--reverse", "--topo-order", "--parents", branch)
        for line in listed.splitlines():
            sha, *parents = line.split()
            if sha not in state.commits or not state.commits[sha].tree:
                state.commit(sha, *parents, tree=self._tree(sha))
        state.branches[branch] = origin.git("rev-parse", branch)

    def _tree(self, sha: str) -> dict[str, bytes]:
        origin = self.job.origin
        names = origin.git("ls-tree", "-r", "--name-only", sha).splitlines()
        return {name: (origin.git("show", f"{sha}:{name}") + "\n").encode() for name in names}

    def compare(self, base: str, head: str) -> None:
        """GitHub compares these two, and finds no difference to any other commit."""
        origin = self.job.origin
        start = origin.git("merge-base", base, head)
        lines = origin.git("diff", "--name-status", "--no-renames", start, head).splitlines()
        named = [line.split("\t") for line in lines]
        self.job.github.state.compared[f"{base}...{head}"] = [
            file(name, _STATUSES[status]) for status, name in named
        ]

    def run(
        self,
        event: str,
        payload: Mapping[str, Json],
        *,
        sha: str,
        branch: str = "main",
        depth: int = 0,
        **inputs: str,
    ) -> Result:
        """The run that an event starts, from its checkout on."""
        self.job.checkout(sha, depth=depth)
        ref = f"refs/heads/{branch}"
        return self.job.step(event, dict(payload), sha=sha, ref=ref, **inputs).inside()

    def push(self, branch: str, sha: str, *, before: str = events.ZERO, depth: int = 0) -> Result:
        payload = events.push(branch=branch, before=before, after=sha)
        return self.run("push", payload, sha=sha, branch=branch, depth=depth)

    def queue(self, sha: str, *, base: str, depth: int = 0) -> Result:
        """An entry of the merge queue that stands behind `base`."""
        self.compare(base, sha)
        branch = f"gh-readonly-queue/main/pr-7-{base}"
        payload = events.merge_group(base=base, head=sha)
        return self.run("merge_group", payload, sha=sha, branch=branch, depth=depth)

    def dispatch(self, branch: str, sha: str, **inputs: str) -> Result:
        payload = events.workflow_dispatch(branch=branch)
        return self.run("workflow_dispatch", payload, sha=sha, branch=branch, depth=0, **inputs)

    def leave(
        self, result: Result, *, commit: str, branch: str = "main", event: str = "push"
    ) -> None:
        """What a run measured stays as its artifact."""
        assert result.report is not None, result.ended.said
        made = self.job.github.state.run(head=commit, branch=branch, event=event)
        data = json.dumps(result.report).encode()
        self.job.github.state.artifact(made, ARTIFACT, packed(report__json=data))


def outcome(result: Result) -> dict[str, Any]:
    """What was measured, what carried, and from which commit; a case by what it is told to say."""
    assert result.report is not None, result.ended.said
    report = result.report
    baseline = report["comparison"]["baseline"]
    named = [(one["label"].removeprefix("say "), one["carried"]) for one in report["checks"]]
    return {
        "run": " ".join(sorted(name for name, carried in named if not carried)),
        "kept": " ".join(sorted(name for name, carried in named if carried)),
        "baseline": None if baseline is None else baseline["commit"],
    }


def notes(result: Result) -> str:
    """What the report says of its baseline."""
    assert result.report is not None
    return "; ".join(result.report["comparison"]["notes"])
