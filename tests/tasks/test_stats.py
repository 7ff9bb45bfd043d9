"""A set of tasks, counted."""

from verigym.core.records import Message, Task
from verigym.tasks.load import tasks_hash
from verigym.tasks.split import describe


def test_a_set_is_counted() -> None:
    tasks = [
        Task(id="a", prompt="x" * 10, data={"answer": 1}, family="f", tags=["t", "u"]),
        Task(id="b", prompt="x" * 10, data={"answer": 1}, family="f", tags=["u"]),
        Task(id="c", prompt="x" * 10, data={"answer": 2}, split="val"),
        Task(id="d", prompt=[Message("user", "Hi")], data={"completion": []}, family="d"),
    ]
    found = describe(tasks)
    assert (found.tasks, found.families, found.own_families) == (4, 3, 2)
    assert found.shapes == {"answer": 3, "demonstration": 1}
    assert list(found.tags.items()) == [("u", 2), ("t", 1)]
    assert (found.repeated, found.repeated_prompts) == (1, 2)
    assert [(side.split, side.tasks) for side in found.splits] == [("train", 3), ("val", 1)]
    assert found.hash == tasks_hash(tasks)


def test_lengths_are_quantiles_of_prompts() -> None:
    found = describe([Task(id=str(n), prompt="x" * n) for n in range(1, 101)])
    assert found.prompt_letters == {"p50": 50, "p95": 95, "max": 100}
    items = [Message("system", "Be kind."), Message("user", "xy")]
    assert describe([Task(id="a", prompt=list(items))]).prompt_letters == {"p50": 2, "p95": 2, "max": 2}
