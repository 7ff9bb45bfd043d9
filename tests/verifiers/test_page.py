"""The page about verifiers is true: its examples run, and every verifier and setting is on it."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.verifiers.builders import episode, task
from verigym.verifiers.answers import Where
from verigym.verifiers.choice import Choice
from verigym.verifiers.code import Code
from verigym.verifiers.combine import Combine, Shortest
from verigym.verifiers.judge import Judge, PairwiseJudge
from verigym.verifiers.lift import lift, lift_group
from verigym.verifiers.match import Regex
from verigym.verifiers.numeric import Numeric
from verigym.verifiers.schema import JsonSchema
from verigym.verifiers.state import StateDiff

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "verifiers.md").read_text()


def test_every_example_makes_a_verifier() -> None:
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        names.pop("verify", None)
        exec(block, names)
        for verify in [names["verify"]] if "verify" in names else names.get("verifiers", {}).values():
            assert "@" in lift("it", verify).name
    assert "@" in lift_group("it", names["verify_group"]).name
    assert names["verify_group"](task(), [episode("a"), episode("aaa")]) == [0.75, 0.25]


@pytest.mark.parametrize(
    "kind",
    [Numeric, Choice, Regex, JsonSchema, StateDiff, Code, Judge, PairwiseJudge, Combine, Shortest],
    ids=lambda kind: kind.__name__,
)
def test_every_verifier_is_on_the_page_and_documents_its_settings(kind: type[msgspec.Struct]) -> None:
    assert f"{kind.__name__}(" in PAGE
    source = Path(str(__import__(kind.__module__, fromlist=["x"]).__file__)).read_text()
    assert kind.__doc__ or re.search(rf'class {kind.__name__}\(.*?\):\n    \w+.*\n    """', source)


def test_every_place_of_an_answer_is_on_the_page() -> None:
    assert all(f"| `{where}` |" in PAGE for where in Where.__args__)
