"""Where `mergebar` runs: beside planted modules, without git, in odd folders, in a subfolder."""

from pathlib import Path

import pytest

from support import commands, gates, judge_server
from support.gates import judged, passing
from support.judge_server import JudgeServer

PLANTED = (
    "jinja2", "json", "yaml", "openai", "httpx", "pydantic", "jsonschema", "mergebar", "asyncio",
    "sitecustomize", "usercustomize",
)  # fmt: skip


def test_modules_that_a_change_plants_are_never_imported(tmp_path: Path) -> None:
    planted = {
        f"{name}.py": f"open('.planted', 'a').write({name!r})\nraise SystemExit(0)\n"
        for name in PLANTED
    }
    with JudgeServer([judge_server.verdict(1)]) as server:
        config = gates.CONFIG + gates.judge(server.base_url)
        here = gates.repository(tmp_path, judged("a"), config=config, **planted)
        environ = {"JUDGE_KEY": "k-1234567890", "PYTHONPATH": str(here.path)}
        ran = commands.run("run", cwd=here.path, environ=environ)
        checked = commands.run("check", cwd=here.path, environ=environ)

    assert (ran.code, ran.report()["checks"][0]["outcome"]) == (1, "fail")
    assert checked.code == 0
    assert not (here.path / ".planted").exists()


@pytest.mark.parametrize("folder", ["with space", "Größe 日本", "quote'n$(touch x);#", "-dash"])
def test_a_folder_may_have_any_name(tmp_path: Path, folder: str) -> None:
    here = gates.repository(tmp_path / folder, passing())
    here.write(f"evals/{folder}.json", gates.document(passing("odd")))
    here.commit()
    here.branch("change")
    here.write(f"evals/{folder}.json", gates.document(passing("edited")))

    ended = commands.inside("run", "--base", "main", cwd=here.path)

    assert ended.code == 0
    assert [check["suite"] for check in ended.report()["checks"]] == [f"evals/{folder}.json"]
    assert list(commands.documents(here.path / ".mergebar")) == [f"evals/{folder}.json"]


def test_without_git_everything_is_affected_and_said(tmp_path: Path) -> None:
    for name, text in {
        "agent.py": gates.AGENT,
        "mergebar.yml": gates.CONFIG,
        "evals/a.json": gates.document(passing()),
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    ended = commands.inside("run", cwd=tmp_path)
    assert ended.code == 0
    assert ended.report()["run"]["commit"] is None
    assert "no `--base` was given" in ended.report()["suites"][0]["reason"]
    based = commands.inside("run", "--base", "main", cwd=tmp_path)
    assert based.code == 2
    assert "can't compare with the base `main`" in based.said


def test_a_repository_without_a_commit_runs_too(tmp_path: Path) -> None:
    here = gates.repository(tmp_path / "a", passing())
    here.git("update-ref", "-d", "HEAD")

    ended = commands.inside("run", cwd=here.path)

    assert (ended.code, ended.report()["run"]["commit"]) == (0, None)


def test_in_a_subfolder_globs_are_its_own_and_paths_the_repository_s(tmp_path: Path) -> None:
    here = gates.repository(
        tmp_path,
        passing("top"),
        **{
            "bots/one/mergebar.yml": gates.CONFIG,
            "bots/one/agent.py": gates.AGENT,
            "bots/one/evals/a.json": gates.document(passing("deep")),
        },
    )
    folder = here.path / "bots/one"

    ended = commands.inside("run", cwd=folder)
    assert ended.code == 0
    assert [check["id"].split("::")[0] for check in ended.report()["checks"]] == [
        "bots/one/evals/a.json"
    ]
    assert (folder / ".mergebar/documents/bots/one/evals/a.json").is_file()

    source = commands.inside("plan", "--changed", "agent.py", cwd=folder)
    assert "affected: `bots/one/agent.py` is a source of agent `desk`" in source.stdout
    here.branch("change")
    here.commit({"bots/one/prompts/x.md": "x", "prompts/x.md": "x"})
    based = commands.inside("plan", "--base", "main", cwd=folder)
    assert "affected: `bots/one/prompts/x.md` is a source of agent `desk`" in based.stdout
    named = commands.inside("run", "evals/a.json", cwd=folder)
    assert [check["suite"] for check in named.report()["checks"]] == ["bots/one/evals/a.json"]
    above = commands.inside("run", "../../evals/desk.json", "--output", "out", cwd=folder)
    assert above.code == 2
    assert "no agent is configured for this document" in above.said


def test_a_config_elsewhere_still_speaks_of_the_working_directory(tmp_path: Path) -> None:
    here = gates.repository(tmp_path, passing(), **{"ci/gate.yml": gates.CONFIG})

    ended = commands.inside("run", "--config", "ci/gate.yml", cwd=here.path)

    assert (ended.code, len(ended.report()["checks"])) == (0, 1)
    changed = commands.inside(
        "plan", "--config", "ci/gate.yml", "--changed", "ci/gate.yml", cwd=here.path
    )
    assert "affected: `ci/gate.yml` changed" in changed.stdout
