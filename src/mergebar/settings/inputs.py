"""The action's inputs as text in, one `Settings` value out, or every problem with them at once."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.publishing import CommentMode
from mergebar.reading.nearest import nearest
from mergebar.settings.table import INPUTS, Input, Kind, Mode, Scope

# `with: args:` and `with: entrypoint:` belong to the runner, which exports them all the same.
_RUNNERS_OWN = frozenset({"ARGS", "ENTRYPOINT"})

_LONGEST_KEY = 100
_UNSEEN = "\N{REPLACEMENT CHARACTER}"
_BREAKS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_MOST_DAYS = 400
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the action was asked for. `None` and `()` are unset.

    `config` and `paths` are relative to `working_directory`, and that to the workspace.
    `warnings` are to be shown: they stop nothing.
    """

    config: str | None = None
    mode: Mode = Mode.AUTO
    scope: Scope = Scope.AUTO
    paths: tuple[str, ...] = ()
    agent: str | None = None
    base: str | None = None
    github_token: str | None = field(default=None, repr=False)
    check_name: str = "mergebar"
    check_run: bool = True
    comment: CommentMode | None = None
    upload_artifact: bool = True
    retention_days: int | None = None
    require_publish: bool = False
    working_directory: str = "."
    warnings: tuple[Problem, ...] = ()


def variable(name: str) -> str:
    """The variable in which the runner hands over the input `name`: hyphens stay."""
    return "INPUT_" + name.replace(" ", "_").upper()


def from_inputs(environ: Mapping[str, str]) -> Settings | tuple[Problem, ...]:
    """Read `INPUT_*`, and `GITHUB_WORKSPACE` to make absolute paths relative.

    Other systems can't export a name with a hyphen from a shell, so `INPUT_CHECK_NAME` is read
    where `INPUT_CHECK-NAME` is unset or at its default.
    """
    reader = _Reader(environ.get("GITHUB_WORKSPACE", ""))
    texts = {entry.name: reader.text(entry, environ) for entry in INPUTS}
    folder = reader.inside("working-directory", texts["working-directory"] or ".", folder=".")
    settings = Settings(
        config=reader.path("config", texts["config"], folder),
        mode=Mode(reader.choice("mode", texts["mode"]) or Mode.AUTO),
        scope=Scope(reader.choice("scope", texts["scope"]) or Scope.AUTO),
        paths=reader.paths(texts["paths"], folder),
        agent=reader.line("agent", texts["agent"]),
        base=reader.line("base", texts["base"]),
        github_token=texts["github-token"] or None,
        check_name=reader.key("check-name", texts["check-name"]),
        check_run=reader.flag("check-run", texts["check-run"]),
        comment=_comment(reader.choice("comment", texts["comment"])),
        upload_artifact=reader.flag("upload-artifact", texts["upload-artifact"]),
        retention_days=reader.days("retention-days", texts["retention-days"]),
        require_publish=reader.flag("require-publish", texts["require-publish"]),
        working_directory=folder,
        warnings=_unknown(environ),
    )
    problems = (*reader.problems, *settings.warnings)
    return problems if is_invalid(problems) else settings


def _comment(text: str) -> CommentMode | None:
    return CommentMode(text) if text else None


def _unknown(environ: Mapping[str, str]) -> tuple[Problem, ...]:
    known = {entry.name for entry in INPUTS}
    found = []
    for key in sorted(environ):
        name = key.removeprefix("INPUT_").lower().replace("_", "-")
        if not key.startswith("INPUT_") or name in known or key[6:].upper() in _RUNNERS_OWN:
            continue
        near = nearest(name, known)
        hint = f"did you mean `{near}`?" if near else f"the inputs are {_listed(sorted(known))}"
        message = f"{_quoted(key[6:].lower())} is not an input of mergebar and is ignored; {hint}"
        found.append(Problem(level=Level.WARNING, rule="config/unknown-input", message=message))
    return tuple(found)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


class _Reader:
    """Turns the text of inputs into values, and collects what is wrong with them."""

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        self.problems: list[Problem] = []

    def text(self, entry: Input, environ: Mapping[str, str]) -> str:
        """The input's text without blanks around it; its default where it is unset."""
        default = "" if entry.kind is Kind.SECRET else entry.default
        name = variable(entry.name)
        value = environ.get(name, "").strip()
        other = environ.get(name.replace("-", "_"), "").strip()
        if value not in {"", default, other} and other:
            wrong = f"and `{entry.name.replace('-', '_')}` differ; keep `{entry.name}` alone"
            self._refuse(entry.name, wrong)
        if value in {"", default} and other:
            value = other
        return value or default

    def choice(self, name: str, text: str) -> str:
        entry = next(entry for entry in INPUTS if entry.name == name)
        if not text or text in entry.choices:
            return text
        near = nearest(text, entry.choices)
        hint = f"did you mean `{near}`?" if near else f"use {_listed(list(entry.choices))}"
        self._refuse(name, f"is {_quoted(text)}; {hint}")
        return ""

    def flag(self, name: str, text: str) -> bool:
        """As YAML 1.2 spells it, and as other actions take it."""
        if text not in _FLAGS:
            self._refuse(name, f"is {_quoted(text)}; use `true` or `false`")
        return _FLAGS.get(text, False)

    def days(self, name: str, text: str) -> int | None:
        if not text:
            return None
        if re.fullmatch("[0-9]{1,3}", text) and 1 <= int(text) <= _MOST_DAYS:
            return int(text)
        self._refuse(name, f"is {_quoted(text)}; use a number of days from 1 to {_MOST_DAYS}")
        return None

    def line(self, name: str, text: str) -> str | None:
        if not text.isprintable():
            self._refuse(name, f"is {_quoted(text)}; it has to be one line of printable text")
        return text or None

    def key(self, name: str, text: str) -> str:
        """A name that goes into a comment's marker, a check run and an artifact's name."""
        if not text.isprintable() or "<" in text or ">" in text or "--" in text:
            wrong = "use one line of printable text without `<`, `>` and `--`"
            self._refuse(name, f"is {_quoted(text)}; {wrong}")
        elif len(text) > _LONGEST_KEY:
            self._refuse(name, f"has {len(text)} characters; use at most {_LONGEST_KEY}")
        return text

    def path(self, name: str, text: str, folder: str) -> str | None:
        return self.inside(name, text, folder=folder) if text else None

    def paths(self, text: str, folder: str) -> tuple[str, ...]:
        lines = (line.strip() for line in text.splitlines())
        return tuple(self.inside("paths", line, folder=folder) for line in lines if line)

    def inside(self, name: str, text: str, *, folder: str) -> str:
        """The path relative to `folder`; it may not leave the workspace."""
        path = posixpath.normpath(text)
        if not text.isprintable():
            wrong = "it has to be one line of printable text"
            self._refuse(name, f"is {_quoted(text)}; {wrong}")
            return "."
        if path.startswith("/"):
            if not self._workspace or not _is_below(path, self._workspace):
                wrong = "use a path relative to the workspace"
                self._refuse(name, f"is {_quoted(text)}, which is outside the workspace; {wrong}")
                return "."
            path = posixpath.relpath(path, posixpath.join(self._workspace, folder))
        if not _is_below(posixpath.join("/w", folder, path), "/w"):
            wrong = "use a path inside it"
            self._refuse(name, f"is {_quoted(text)}, which leaves the workspace; {wrong}")
        return path

    def _refuse(self, name: str, wrong: str) -> None:
        message = f"the input `{name}` {wrong}"
        self.problems.append(Problem(level=Level.ERROR, rule="config/input", message=message))


def _is_below(path: str, folder: str) -> bool:
    inner, outer = posixpath.normpath(path), posixpath.normpath(folder)
    return inner == outer or inner.startswith(outer.rstrip("/") + "/")


def _quoted(text: str) -> str:
    """The text as code, and what is meant by the marks for what can't be shown."""
    shown = "".join(mark if mark.isprintable() else _UNSEEN for mark in text)
    return f"`{shown[:60].replace('`', chr(39))}`{_meaning(text)}"


def _meaning(text: str) -> str:
    hidden = [mark for mark in text[:60] if not mark.isprintable()]
    if not hidden:
        return ""
    names = dict.fromkeys("a line break" if mark in _BREAKS else _code(mark) for mark in hidden)
    return f" (`{_UNSEEN}` stands for {' or '.join(list(names)[:3])})"


def _code(mark: str) -> str:
    return f"U+{ord(mark):04X}"
