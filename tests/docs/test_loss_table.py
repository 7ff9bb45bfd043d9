"""The page of losses: every test that it names exists, and every algorithm has a loss and an exact resume."""

import re
from pathlib import Path

from verigym.training.recipe import ALGORITHMS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "losses.md").read_text()
TESTS = {
    name
    for folder in ("training", "workspace")
    for file in (ROOT / "tests" / folder).glob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
}


def test_every_test_that_the_page_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert len(named) > 25 and named <= TESTS, named - TESTS


def test_every_algorithm_has_a_loss_and_resumes() -> None:
    losses, resume = PAGE.split("## Exact resume")
    words = {*re.findall(r"\w+", losses.replace("reward model", "reward"))}
    assert [name for name in ALGORITHMS if name not in words] == []
    assert [name for name in ALGORITHMS if f"`{name}`" not in resume] == []
