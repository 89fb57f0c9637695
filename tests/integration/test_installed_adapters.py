"""Agents and judges that packages bring: named in mergebar.yml, asked, and held to their faults."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from mergebar.config import kinds
from mergebar.model.text import JsonObject
from support import commands, packages, pages, repositories
from support.commands import Ended

GUIDE = "guides/write-a-plug-in.md"
[MODULE], [PROJECT], [CONFIG], [DOCUMENT] = (
    [one.text for one in pages.blocks(GUIDE, language)]
    for language in ("python", "toml", "yaml", "json")
)
POINTS = {
    group.removeprefix("mergebar."): names
    for group, names in tomllib.loads(PROJECT)["project"]["entry-points"].items()
}


def gate(
    tmp_path: Path,
    *arguments: str,
    config: str = CONFIG,
    module: str = MODULE,
    points: dict[str, dict[str, str]] = POINTS,
    document: str = DOCUMENT,
    more: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command in a repository of these files, with this package installed."""
    site = tmp_path / "site"
    packages.lay(site, {"acme_gate": module}, points)
    files = {".gitignore": ".mergebar/\n", "mergebar.yml": config, "evals/first.json": document}
    here = repositories.start(tmp_path / "repository", {**files, **(more or {})})
    with packages.installed(site):
        return commands.inside(*arguments, cwd=here.path)


def told(ended: Ended) -> str:
    """What the only check says is wrong."""
    (check,) = ended.report()["checks"]
    assert check["outcome"] == "error"
    said: str = check["error"]["message"]
    return said


def test_the_agent_and_the_judge_of_the_guide_answer_and_score(tmp_path: Path) -> None:
    ended = gate(tmp_path, "run", "--all")

    assert ended.code == 0, ended.said
    report = ended.report()
    (check,) = report["checks"]
    assert (check["outcome"], check["score"]) == ("pass", 5)
    assert check["reason"] == "8 words, and at most 40 are wanted"
    assert report["run"]["judge"]["provider"] == "terse"
    assert report["usage"]["agent_calls"] == report["usage"]["judge_calls"] == 1


def test_nothing_is_wrong_with_the_files_of_the_guide(tmp_path: Path) -> None:
    checked = gate(tmp_path, "check")

    assert checked.code == 0
    assert "1 suite checked: no problems" in checked.said


def test_further_keys_reach_the_package_with_their_references_replaced(tmp_path: Path) -> None:
    config = CONFIG.replace('"You asked me:"', "${GREETING}").replace("most: 40", "most: 4")
    site = tmp_path / "site"
    packages.lay(site, {"acme_gate": MODULE}, POINTS)
    files = {".gitignore": ".mergebar/\n", "mergebar.yml": config, "evals/first.json": DOCUMENT}
    here = repositories.start(tmp_path / "repository", files)

    with packages.installed(site):
        unset = commands.inside("run", "--all", cwd=here.path)
        ended = commands.inside("run", "--all", cwd=here.path, environ={"GREETING": "Oh, hello"})

    assert unset.code == 2
    assert "GREETING" in unset.said
    assert ended.code == 1
    (check,) = ended.report()["checks"]
    assert check["reason"] == "7 words, and at most 4 are wanted"


def test_a_change_of_a_key_of_its_own_affects_every_eval_of_the_agent(tmp_path: Path) -> None:
    packages.lay(tmp_path / "site", {"acme_gate": MODULE}, POINTS)
    files = {".gitignore": ".mergebar/\n", "mergebar.yml": CONFIG, "evals/first.json": DOCUMENT}
    here = repositories.start(tmp_path / "repository", files)
    here.commit({"mergebar.yml": CONFIG.replace("asked me", "said")})

    with packages.installed(tmp_path / "site"):
        planned = commands.inside("plan", "--base", "HEAD~1", cwd=here.path)

    assert "affected" in planned.stdout
    assert "support" in planned.stdout


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("type: parrot", "type: parot", "no agent type `parot`: did you mean `parrot`?"),
        ("type: terse", "type: ters", "no judge type `ters`: did you mean `terse`?"),
        (
            "type: parrot",
            "type: cassandra",
            "no agent type `cassandra`: built in are `command`, `http`, `openai`, `replay`; is the",
        ),
        (
            "type: terse",
            "type: delphi",
            "no judge type `delphi`: built in are `openai`, `azure`, `replay`; is the package",
        ),
    ],
)
def test_a_type_that_nobody_brings_is_refused_at_its_place(
    tmp_path: Path, command: str, was: str, now: str, said: str
) -> None:
    ended = gate(tmp_path, command, config=CONFIG.replace(was, now))

    assert ended.code == 2
    assert said in ended.said
    assert f"mergebar.yml:{4 if 'parrot' in was else 8}:" in ended.said


@pytest.mark.parametrize("was", ["    sources: []\n", "    greeting:"])
def test_common_keys_are_held_to_their_meaning(tmp_path: Path, was: str) -> None:
    now = "" if "sources" in was else "    timeout: soon\n    greeting:"

    ended = gate(tmp_path, "check", config=CONFIG.replace(was, now))

    assert ended.code == 2
    assert ("`sources` is missing" if "sources" in was else "timeout") in ended.said


BROKEN = [
    ("import no_such_module\n", "is installed as `broken_0:create`, which can't be loaded: Module"),
    ("raise RuntimeError('x')\n", "is installed as `broken_1:create`, which can't be loaded: Run"),
    ("def create(:\n", "is installed as `broken_2:create`, which can't be loaded: SyntaxError"),
    ("create = 1\n", "is installed as `broken_3:create`, which can't be loaded: TypeError"),
    ("def create(): ...\n", "can't be made: TypeError"),
    ("def create(*_): raise KeyError('licence')\n", "can't be made: KeyError: 'licence'"),
    ("def create(*_): return 1\n", ""),
    (
        "import sys; sys.exit()\n",
        "is installed as `broken_7:create`, which can't be loaded: System",
    ),
    ("def create(*_): raise SystemExit(0)\n", "can't be made: SystemExit: 0"),
]


def test_a_broken_agent_spoils_its_own_suites_and_says_how(tmp_path: Path) -> None:
    """One that can't be loaded or made; test_installed.py has those that fail when asked."""
    site = tmp_path / "site"
    modules = {f"broken_{number}": module for number, (module, _) in enumerate(BROKEN)}
    names = {f"broken-{number}": f"broken_{number}:create" for number in range(len(BROKEN))}
    packages.lay(site, modules, {"agents": names}, package="broken")
    config = CONFIG.replace("evals/*.json]", "evals/first.json]\n    agent: support")
    for name in names:
        config = config.replace("judge:", f"  {name}: {{type: {name}, sources: []}}\njudge:")
        config += f"  - {{paths: [evals/{name}.json], agent: {name}}}\n"
    more = {f"evals/{name}.json": DOCUMENT for name in names}

    ended = gate(tmp_path, "run", "--all", config=config, more=more)

    assert ended.code == 3, ended.said
    found = {one["suite"]: one for one in ended.report()["checks"]}
    assert found["evals/first.json"]["outcome"] == "pass"
    for number, (_, said) in enumerate(BROKEN):
        message = found[f"evals/broken-{number}.json"]["error"]["message"]
        what = f"the agent type `broken-{number}` {said}"
        lacking = f"the installed agent `broken-{number}` has no `ask` and `aclose`, as an `Agent`"
        assert (what if said else lacking) in message


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (
            "import no_such_module\n",
            "the judge type `terse` is installed as `acme_bad:create`, which",
        ),
        ("def create(): ...\n", "the judge type `terse` can't be made: TypeError"),
        ("def create(*_): return 1\n", "the installed judge `terse` has no `assess` and `aclose`"),
    ],
)
def test_a_broken_judge_fails_every_vote_and_says_how(
    tmp_path: Path, module: str, said: str
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/acme_bad.py").write_text(module)
    points = {**POINTS, "judges": {"terse": "acme_bad:create"}}

    ended = gate(tmp_path, "run", "--all", points=points)

    assert ended.code == 3, ended.said
    assert said in told(ended)


def test_an_answer_over_the_limit_is_refused(tmp_path: Path) -> None:
    config = CONFIG.replace("    greeting:", "    output_limit: 10B\n    greeting:")

    assert "said more than 10 bytes in one turn" in told(gate(tmp_path, "run", config=config))


def test_what_was_kept_of_one_version_says_nothing_of_the_next(tmp_path: Path) -> None:
    config = CONFIG.replace("    greeting:", "    cache: true\n    greeting:")
    packages.lay(tmp_path / "site", {"acme_gate": MODULE}, POINTS)
    files = {".gitignore": ".mergebar/\n", "mergebar.yml": config, "evals/first.json": DOCUMENT}
    here = repositories.start(tmp_path / "repository", files)

    def asked() -> tuple[int, int]:
        with packages.installed(tmp_path / "site"):
            usage = commands.inside("run", "--all", cwd=here.path).report()["usage"]
        return usage["agent_calls"], usage["judge_calls"]

    assert [asked(), asked()] == [(1, 1), (0, 0)]
    [metadata] = (tmp_path / "site").glob("*.dist-info/METADATA")
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    assert asked() == (1, 1)


def test_a_name_that_two_packages_bring_is_nobodys(tmp_path: Path) -> None:
    site = tmp_path / "site"
    packages.lay(site, {}, {"agents": {"parrot": "other:create"}}, package="other")

    assert "the agent type `parrot` is installed 2 times" in told(gate(tmp_path, "run"))


def test_a_package_cant_take_a_built_in_name(tmp_path: Path) -> None:
    points = {"agents": {"replay": "acme_gate:parrot"}, "judges": POINTS["judges"]}
    stored = json.loads(DOCUMENT)
    stored["items"][0]["response"] = "Hold the button."
    config = CONFIG.replace("type: parrot", "type: replay").replace(
        '    greeting: "You asked me:"\n', ""
    )

    ended = gate(tmp_path, "run", config=config, points=points, document=json.dumps(stored))

    assert ended.report()["checks"][0]["reason"].startswith("3 words")


def test_built_in_names_read_no_metadata_of_packages() -> None:
    def asked(group: str) -> tuple[str, ...]:
        raise AssertionError(group)

    config: JsonObject = {
        "agents": {name: {"type": name} for name in kinds.AGENTS},
        "judge": {"type": "openai"},
        "rules": [{"match": {"grader": "ai"}}],
    }
    assert list(kinds.find(config, asked)) == []


def test_the_table_of_the_guide_says_what_is_said() -> None:
    page = pages.read(GUIDE)

    for said in (
        "the agent type `parrot` is installed as `acme_gate:parrot`, which can't be loaded",
        "the agent type `parrot` can't be made",
        "has no `aclose`, as an `Agent` must",
        "the installed agent `parrot` failed",
        "gave back a `str` from `ask`",
        "did not answer within 120 s",
        "the agent type `parrot` is installed 2 times",
    ):
        assert said in page
