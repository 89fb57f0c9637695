"""A baseline's commit and the tested one in; why the one doesn't lead to the other out."""

from mergebar.edge.git import Git, GitTrouble

_SHOWN = 7


def strange(commit: str | None, git: Git, *, tested: str | None) -> str | None:
    """Why the baseline is of another history, as a clause; `None` where it isn't, or may not be.

    A shallow checkout, or none, can't tell.
    """
    head = tested or git.head()
    if commit is None or isinstance(head, GitTrouble) or git.is_shallow() is not False:
        return None
    of = f"the baseline is of `{commit[:_SHOWN]}`"
    if isinstance(git.resolve(commit), GitTrouble):
        return (
            f"{of}, which this repository doesn't have: it may be of another one, or of a branch "
            "that was squashed"
        )
    common = git.merge_base(commit, head)
    if isinstance(common, GitTrouble) or common == commit:
        return None
    return f"{of}, which is no ancestor of `{head[:_SHOWN]}`: it is of another branch"
