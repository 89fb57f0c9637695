"""Graders that packages bring: installed as an installer leaves them, and run by the real gate."""

import tomllib
from pathlib import Path

import pytest

from support import commands, held, packages, pages
from support.commands import Ended
from support.repositories import Repository

GUIDE = "guides/write-a-grader.md"
TRACE = "traces/mend.jsonl"


def block(language: str) -> str:
    [found] = [one.text for one in pages.blocks(GUIDE, language)]
    return found


def install(site: Path, module: str, *, package: str = "acme-graders", name: str = "") -> None:
    """The package of the guide, maybe with another module, or under another name."""
    project = tomllib.loads(block("toml"))["project"]
    points = project["entry-points"]["mergebar.graders"]
    named = {name or key: target for key, target in points.items()}
    packages.lay(site, {"acme_graders": module}, {"graders": named}, package=package)


def repository(tmp_path: Path, *more: str) -> Repository:
    """A repository with the skill of the guide, and a session that used it."""
    skill = block("markdown")
    if more:
        evals = "\n".join(f"    {line}" for line in more)
        skill = skill.replace("  evals:\n", f"  evals:\n{evals}\n")
    files = {held.SKILL: skill, TRACE: held.recorded(held.session())}
    return held.repository(tmp_path, files)


def run(tmp_path: Path, here: Repository, *arguments: str) -> Ended:
    with packages.installed(tmp_path / "site"):
        return commands.inside(*arguments, cwd=here.path)


def test_the_grader_of_the_guide_checks_and_grades(tmp_path: Path) -> None:
    install(tmp_path / "site", block("python"))
    here = repository(tmp_path)

    checked = run(tmp_path, here, "check")
    ended = run(tmp_path, here, "run", "--all")

    assert checked.code == 0, checked.said
    assert ended.code == 0, ended.said
    (check,) = ended.report()["checks"]
    assert (check["name"], check["outcome"]) == ("brief", "pass")
    assert check["reason"] == "2 calls of tools, and at most 3 are wanted"


def test_its_options_are_its_own(tmp_path: Path) -> None:
    install(tmp_path / "site", block("python"))
    here = repository(tmp_path, "- {id: none, grader: few-calls, options: {most: 1}}")

    ended = run(tmp_path, here, "run", "--all")

    assert ended.code == 1
    assert held.checks(ended.report()) == {"mend.jsonl::none": "fail", "mend.jsonl::brief": "pass"}


def test_the_strict_form_knows_no_installed_grader(tmp_path: Path) -> None:
    install(tmp_path / "site", block("python"))

    assert run(tmp_path, repository(tmp_path), "check", "--strict").code == 2


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_name_that_nobody_brings_is_refused_with_the_nearest_one(
    tmp_path: Path, command: str
) -> None:
    install(tmp_path / "site", block("python"))
    here = repository(tmp_path, "- {id: typo, grader: few-cals}")

    ended = run(tmp_path, here, command)

    assert ended.code == 2
    assert "`few-cals` is no grader: did you mean `few-calls`?" in ended.said


def test_without_its_package_a_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()

    ended = run(tmp_path, repository(tmp_path), "check")

    assert ended.code == 2
    assert "`few-calls` is no grader" in ended.said


_CREATE = "def create():\n    return Broken()\n"
_GIVES = """\
from mergebar.model.gradings import Demands
class Broken:
    def demands(self, declared, /):
        return {demands}
    async def grade(self, declared, seen, /, *, means):
        {body}
"""
_KINDS = """\
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Grade, Remark
from mergebar.model.plans import Withholding
from mergebar.model.results import Outcome
"""
UNSOUND = [
    "Grade(outcome='pass', reason='fine')",
    "Grade(outcome='passed', reason='fine')",
    "Grade(outcome=Outcome.ERROR, reason='fine')",
    "Grade(outcome=Outcome.SKIPPED, reason='fine')",
    "Grade(outcome=Outcome.PASS, reason=None)",
    "Grade(outcome=Outcome.PASS, reason='fine', notices='one')",
    "Grade(outcome=Outcome.PASS, reason='fine', notices=(1,))",
    "Grade(outcome=Outcome.FAIL, reason='no', findings=('one',))",
    "Grade(outcome=Outcome.FAIL, reason='no', findings=(Remark(message=None),))",
    "Grade(outcome=Outcome.PASS, reason='fine', opinions=(1,))",
    "Grade(outcome=Outcome.PASS, reason='fine', record={'a': object()})",
    "Grade(outcome=Outcome.PASS, reason='fine', record=[1])",
    "Grade(outcome=Outcome.PASS, reason='fine', review='digest')",
    "Grade(outcome=Outcome.NEEDS_REVIEW, reason='look')",
    "Grade(outcome=Outcome.PASS, reason='fine', basis='seen')",
    "Withholding(kind='withheld', reason='none')",
    "Failure(error_class='timeout', message='late')",
    "Failure(error_class=ErrorClass.TIMEOUT, message=None)",
]


def _giving(value: str) -> str:
    return _KINDS + _GIVES.format(demands=DEMANDS, body=f"return {value}") + _CREATE


DEMANDS, RAISES = "Demands()", "raise KeyError('x')"
LOADED = "the grader `few-calls` is installed as `acme_graders:create`, which can't be loaded"
OURS = "the installed grader `few-calls`"
BROKEN = [
    ("import no_such_module\n", f"{LOADED}: ModuleNotFoundError"),
    ("raise RuntimeError('no licence')\n", f"{LOADED}: RuntimeError: no licence"),
    ("def create(:\n", f"{LOADED}: SyntaxError"),
    ("def make(): ...\n", f"{LOADED}: AttributeError"),
    ("create = 1\n", f"{LOADED}: TypeError"),
    ("def create(name): ...\n", f"{OURS} can't be made: TypeError"),
    ("def create(): ...\n", f"{OURS} has no `demands` and `grade`"),
    (f"class Broken:\n    def demands(self): ...\n{_CREATE}", f"{OURS} has no `grade`"),
    (_GIVES.format(demands=DEMANDS, body=RAISES) + _CREATE, f"{OURS} failed: KeyError: 'x'"),
    (_GIVES.format(demands=DEMANDS, body="return True") + _CREATE, f"{OURS} gave back a `bool`"),
    (_GIVES.format(demands="None", body="...") + _CREATE, f"{OURS} gave back a `NoneType`"),
    ("import sys; sys.exit(0)\n", f"{LOADED}: SystemExit: 0"),
    ("def create(): raise SystemExit(0)\n", f"{OURS} can't be made: SystemExit: 0"),
    (
        _GIVES.format(demands=DEMANDS, body="raise SystemExit(0)") + _CREATE,
        f"{OURS} failed: System",
    ),
    (
        "import asyncio\n"
        + _GIVES.format(demands=DEMANDS, body="raise asyncio.CancelledError")
        + _CREATE,
        f"{OURS} failed: CancelledError",
    ),
    (_GIVES.format(demands="1 / 0", body="...") + _CREATE, f"{OURS} failed: ZeroDivisionError"),
    *((module, f"{OURS} gave back a result that is none") for module in map(_giving, UNSOUND)),
]


def test_a_broken_package_spoils_its_own_evals_and_says_how(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install(site, block("python"))
    modules = {f"broken_{number}": module for number, (module, _) in enumerate(BROKEN)}
    points = {f"broken-{number}": f"broken_{number}:create" for number in range(len(BROKEN))}
    packages.lay(site, modules, {"graders": points}, package="broken")
    evals = [f"- {{id: b-{number}, grader: broken-{number}}}" for number in range(len(BROKEN))]
    here = repository(tmp_path, held.READS, *evals)

    ended = run(tmp_path, here, "run", "--all")

    assert ended.code == 3, ended.said
    found = {one["name"]: one for one in ended.report()["checks"]}
    assert (found["reads"]["outcome"], found["brief"]["outcome"]) == ("pass", "pass")
    messages = {name: one["error"]["message"] for name, one in found.items() if one["error"]}
    for number, (_, said) in enumerate(BROKEN):
        own = said.replace("few-calls", f"broken-{number}")
        assert messages[f"b-{number}"].startswith(own.replace("acme_graders", f"broken_{number}"))


def test_a_name_that_two_packages_bring_is_nobodys(tmp_path: Path) -> None:
    install(tmp_path / "site", block("python"))
    other = {"graders": {"few-calls": "other:create"}}
    packages.lay(tmp_path / "site", {}, other, package="other")
    here = repository(tmp_path)

    ended = run(tmp_path, here, "run", "--all")

    assert ended.code == 3
    assert "the grader `few-calls` is installed 2 times" in ended.said


def test_the_same_package_seen_twice_is_one(tmp_path: Path) -> None:
    """As where a folder stands twice in the search path."""
    install(tmp_path / "site", block("python"))
    install(tmp_path / "site", block("python"), package="acme-graders-again")

    assert run(tmp_path, repository(tmp_path), "run", "--all").code == 0


def test_a_package_cant_take_the_name_of_a_built_in_grader(tmp_path: Path) -> None:
    install(tmp_path / "site", "raise RuntimeError\n", name="file-access")
    here = held.repository(
        tmp_path, {held.SKILL: held.skill(held.READS), TRACE: held.recorded(held.session())}
    )

    ended = run(tmp_path, here, "run", "--all")

    assert held.checks(ended.report()) == {"mend.jsonl::reads": "pass"}


def test_a_checker_of_somebody_else_is_one_by_its_whole_name(tmp_path: Path) -> None:
    install(tmp_path / "site", block("python"), name="tool:few")
    skill = held.skill("- {id: few, grader: 'tool:few', options: {most: 3}}")
    here = held.repository(tmp_path, {held.SKILL: skill, TRACE: held.recorded(held.session())})

    assert held.checks(run(tmp_path, here, "run", "--all").report()) == {"mend.jsonl::few": "pass"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("few-calls", ""),
        (
            "few-cals",
            "no grader `few-cals`, so this rule matches nothing: did you mean `few-calls`?",
        ),
        ("memory", "no grader `memory`, so this rule matches nothing: built in are"),
    ],
)
def test_a_rule_may_name_an_installed_grader(tmp_path: Path, name: str, said: str) -> None:
    install(tmp_path / "site", block("python"))
    rules = f"rules:\n  - match: {{grader: {name}}}\n    severity: warning\n"
    here = repository(tmp_path)
    here.write("mergebar.yml", held.CONFIG + rules)

    checked = run(tmp_path, here, "check")

    assert checked.code == 0, checked.said
    assert (said in checked.said) if said else ("matches nothing" not in checked.said)


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_rule_for_an_installed_grader_that_no_eval_names_is_told(
    tmp_path: Path, command: str
) -> None:
    install(tmp_path / "site", block("python"))
    rules = "rules:\n  - match: {grader: few-calls}\n    severity: warning\n"
    files = {held.SKILL: held.skill(held.READS), TRACE: held.recorded(held.session())}
    here = held.repository(tmp_path, files, config=held.CONFIG + rules)

    said = run(tmp_path, here, command).said

    assert "few-calls" in said
    assert "there is no grader" not in said


def test_the_table_of_the_guide_says_what_is_said() -> None:
    page = pages.read(GUIDE)

    for said in (LOADED, f"{OURS} has no `grade`", f"{OURS} failed", f"{OURS} gave back a `bool`"):
        assert said in page
