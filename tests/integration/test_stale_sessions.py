"""What a change makes of recorded sessions, in real repositories: which evals run, and on what."""

import json
import sys
from pathlib import Path

import pytest

from mergebar.suites import artifacts
from support import commands, held, suites
from support.commands import Ended
from support.held import CONFIG, QUIET, READS, SKILL
from support.repositories import Repository

TRACE = "traces/mend.jsonl"
REWRITTEN = held.skill(READS, QUIET, body="Mend it twice.\n")


def start(tmp_path: Path, config: str = CONFIG) -> Repository:
    """A repository whose skill is fine, with the tag `base`."""
    here = held.repository(
        tmp_path,
        {SKILL: held.skill(READS, QUIET), TRACE: held.recorded(held.session())},
        config=config,
    )
    here.git("tag", "base")
    return here


def run(here: Repository) -> Ended:
    return commands.inside("run", "--base", "base", cwd=here.path)


def reason(ended: Ended) -> str:
    (suite,) = ended.report()["suites"]
    found: str = suite["reason"]
    return found


def test_another_text_makes_old_sessions_stale_and_blocks(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({SKILL: REWRITTEN})

    ended = run(here)

    assert ended.code == 3
    assert set(held.checks(ended.report()).values()) == {"withheld"}
    assert "recorded with the previous text" in ended.said
    assert reason(ended) == f"affected: the text of `{SKILL}` changed"


def test_stale_sessions_can_be_graded_and_are_marked(tmp_path: Path) -> None:
    here = start(tmp_path, config=f"{CONFIG}    stale: warn\n")
    here.commit({SKILL: REWRITTEN})

    ended = run(here)

    assert ended.code == 0
    assert [(one["outcome"], one["stale"]) for one in ended.report()["checks"]] == [
        ("pass", True),
        ("pass", True),
    ]
    assert "2 graded on stale sessions" in ended.said


def test_a_session_recorded_again_is_fresh(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({SKILL: REWRITTEN, TRACE: held.recorded(held.session(runs=True))})

    ended = run(here)

    assert held.checks(ended.report()) == {"mend.jsonl::reads": "pass", "mend.jsonl::quiet": "fail"}


OLD = held.recorded(held.session())
SAYS_NOTHING = '{"schema": "mergebar.manifest/2", "artifacts": {}}'


@pytest.mark.parametrize(
    "files",
    [
        {TRACE: None, "traces/moved.jsonl": OLD},
        {"traces/copied.jsonl": OLD},
        {TRACE: f"{OLD}\n"},
        {f"{TRACE}.manifest.json": SAYS_NOTHING},
        {"traces/mend/subagents/agent-1.jsonl": OLD},
    ],
    ids=["moved", "copied", "newline", "manifest", "agent"],
)
def test_a_session_that_was_not_recorded_again_stays_stale(
    tmp_path: Path, files: dict[str, str | None]
) -> None:
    here = start(tmp_path)
    here.commit({SKILL: REWRITTEN, **files})

    ended = run(here)

    assert ended.code == 3, ended.said
    assert set(held.checks(ended.report()).values()) == {"withheld"}


def test_how_many_sessions_were_withheld_is_said_of_a_run_that_measured_others(
    tmp_path: Path,
) -> None:
    here = start(tmp_path)
    fresh = held.recorded(held.session()).replace("It is dry now.", "Dry.")
    here.commit({SKILL: REWRITTEN, "traces/again.jsonl": fresh, "traces/copy.jsonl": OLD})

    ended = run(here)

    assert ended.code == 0
    assert "2 checks measured · 2 stale sessions withheld" in ended.said


def test_a_session_that_never_used_the_artifact_is_not_stale(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({"traces/paint.jsonl": held.recorded(held.session("paint"))})
    here.git("tag", "--force", "base")
    here.commit({SKILL: REWRITTEN, TRACE: held.recorded(held.session(runs=True))})

    ended = run(here)

    assert "stale" not in ended.said
    reasons = [one["reason"] for one in ended.report()["checks"] if one["case"] == "paint.jsonl"]
    assert reasons == ["`mend` was never invoked in this session"] * 2


def test_a_manifest_ties_a_session_to_a_text(tmp_path: Path) -> None:
    here = start(tmp_path)
    digest = artifacts.read(REWRITTEN.encode(), path=SKILL, explain=suites.explain).body_digest
    manifest = {"schema": "mergebar.manifest/1", "artifacts": {SKILL: digest}}
    here.commit({f"{TRACE}.manifest.json": json.dumps(manifest)})
    here.git("tag", "--force", "base")
    here.commit({SKILL: REWRITTEN})

    fresh = held.checks(run(here).report())
    here.commit({SKILL: held.skill(READS, QUIET, body="Mend it thrice.\n")})
    stale = held.checks(run(here).report())

    assert set(fresh.values()) == {"pass"}
    assert set(stale.values()) == {"withheld"}


def test_a_manifest_of_another_text_is_stale_whatever_changed(tmp_path: Path) -> None:
    here = start(tmp_path)
    manifest = {"schema": "mergebar.manifest/1", "artifacts": {SKILL: "0" * 64}}
    here.commit({f"{TRACE}.manifest.json": json.dumps(manifest)})

    ended = commands.inside("run", "--all", cwd=here.path)

    assert set(held.checks(ended.report()).values()) == {"withheld"}


def test_a_broken_manifest_spoils_its_session_alone(tmp_path: Path) -> None:
    here = start(tmp_path)
    other = held.recorded(held.session(runs=True))
    here.commit({f"{TRACE}.manifest.json": "{}", "traces/other.jsonl": other})

    ended = run(here)

    assert ended.code == 1
    assert f"{TRACE}.manifest.json" in ended.said
    assert held.checks(ended.report()) == {
        "mend.jsonl::reads": "error",
        "mend.jsonl::quiet": "error",
        "other.jsonl::reads": "pass",
        "other.jsonl::quiet": "fail",
    }


def test_a_change_to_evals_only_runs_these_on_old_sessions(tmp_path: Path) -> None:
    here = start(tmp_path)
    stricter = QUIET.replace("tool: Bash", "tool: Read")
    here.commit({SKILL: held.skill(READS, stricter)})

    ended = run(here)

    assert ended.code == 1
    assert held.checks(ended.report()) == {"mend.jsonl::quiet": "fail"}
    assert reason(ended) == "affected: 1 of its 2 evals changed"


def test_another_weight_runs_nothing(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({SKILL: held.skill(READS.replace("{id", "{weight: 3, id"), QUIET)})

    ended = run(here)

    assert ended.code == 0
    assert ended.report()["suites"][0]["affected"] is False


def test_an_eval_that_is_no_longer_skipped_runs(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({SKILL: held.skill(READS.replace("{id", "{skip: true, id"), QUIET)})
    here.git("tag", "--force", "base")
    here.commit({SKILL: held.skill(READS, QUIET)})

    assert held.checks(run(here).report()) == {"mend.jsonl::reads": "pass"}


def test_the_other_files_of_a_skill_are_its_text_too(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({".claude/skills/mend/scripts/pump.sh": "exit 0\n"})

    ended = run(here)

    assert ended.code == 3
    assert reason(ended) == (
        "affected: `.claude/skills/mend/scripts/pump.sh` is in the skill's folder"
    )


def test_a_source_of_the_group_affects_its_artifacts(tmp_path: Path) -> None:
    here = start(tmp_path, config=f"{CONFIG}    sources: [shared/**]\n")
    here.commit({"shared/tone.md": "Kindly.\n"})

    ended = run(here)

    assert ended.code == 3
    assert reason(ended) == "affected: `shared/tone.md` is a source of its group"


def test_a_new_session_is_graded_with_the_artifacts_that_it_used(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({held.OTHER: held.skill(READS, name="paint")})
    here.git("tag", "--force", "base")
    here.commit({"traces/again.jsonl": held.recorded(held.session(runs=True))})

    report = run(here).report()

    assert {one["path"]: one["affected"] for one in report["suites"]} == {
        SKILL: True,
        held.OTHER: False,
    }
    assert held.checks(report)["again.jsonl::quiet"] == "fail"


def test_what_has_nothing_to_do_with_it_affects_nothing(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({"README.md": "Hello\n"})

    ended = run(here)

    assert ended.code == 0
    assert "nothing affected" in ended.said


def test_a_verdict_affects_what_waits_for_one(tmp_path: Path) -> None:
    here = held.repository(
        tmp_path, {SKILL: held.skill(READS, held.SEEN), TRACE: held.recorded(held.session())}
    )
    here.git("tag", "base")
    here.commit({"mergebar.reviews.yml": "version: 1\nreviews: []\n"})

    ended = run(here)

    assert ended.code == 4
    assert held.checks(ended.report()) == {"mend.jsonl::looked-at": "needs-review"}


def test_evals_that_move_into_a_sidecar_are_the_same(tmp_path: Path) -> None:
    here = start(tmp_path)
    evals = "\n".join(f"      {line}" for line in (READS, QUIET))
    sidecar = f"{SKILL}:\n  metadata:\n    evals:\n{evals}\n"
    here.commit({SKILL: held.skill(), f"{SKILL.removesuffix('.md')}.meta.yaml": sidecar})

    ended = run(here)

    assert ended.code == 0, ended.said
    assert "nothing affected" in ended.said


def test_a_sidecar_that_changes_an_eval_affects_that_one(tmp_path: Path) -> None:
    path = f"{SKILL.removesuffix('.md')}.meta.yaml"
    sidecar = f"{SKILL}:\n  metadata:\n    evals:\n      {READS}\n      {QUIET}\n"
    here = held.repository(
        tmp_path, {SKILL: held.skill(), path: sidecar, TRACE: held.recorded(held.session())}
    )
    here.git("tag", "base")
    here.commit({path: sidecar.replace("tool: Bash", "tool: Read")})

    ended = run(here)

    assert held.checks(ended.report()) == {"mend.jsonl::quiet": "fail"}
    (check,) = ended.report()["checks"]
    assert (check["location"]["path"], check["location"]["line"]) == (path, 5)


def test_an_artifact_that_moved_is_compared_with_what_it_was(tmp_path: Path) -> None:
    here = start(tmp_path)
    moved = ".claude/skills/repair/SKILL.md"
    here.commit({SKILL: None, moved: held.skill(READS, QUIET)})

    ended = run(here)

    assert ended.code == 0
    assert reason(ended).startswith("not affected: ")


def test_a_skill_that_is_new_is_not_measured_on_sessions_from_before_it(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.commit({held.OTHER: held.skill(READS, name="paint")})

    ended = run(here)

    assert ended.code == 3
    assert set(held.checks(ended.report()).values()) == {"withheld"}


PUMP = ".claude/skills/mend/scripts/pump.sh"
TONE = "shared/tone.md"
SOURCED = f"{CONFIG}    sources: [shared/**]\n"
AGENT = f"""{CONFIG}    sources: [shared/**]
    sessions:
      command: ["{sys.executable}", agent.py, "{{prompt}}"]
      prompts: [sessions/*.md]
"""


def record(tmp_path: Path) -> Repository:
    """A repository with a session that mergebar itself ran, and its manifest, in place."""
    here = held.repository(
        tmp_path,
        {
            SKILL: held.skill(READS, QUIET),
            PUMP: "exit 0\n",
            TONE: "Kindly.\n",
            TRACE: held.recorded(held.session()),
            "pipes.txt": "wet\n",
            "agent.py": held.agent(),
            "sessions/leak.md": "mend\n",
        },
        config=AGENT,
    )
    ended = commands.inside("run", "--all", cwd=here.path)
    assert ended.code == 0, ended.said
    fresh = here.path / ".mergebar/sessions/0/leak.jsonl"
    tied = fresh.with_name(f"{fresh.name}.manifest.json").read_text()
    here.commit({
        TRACE: fresh.read_text(), f"{TRACE}.manifest.json": tied, "mergebar.yml": SOURCED,
        ".gitignore": ".mergebar/\n*.log\n",
    })  # fmt: skip
    here.git("tag", "base")
    return here


def test_a_session_that_mergebar_ran_counts_until_something_changes(tmp_path: Path) -> None:
    here = record(tmp_path)

    ended = commands.inside("run", "--all", cwd=here.path)

    assert set(held.checks(ended.report()).values()) == {"pass"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (SKILL, REWRITTEN),
        (PUMP, "exit 1\n"),
        (PUMP, None),
        (".claude/skills/mend/NOTES.md", "New.\n"),
        (TONE, "Curtly.\n"),
        (TONE, None),
        ("shared/more.md", "More.\n"),
    ],
)
def test_whatever_a_session_was_recorded_with_makes_it_stale_for_good(
    tmp_path: Path, path: str, text: str | None
) -> None:
    """Not in the change alone: a later one that touches something else doesn't make it fresh."""
    here = record(tmp_path)
    keep = {} if text is not None or path != TONE else {"shared/kept.md": "x\n"}
    here.commit({path: text, **keep})
    here.git("tag", "--force", "base")
    here.commit({"README.md": "Hello\n"})

    ended = commands.inside("run", "--all", cwd=here.path)

    assert set(held.checks(ended.report()).values()) == {"withheld"}, ended.said
    assert "recorded with the previous text" in ended.said


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (SKILL, held.skill(READS, QUIET.replace("quiet", "still"))),
        (".claude/skills/mend/run.log", "ignored\n"),
        (".claude/skills/mend/__pycache__/x.pyc", "by-product\n"),
        ("README.md", "elsewhere\n"),
    ],
)
def test_what_is_no_part_of_it_leaves_a_session_fresh(tmp_path: Path, path: str, text: str) -> None:
    here = record(tmp_path)
    here.write(path, text)

    ended = commands.inside("run", "--all", cwd=here.path)

    assert set(held.checks(ended.report()).values()) == {"pass"}, ended.said


def test_a_manifest_that_is_edited_by_hand_is_edited_evidence(tmp_path: Path) -> None:
    here = record(tmp_path)
    path = f"{TRACE}.manifest.json"
    edited = (here.path / path).read_text().replace('"body": "', '"body": "0')
    here.commit({path: edited})

    ended = run(here)

    assert [one["path"] for one in ended.report()["comparison"]["edited"]] == [path]
    assert reason(ended) == f"affected: the session `{TRACE}` changed"


def test_check_says_where_a_manifest_is_none(tmp_path: Path) -> None:
    here = start(tmp_path)
    here.write(f"{TRACE}.manifest.json", '{"schema": "mergebar.manifest/2", "artifacts": []}')

    ended = commands.inside("check", cwd=here.path)

    assert ended.code == 2
    assert f"{TRACE}.manifest.json" in ended.said


def moved(tmp_path: Path) -> Repository:
    """A skill with a second file, measured and committed as the baseline, in another folder now."""
    here = start(tmp_path)
    here.commit({f"{FOLDER}/steps/first.md": "Look for the leak.\n", "README.md": "x"})
    written = commands.inside("run", "--all", "--write-baseline", cwd=here.path)
    assert written.code == 0, written.said
    here.commit()
    here.git("tag", "--force", "base")
    here.git("mv", FOLDER, ".claude/skills/repair")
    return here


FOLDER = SKILL.rpartition("/")[0]


def test_a_skill_whose_folder_only_moved_is_the_same_skill_and_runs_nothing(
    tmp_path: Path,
) -> None:
    here = moved(tmp_path)
    here.commit()

    ended = run(here)

    report = ended.report()
    assert (ended.code, report["usage"]["agent_calls"]) == (0, 0)
    assert [(one["carried"], one["stale"]) for one in report["checks"]] == [(True, False)] * 2
    assert reason(ended).startswith("not affected")
    assert report["comparison"]["renamed"] == [
        {"was": SKILL, "now": ".claude/skills/repair/SKILL.md"}
    ]
    assert report["comparison"]["loosened"] == []


@pytest.mark.parametrize("file", ["SKILL.md", "steps/first.md", "steps/second.md"])
def test_one_that_moved_and_was_edited_is_stale(tmp_path: Path, file: str) -> None:
    here = moved(tmp_path)
    path = f".claude/skills/repair/{file}"
    kept = (here.path / path).read_text() if (here.path / path).exists() else ""
    here.commit({path: kept + "And then again.\n"})

    ended = run(here)

    assert ended.code == 3
    assert "recorded with the previous text" in ended.said
