"""What `.github/` holds: who may write what, what is pinned to what, and forms that GitHub accepts."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import ROOT

GITHUB = ROOT / ".github"
WORKFLOWS = {
    path.name: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((GITHUB / "workflows").glob("*.yml"))
}
FORMS = sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml"))
SCHEMAS = {
    GITHUB / "dependabot.yml": "vendor.dependabot",
    **{
        path: f"vendor.github-issue-{'config' if path.stem == 'config' else 'forms'}"
        for path in FORMS
    },
}

WRITERS = {
    ("dogfood.yml", "passes"): {"checks", "pull-requests"},
    ("dogfood-publish.yml", "publish"): {"pull-requests"},
    ("release.yml", "attest"): {"attestations", "id-token"},
    ("release.yml", "image"): {"packages"},
    ("release.yml", "index"): {"attestations", "id-token", "packages"},
    ("release.yml", "publish"): {"id-token"},
    ("release.yml", "tag"): {"contents"},
}
"""Every job that may write anything, and what."""

PINS = {
    "actions/checkout": ("de0fac2e4500dabe0009e67214ff5f5447ce83dd", "v6.0.2"),
    "actions/setup-python": ("a309ff8b426b58ec0e2a45f0f869d46889d02405", "v6.2.0"),
    "actions/upload-artifact": ("043fb46d1a93c77aae656e7c1c64a875d1fc6a0a", "v7.0.1"),
    "actions/download-artifact": ("3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c", "v8.0.1"),
    "actions/attest": ("59d89421af93a897026c735860bf21b6eb4f7b26", "v4.1.0"),
    "anchore/sbom-action": ("17ae1740179002c89186b61233e0f892c3118b11", "v0.23.0"),
    "pypa/gh-action-pypi-publish": ("cef221092ed1bacb1cc03d23a2d87d1d172e277b", "v1.14.0"),
}
"""Each was seen as this commit and version in several public workflows. Whether the tag still leads
to the commit only GitHub knows: `zizmor` without `--offline` asks it."""


def jobs() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for file, workflow in WORKFLOWS.items():
        for name, job in workflow["jobs"].items():
            yield file, name, job


def steps() -> Iterator[dict[str, Any]]:
    for _, _, job in jobs():
        yield from job["steps"]


def test_no_job_may_write_more_than_the_table_says() -> None:
    found = {
        (file, name): {scope for scope, level in job["permissions"].items() if level == "write"}
        for file, name, job in jobs()
    }

    assert {key: scopes for key, scopes in found.items() if scopes} == WRITERS


def test_each_action_is_the_same_everywhere() -> None:
    used = {
        match.groups()
        for file in (GITHUB / "workflows").glob("*.yml")
        for match in re.finditer(
            r"uses: ([\w./-]+)@([0-9a-f]{40}) # (v[\d.]+)$", file.read_text(), re.MULTILINE
        )
    }

    assert used == {(name, *pin) for name, pin in PINS.items()}


def test_nothing_that_a_stranger_may_name_reaches_a_shell_but_through_a_variable() -> None:
    scripts = [step["run"] for step in steps() if "run" in step]

    assert len(scripts) >= 15
    assert [script for script in scripts if "${{" in script] == []


def test_no_secret_is_given_to_a_workflow_that_anybody_can_start() -> None:
    for file in GITHUB.rglob("*.yml"):
        assert "secrets." not in file.read_text(encoding="utf-8"), file


def test_what_can_not_be_taken_back_waits_for_a_person_and_for_all_else() -> None:
    release = WORKFLOWS["release.yml"]["jobs"]

    def before(name: str) -> set[str]:
        needs = release[name].get("needs", [])
        direct = {needs} if isinstance(needs, str) else {*needs}
        return direct | {earlier for one in direct for earlier in before(one)}

    waiting = {name for name, job in release.items() if job.get("environment") == "release"}
    assert waiting == {"publish", "tag"}
    assert before("publish") == {"prepare", "package", "attest", "image", "sbom", "index"}
    assert before("tag") == {*release} - {"tag"}


def test_who_signs_a_package_or_publishes_it_runs_nothing_of_it() -> None:
    """Neither the checkout nor a package is there; what was built comes with its digests."""
    for name in ("attest", "publish"):
        steps = WORKFLOWS["release.yml"]["jobs"][name]["steps"]
        used = [step["uses"].partition("@")[0] for step in steps if "uses" in step]
        assert used[0] == "actions/download-artifact"
        assert used[1:] == ["actions/attest" if name == "attest" else "pypa/gh-action-pypi-publish"]
        [check] = [step for step in steps if "run" in step]
        assert steps.index(check) == 1
        assert "sha256sum --check --strict" in check["run"]
        assert check["env"] == {"DIGESTS": "${{ needs.package.outputs.digests }}"}


def test_no_job_that_may_sign_runs_what_others_wrote() -> None:
    used = {
        step["uses"].partition("@")[0]
        for _, _, job in jobs()
        if job["permissions"].get("id-token") == "write"
        for step in job["steps"]
        if "uses" in step
    }
    # The last one is how the package index is to be spoken to.
    assert {one for one in used if not one.startswith("actions/")} == {
        "pypa/gh-action-pypi-publish"
    }
    signing = [
        (name, str(step.get("run")))
        for _, name, job in jobs()
        if job["permissions"].get("id-token") == "write"
        for step in job["steps"]
    ]

    assert len(signing) > 10
    words = ("package.sh", "pip ", "make ", "npm ", "docker build ", "docker run ", "image.sh")
    assert [name for name, run in signing if any(word in run for word in words)] == []


INSTALLING = [
    *(GITHUB / "scripts").iterdir(),
    *(GITHUB / "workflows").glob("*.yml"),
    ROOT / "Makefile",
    ROOT / "Dockerfile",
]


def test_every_package_is_installed_by_its_hash() -> None:
    """Or is what was just built, without anything that it asks for."""
    commands = [
        command
        for file in INSTALLING
        for command in file.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
        if re.search(r"\bpip install\b", command) and not command.lstrip().startswith("#")
    ]

    assert len(commands) >= 8
    assert [
        one for one in commands if "--require-hashes" not in one and "--no-deps" not in one
    ] == []


def test_one_job_of_ci_stands_for_all() -> None:
    ci = WORKFLOWS["ci.yml"]["jobs"]

    assert {*ci["ci"]["needs"]} == {*ci} - {"ci"}
    assert ci["ci"]["if"] == "always()"


def test_every_python_that_is_promised_is_tested() -> None:
    promised = re.findall(r"Python :: (3\.\d+)\"", (ROOT / "pyproject.toml").read_text())

    assert WORKFLOWS["ci.yml"]["jobs"]["test"]["strategy"]["matrix"]["python"] == promised


@pytest.mark.parametrize("file", SCHEMAS, ids=lambda path: path.name)
def test_github_would_accept_the_form(file: Path) -> None:
    argv = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", SCHEMAS[file], str(file))
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_everything_that_is_pinned_is_moved_on() -> None:
    updates = yaml.safe_load((GITHUB / "dependabot.yml").read_text(encoding="utf-8"))["updates"]

    where = {one["package-ecosystem"]: one["directory"] for one in updates}
    assert where == {"github-actions": "/", "pip": "/requirements", "docker": "/"}
    assert (ROOT / "Dockerfile").is_file()
    assert list((ROOT / "requirements").glob("*.txt"))


def test_the_marketplace_has_what_it_shows() -> None:
    """Which icons and colours there are, GitHub's schema of action.yml knows; it is held elsewhere."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))

    assert {"icon", "color"} == {*action["branding"]}
    assert 0 < len(action["description"]) <= 125
    assert action["name"] == action["author"].split()[1] == "mergebar"
    assert all(one["description"] for one in (action["inputs"] | action["outputs"]).values())


def test_lint_looks_at_everything_that_github_reads() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\nlint:")[2].partition("\n\n")[0]

    assert {schema for schema in SCHEMAS.values() if schema not in recipe} == set()
    assert "zizmor --offline" in recipe
    assert "test_github_reads.py" in recipe
