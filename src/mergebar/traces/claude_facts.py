"""Records of a main chain in, what they say about the session as a whole out."""

from dataclasses import dataclass, field

from mergebar.model.text import JsonObject


@dataclass(slots=True)
class Facts:
    """The folder and the branch are the first ones that are named, the rest the last."""

    session_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    tool_version: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    models: dict[str, None] = field(default_factory=dict)

    def stamp(self, record: JsonObject) -> None:
        """Take the time of a record. Records needn't stand in the order of time."""
        stamp = record.get("timestamp")
        if type(stamp) is not str:
            return
        if self.ended_at is None or self.started_at is None:
            self.started_at = self.ended_at = stamp
        elif stamp > self.ended_at:
            self.ended_at = stamp
        elif stamp < self.started_at:
            self.started_at = stamp

    def look(self, record: JsonObject) -> None:
        """Take what else a record knows."""
        self.stamp(record)
        session_id = record.get("sessionId")
        if type(session_id) is str:
            self.session_id = session_id
        version = record.get("version")
        if type(version) is str:
            self.tool_version = version
        if self.cwd is None:
            cwd = record.get("cwd")
            self.cwd = cwd if type(cwd) is str and cwd else None
        if self.git_branch is None:
            branch = record.get("gitBranch")
            self.git_branch = branch if type(branch) is str and branch else None
