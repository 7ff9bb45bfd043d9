"""The README and every tutorial are followed to the letter in an empty folder: files, commands, and what they print."""

import difflib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.docs.follow import Command, File, agrees, follow, steps
from verigym.sandbox.open import why_not_isolated

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
PRINTED = {"quickstart.md", "tour.md"}
"""Pages that show what a long run printed once: nothing to follow."""
FOLLOWED = [README, *(page for page in sorted((ROOT / "docs" / "tutorials").glob("*.md")) if page.name not in PRINTED)]


BOXED = {"faster_code.md"}
"""Pages whose commands run code of a model, and so need an isolated sandbox."""


def differences(page: Path, folder: Path, *, slow: bool) -> str:
    """Empty where every command prints what the page shows."""
    if page.name in BOXED and why_not_isolated():
        return ""
    return "".join(
        f"$ {command.typed}\n"
        + "\n".join(
            difflib.unified_diff(command.expected.splitlines(), printed.splitlines(), "page", "now", "", "", 1, "")
        )
        + "\n"
        for command, printed in follow(page.read_text(), folder, slow=slow)
        if not agrees(command.expected, printed, numbers=not command.slow)
    )


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Path, Future[str]]]:
    """All pages, two at a time: they wait for servers more than they compute."""
    with ThreadPoolExecutor(2) as pool:
        yield {
            page: pool.submit(differences, page, tmp_path_factory.mktemp(page.stem), slow=False) for page in FOLLOWED
        }


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.stem)
def test_a_page_works_as_it_is_written(page: Path, followed: dict[Path, Future[str]]) -> None:
    if found := followed[page].result():
        pytest.fail(found, pytrace=False)


@pytest.mark.slow
@pytest.mark.timeout(1000)
@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.stem)
def test_a_page_works_with_the_embedded_model(page: Path, tmp_path: Path) -> None:
    if found := differences(page, tmp_path, slow=True):
        pytest.fail(found, pytrace=False)


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.stem)
def test_a_file_of_a_page_can_be_read_at_one_sitting(page: Path) -> None:
    for step in steps(page.read_text()):
        if isinstance(step, File):
            assert len(step.text.splitlines()) <= 72, step.name


def test_the_readmes_environment_has_thirty_lines_of_code() -> None:
    file = next(step for step in steps(README.read_text()) if isinstance(step, File))
    assert len([line for line in file.text.splitlines() if line.strip()]) <= 30


def test_what_differs_from_the_page_is_noticed(tmp_path: Path) -> None:
    page = "```text a.txt\n1\n```\n\n```console\n$ cat a.txt; echo two\n1\ntwo\n$ cat none\ncat: …\n```\n"
    followed = follow(page, tmp_path, slow=False)
    assert [agrees(command.expected, printed) for command, printed in followed] == [True, True]
    wrong = follow(page.replace("\ntwo\n$", "\nthree\n$"), tmp_path, slow=False)
    assert [agrees(command.expected, printed) for command, printed in wrong] == [False, True]


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ("took … s\n", "took 0.3 s\n", True),
        ("took … s\n", "took 0.3 s\nand more\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\nd\n", "a\nb\nc\n", False),
        ("a.b\n", "axb\n", False),
        ("", "", True),
        ("", "error\n", False),
    ],
)
def test_only_what_the_page_leaves_open_may_differ(expected: str, printed: str, same: bool) -> None:
    assert agrees(expected, printed) is same


def test_where_a_model_speaks_its_words_count_and_its_figures_do_not() -> None:
    assert agrees("success   8.3%   1.8% to 31.0%\n", "success  12.5%  10.0% to 31.0%\n", numbers=False)
    assert not agrees("success   8.3%\n", "reward   8.3%\n", numbers=False)


def test_slow_commands_are_left_to_the_slow_tests() -> None:
    page = "```console\n$ true\n```\n\n```console slow\n$ false\n```\n"
    assert [step.slow for step in steps(page) if isinstance(step, Command)] == [False, True]


def test_code_that_names_no_file_is_refused() -> None:
    with pytest.raises(AssertionError, match="names no file"):
        steps("```python\nprint()\n```\n")
