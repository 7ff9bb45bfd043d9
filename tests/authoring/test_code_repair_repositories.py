"""The repositories of code_repair are complete and correct before a bug is put into them."""

import os
import subprocess
import sys

from authoring.code_repair.repositories import FOLDER, NAMES, REPOSITORIES


def test_every_folder_is_a_repository_of_its_split() -> None:
    for split, names in NAMES.items():
        assert {path.name for path in (FOLDER / split).iterdir()} == set(names)


def test_every_module_and_every_test_file_of_a_folder_is_read() -> None:
    for split, repositories in REPOSITORIES.items():
        for repository in repositories:
            folder = FOLDER / split / repository.name
            modules = {path.stem for path in (folder / repository.name).glob("*.py")} - {"__init__"}
            assert modules == set(repository.modules)
            assert {f"tests/{path.name}" for path in (folder / "tests").glob("*.py")} == set(repository.tests)


def test_the_visible_tests_of_every_repository_pass() -> None:
    folders = [str(FOLDER / split / name) for split, names in NAMES.items() for name in names]
    options = ["-q", "--noconftest", "-p", "no:cacheprovider", "--import-mode=importlib", "-c", os.devnull]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", str(FOLDER), str(FOLDER)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    num_tests = sum(len(tests) for both in REPOSITORIES.values() for one in both for tests in one.shown.values())
    assert run.returncode == 0, run.stdout
    assert f"{num_tests} passed" in run.stdout


def test_the_text_that_a_bug_replaces_occurs_once() -> None:
    for repositories in REPOSITORIES.values():
        for repository in repositories:
            files = repository.files()
            assert [bug.name for bug in repository.bugs if files[bug.path].count(bug.right) != 1] == []
