import msgspec
import pytest

from tests.evaluation.builders import report
from verigym.core.errors import Refused
from verigym.core.records import Report, Task, Trajectory, Verdict
from verigym.evaluation.report import breakdown, make_report
from verigym.evaluation.stats import clustered_mean
from verigym.evaluation.suites import make_suite


def _tagged(of: Report, tags: dict[int, list[str]]) -> Report:
    results = [msgspec.structs.replace(one, tags=tags.get(i, [])) for i, one in enumerate(of.results)]
    return msgspec.structs.replace(of, results=results)


def test_families_are_sorted_worst_first():
    worst, best = breakdown(report("agent", [1, 0, 1, 0, 1, 1], num_families=2), "family")
    assert (worst.name, worst.tasks, worst.families, worst.success.value) == ("f1", 3, 1, pytest.approx(1 / 3))
    assert worst.success == clustered_mean([0, 0, 1], range(3), rate=True)
    assert best.success.value == 1 and best.success.low < 1, "no width of zero"
    assert worst.reward == pytest.approx(1 / 3)


def test_a_task_is_in_the_slice_of_each_tag_but_not_of_difficulty():
    of = _tagged(report("agent", [1, 0, 1, 0]), {0: ["a", "difficulty:easy"], 1: ["a", "b"], 2: ["difficulty:hard"]})
    assert {one.name: (one.tasks, one.success.value) for one in breakdown(of, "tag")} == {
        "a": (2, 0.5),
        "b": (1, 0),
        "(none)": (2, 0.5),
    }
    assert [(one.name, one.success.value) for one in breakdown(of, "difficulty")] == [
        ("(none)", 0),
        ("easy", 1),
        ("hard", 1),
    ]


def test_a_slice_of_several_families_is_clustered_by_them():
    of = _tagged(report("agent", [1, 0, 1, 1], num_families=2), {i: ["a"] for i in range(4)})
    (one,) = breakdown(of, "tag")
    assert one.success == clustered_mean([1, 0, 1, 1], [0, 1, 0, 1], rate=True)


def test_tasks_that_could_not_be_scored_are_in_no_slice():
    of = report("agent", [1, 0])
    results = [of.results[0], msgspec.structs.replace(of.results[1], error=True)]
    assert [one.name for one in breakdown(msgspec.structs.replace(of, results=results), "family")] == ["f0"]


@pytest.mark.parametrize(("by", "words"), [("tag", "has a tag"), ("difficulty", "Set it: Task")])
def test_what_no_task_says_is_refused_in_words(by: str, words: str):
    with pytest.raises(Refused, match=words):
        breakdown(report("agent", [1, 0]), by)


def test_the_difficulty_of_a_task_is_a_slice_of_its_report():
    tasks = [Task(id=f"t{i}", prompt="?", split="val", difficulty="hard" if i else "") for i in range(3)]
    episodes = [Trajectory(id=task.id, task=task.id, group=task.id) for task in tasks]
    verdicts = [Verdict(trajectory=task.id, reward=1.0, passed=True) for task in tasks]
    suite = make_suite("s", "e", tasks, "v@1")
    made = make_report("run", "agent", suite, tasks, episodes, verdicts, 0)
    assert [(one.name, one.tasks) for one in breakdown(made, "difficulty")] == [("(none)", 1), ("hard", 2)]
