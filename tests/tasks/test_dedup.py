"""Repeats: which go, because of which, and what is no repeat."""

from hypothesis import given, settings
from hypothesis import strategies as st

from verigym.core.records import Message, Task
from verigym.tasks.dedup import DuplicateTask, deduplicate

LONG = "Please book a table for four people at the Italian place on Friday evening"


def task(id: str, prompt: str, **data: object) -> Task:
    return Task(id=id, prompt=prompt, data=data)


def kept(*tasks: Task, **options: object) -> list[str]:
    return [one.id for one in deduplicate(tasks, **options).kept]  # type: ignore[arg-type]


def test_the_first_of_exact_and_near_repeats_stays() -> None:
    found = deduplicate(
        [task("a", LONG, answer="1"), task("b", LONG, answer="1"), task("c", LONG + "!", answer="1"), task("d", "x")]
    )
    assert [one.id for one in found.kept] == ["a", "d"]
    exact, near = found.repeats
    assert exact == DuplicateTask("b", "a", 1.0, True)
    assert (near.task, near.of, near.exact) == ("c", "a", False) and 0.9 < near.likeness < 1
    assert found.conflicts == []


def test_a_near_repeat_with_another_answer_is_another_task() -> None:
    assert kept(task("a", LONG + " at 7", answer="7"), task("b", LONG + " at 8", answer="8")) == ["a", "b"]


def test_the_same_prompt_with_another_answer_is_a_conflict_and_all_of_it_goes() -> None:
    tasks = [task("a", "2+2?", answer="4"), task("b", "2+2?", answer="5"), task("c", "2+3?", answer="5")]
    found = deduplicate(tasks)
    assert ([one.id for one in found.kept], found.conflicts, found.repeats) == (["c"], [["a", "b"]], [])
    assert deduplicate(tasks, keep_conflicts=True).kept == tasks


def test_a_different_call_is_a_conflict_too() -> None:
    tasks = [task("a", "Book it.", expected_tool="book", expected_args={"day": day}) for day in ("Mon", "Tue")]
    assert len(deduplicate(tasks).conflicts) == 1


def test_the_same_prompt_on_another_state_is_another_task() -> None:
    tasks = [task("a", "Cancel it.", state={"id": 1}, answer=1), task("b", "Cancel it.", state={"id": 2}, answer=2)]
    assert deduplicate(tasks).kept == tasks


def test_two_demonstrations_of_one_prompt_are_no_conflict() -> None:
    said = [[{"type": "message", "role": "assistant", "content": text}] for text in (LONG, "Something else entirely")]
    assert kept(task("a", "Hi", completion=said[0]), task("b", "Hi", completion=said[1])) == ["a", "b"]


def test_demonstrations_that_are_nearly_the_same_are_repeats() -> None:
    said = [[{"type": "message", "role": "assistant", "content": text}] for text in (LONG, LONG + ".")]
    assert kept(task("a", "Hi", completion=said[0]), task("b", "Hi", completion=said[1])) == ["a"]


def test_a_completion_of_an_environments_own_kind_is_compared_as_json() -> None:
    assert kept(task("a", LONG, completion={"x": 1}), task("b", LONG + ".", completion={"x": 1})) == ["a"]


def test_the_same_question_under_other_instructions_is_another_task() -> None:
    tasks = [Task(id=rule, prompt=[Message("system", rule), Message("user", LONG)]) for rule in ("short", "long")]
    assert deduplicate(tasks).kept == tasks


def test_keys_that_make_no_difference_can_be_named() -> None:
    tasks = [
        task("a", LONG, answer=1, score=0.1),
        task("b", LONG, answer=1, score=0.2),
        task("c", LONG + ".", answer=1),
    ]
    assert deduplicate(tasks).kept == tasks
    assert kept(*tasks, ignore=["score"]) == ["a"]


def test_a_chain_of_near_repeats_keeps_what_is_not_near_the_first() -> None:
    texts = [LONG[cut:] for cut in range(0, 40, 5)]
    found = deduplicate([task(str(place), text) for place, text in enumerate(texts)])
    assert 1 < len(found.kept) < len(texts)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["x", "y", LONG, LONG + "."]), st.integers(0, 2)), max_size=12))
def test_every_task_is_kept_a_repeat_or_in_conflict_and_once_is_enough(rows: list[tuple[str, int]]) -> None:
    tasks = [task(str(place), prompt, answer=answer) for place, (prompt, answer) in enumerate(rows)]
    found = deduplicate(tasks)
    parts = [one.id for one in found.kept] + [one.task for one in found.repeats]
    parts += [id for group in found.conflicts for id in group]
    assert sorted(parts) == sorted(one.id for one in tasks)
    assert deduplicate(found.kept).kept == found.kept
