"""Discovery on real folders, with real links."""

import os
from pathlib import Path

from mergebar.suites import discovery


def _write(root: Path, *paths: str, text: str = '{"items": []}') -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def test_files_come_sorted_and_relative(tmp_path: Path) -> None:
    _write(tmp_path, "evals/b.json", "evals/a/z.json", "evals/a.json", "other/c.json")

    assert discovery.find(tmp_path, ["evals/**/*.json"]) == (
        "evals/a.json",
        "evals/a/z.json",
        "evals/b.json",
    )


def test_a_pattern_without_a_slash_matches_at_every_depth(tmp_path: Path) -> None:
    _write(tmp_path, "x.json", "deep/er/y.json", "deep/note.txt")

    assert discovery.find(tmp_path, ["*.json"]) == ("deep/er/y.json", "x.json")


def test_a_negated_pattern_takes_files_back(tmp_path: Path) -> None:
    _write(tmp_path, "evals/a.json", "evals/draft/b.json")

    assert discovery.find(tmp_path, ["evals/**", "!evals/draft/"]) == ("evals/a.json",)


def test_a_pattern_may_name_one_file(tmp_path: Path) -> None:
    _write(tmp_path, "evals/a.json", "evals/b.json")

    assert discovery.find(tmp_path, ["evals/a.json"]) == ("evals/a.json",)


def test_overlapping_patterns_find_each_file_once(tmp_path: Path) -> None:
    _write(tmp_path, "evals/a.json", "evals/deep/b.json", "evals-2/c.json")

    found = discovery.find(tmp_path, ["evals/*.json", "evals/deep/*.json", "/evals-2/*.json"])

    assert found == ("evals-2/c.json", "evals/a.json", "evals/deep/b.json")


def test_folders_that_hold_nobodys_suites_are_skipped(tmp_path: Path) -> None:
    skipped = (".git", "node_modules", ".venv", ".mergebar", "sub/node_modules")
    _write(tmp_path, "a.json", *(f"{folder}/a.json" for folder in skipped))

    assert discovery.find(tmp_path, ["**/*.json"]) == ("a.json",)
    assert discovery.find(tmp_path, ["node_modules/a.json"]) == ()


def test_the_output_folder_is_skipped_wherever_it_is(tmp_path: Path) -> None:
    _write(tmp_path, "out/documents/a.json", "outer/a.json")

    assert discovery.find(tmp_path, ["**/*.json"], skip=["out"]) == ("outer/a.json",)


def test_links_out_of_the_root_are_not_followed(tmp_path: Path) -> None:
    _write(tmp_path, "outside/secret.json", "root/evals/a.json")
    root = tmp_path / "root"
    (root / "evals" / "folder").symlink_to(tmp_path / "outside")
    (root / "evals" / "file.json").symlink_to(tmp_path / "outside" / "secret.json")

    assert discovery.find(root, ["evals/**/*.json"]) == ("evals/a.json",)
    assert discovery.find(root, ["evals/folder/secret.json"]) == ()


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    _write(tmp_path, "evals/a.json", "evals/sub/b.json")
    (tmp_path / "evals" / "sub" / "up").symlink_to(tmp_path / "evals")
    (tmp_path / "evals" / "self").symlink_to(tmp_path / "evals" / "self")

    assert discovery.find(tmp_path, ["evals/**/*.json"]) == ("evals/a.json", "evals/sub/b.json")


def test_a_link_inside_the_root_is_followed_once(tmp_path: Path) -> None:
    _write(tmp_path, "shared/a.json")
    (tmp_path / "evals").symlink_to(tmp_path / "shared")

    assert discovery.find(tmp_path, ["evals/*.json"]) == ("evals/a.json",)
    assert discovery.find(tmp_path, ["**/*.json"]) == ("shared/a.json",)


def test_a_root_that_is_itself_a_link_works(tmp_path: Path) -> None:
    _write(tmp_path, "real/evals/a.json")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    assert discovery.find(tmp_path / "link", ["evals/*.json"]) == ("evals/a.json",)


def test_a_root_that_does_not_exist_holds_nothing(tmp_path: Path) -> None:
    assert discovery.find(tmp_path / "nowhere", ["**"]) == ()


def test_an_odd_file_is_not_a_file(tmp_path: Path) -> None:
    _write(tmp_path, "evals/a.json")
    os.mkfifo(tmp_path / "evals" / "pipe.json")

    assert discovery.find(tmp_path, ["evals/*.json"]) == ("evals/a.json",)


def test_a_pattern_that_selects_nothing_is_named_with_its_group(tmp_path: Path) -> None:
    _write(tmp_path, "evals/a.json")

    selection = discovery.select(tmp_path, [["evals/*.json", "evlas/*.json"], ["nothing.json"]])

    assert selection.groups == (("evals/a.json",), ())
    assert selection.unmatched == ((0, "evlas/*.json"), (1, "nothing.json"))


def test_a_pattern_whose_files_are_all_taken_back_selects_nothing(tmp_path: Path) -> None:
    _write(tmp_path, "evals/a.json", "drafts/b.json")

    selection = discovery.select(tmp_path, [["evals/*.json", "drafts/*.json", "!drafts/"]])

    assert selection.unmatched == ((0, "drafts/*.json"),)


def test_a_file_in_two_groups_is_named_with_both(tmp_path: Path) -> None:
    _write(tmp_path, "evals/a.json", "evals/b.json")

    selection = discovery.select(tmp_path, [["evals/*.json"], ["evals/b.json"]])

    assert selection.twice == (("evals/b.json", 0, 1),)


def test_documents_are_told_from_other_json_by_their_start(tmp_path: Path) -> None:
    texts = {
        "current": b'{\n  "schemaVersion": "1.7.0", "items": []}',
        "undeclared": b'{"items": [{"prompt": "Hi"}]}',
        "array": b'[{"prompt" : "Hi"}]',
        "parallel": b'\xef\xbb\xbf{"prompts": ["Hi"]}',
        "broken": b'{"items": [{"prompt": "Hi"',
        "utf-16": '{"schemaVersion": "1.7.0", "items": []}'.encode("utf-16"),
        "empty": b" \n",
        "package": b'{"name": "x", "dependencies": {"prompt": "^1.0.0"}}',
        "schema": b'{"type": "array", "items": {"type": "string"}}',
        "metaschema": b'{"$schema": "https://json-schema.org/draft/2020-12/schema", '
        b'"required": ["schemaVersion"], "properties": {"prompt": {}, "items": {}}}',
        "results": b'{"individual_results": [{"prompt": "Hi"}]}',
        "numbers": b"[1, 2]",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)

    looks = {name for name in texts if discovery.looks_like_document(tmp_path / name)}

    assert looks == {
        "current",
        "undeclared",
        "array",
        "parallel",
        "broken",
        "utf-16",
        "empty",
    }
