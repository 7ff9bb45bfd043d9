"""A bare file's tasks are judged by what their own data asks for."""

import asyncio
from typing import Any

import pytest

from verigym.core.protocols import Context
from verigym.core.records import Message, Task, Trajectory, Verdict
from verigym.sandbox.open import LazySandbox
from verigym.verifiers.by_data import by_data
from verigym.verifiers.lift import lift


def verdict(data: dict[str, Any], reply: str) -> Verdict:
    task = Task(id="t", prompt="p", data=data)
    one = Trajectory(id="r/t/0", task="t", group="r/t", items=[Message("assistant", reply)])
    [found] = asyncio.run(lift("by_data", by_data).verify(task, [one], Context(sandbox=LazySandbox())))
    return found


@pytest.mark.parametrize(
    ("data", "right", "wrong"),
    [
        ({"answer": "42"}, "42", "43"),
        ({"answer": "B", "choices": ["red", "blue"]}, "The answer is B.", "The answer is A."),
        ({"pattern": r"order #\d+"}, "See order #12.", "See my order."),
        ({"schema": {"type": "object", "required": ["name"]}}, '{"name": 1}', "{}"),
        ({"tests": "assert add(1, 2) == 3"}, "```python\ndef add(a, b): return a + b\n```", "def add(a, b): return 0"),
    ],
    ids=["answer", "choices", "pattern", "schema", "tests"],
)
def test_the_key_in_the_data_says_how(data: dict[str, Any], right: str, wrong: str) -> None:
    assert verdict(data, right).passed
    found = verdict(data, wrong)
    assert found.reward is not None and not found.passed


def test_a_task_that_says_nothing_has_no_verdict() -> None:
    found = verdict({"completion": []}, "hello")
    assert found.reward is None and found.error is not None and "data has no key to score" in found.error.message
