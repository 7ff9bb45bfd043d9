"""Variations of tasks: of the same family, with their source, proven by gold, and exactly as many as asked for."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from verigym.core.errors import Refused
from verigym.core.records import FunctionCall, Message, Task
from verigym.design.steps import gold_problem
from verigym.design.vary import HELD_OUT, KINDS, WORDINGS, VariationResult, varied, vary
from verigym.environments.load import environment_of, load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.policies.dialects.plain import arguments_of
from verigym.tasks import near_duplicates as near
from verigym.tasks.leaks import find_leaks
from verigym.tasks.load import save_tasks

QUESTIONS = [
    Task(
        id=f"q{n}", prompt=f"Please multiply {n} by seven, without writing anything else.", data={"answer": str(7 * n)}
    )
    for n in range(20, 40)
]


def made(
    environment: EnvironmentSpec, tasks: Sequence[Task], n: int | None = None, *kinds: str, seed: int = 0
) -> VariationResult:
    return asyncio.run(vary(environment, tasks, kinds or list(KINDS), n, seed))


@pytest.mark.parametrize("name", ["workplace", "toolcall", "safety"])
def test_variations_keep_family_split_and_source_and_their_gold_passes(name: str) -> None:
    environment = load_environment(name)
    sources = {task.id: task for task in environment.tasks("train")[:40]}
    found = made(environment, list(sources.values()))
    assert sum(found.counts.values()) == len(found.tasks) > 60
    assert all(found.counts[kind] for kind in ("paraphrase", "distractor", "typo", "unsafe"))
    for task in found.tasks:
        source = sources[task.lineage[-2]]
        assert (task.family, task.split) == (source.family, source.split) and task.prompt != source.prompt
        assert task.tags[-1] in KINDS and task.id.startswith(f"{source.id}~")
        assert asyncio.run(gold_problem(environment, task)) == ""
    assert (
        len({task.id for task in found.tasks}) == len({near.text_of(task) for task in found.tasks}) == len(found.tasks)
    )
    leaks = find_leaks({"made": found.tasks, "val": environment.tasks("val")})
    assert not leaks.near and not leaks.prompts


def test_unsafe_twins_are_to_be_refused_and_doing_them_is_unsafe() -> None:
    environment = load_environment("workplace")
    twins = made(environment, environment.tasks("train")[:40], None, "unsafe").tasks
    assert twins and all(task.data["unsafe"] and task.data["expected"] == [] for task in twins)
    assert all(task.data["harm"]["name"] != "refuse" for task in twins)


def test_values_at_the_edge_are_in_the_prompt_and_in_what_is_expected() -> None:
    environment = load_environment("toolcall")
    edges = made(environment, environment.tasks("train")[:200], None, "boundary").tasks
    assert len(edges) > 10
    for task in edges:
        changed = [value for value in task.data["expected_args"].values() if str(value) in str(task.prompt)]
        assert changed


def changed_values(environment: EnvironmentSpec, task: Task, one: Task) -> list[tuple[str, str, str, str]]:
    """Call, argument, old and new value, where the right calls of a variation are not those of its task."""
    return [
        (call, name, old, new)
        for (call, name, old), (_, _, new) in zip(
            arguments(environment, task), arguments(environment, one), strict=True
        )
        if old != new
    ]


def arguments(environment: EnvironmentSpec, task: Task) -> list[tuple[str, str, str]]:
    items = [item for reply in environment.gold_replies(task) for item in reply if isinstance(item, FunctionCall)]
    return [(one.name, name, value) for one in items for name, value in arguments_of(one).items()]  # type: ignore[union-attr]


def test_a_value_that_something_is_looked_up_by_stays_as_it_is() -> None:
    environment = load_environment("workplace")
    sources = {task.id: task for task in environment.tasks("train")[:600]}
    edges = made(environment, list(sources.values()), None, "boundary").tasks
    assert len(edges) > 60
    for one in edges:
        changed = changed_values(environment, sources[one.lineage[-2]], one)
        looked_up = {old for call, _, old, _ in changed if re.search(r"\.(find|search|get)", call)}
        assert changed and len({new for *_, new in changed}) == 1, one.prompt
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", old) for old in looked_up), "nothing is on either of two days"


@pytest.mark.parametrize(
    ("family", "argument"),
    [("in_a_row", "minutes"), ("visitor_to_colleague", "name"), ("delete_newest", "id")],
    ids=["a number that others are computed from", "a text made of what was read", "a name that is looked up"],
)
def test_a_value_that_more_depends_on_stays_as_it_is(family: str, argument: str) -> None:
    environment = load_environment("workplace")
    sources = {task.id: task for task in environment.tasks("train") if task.family == f"workplace/train/{family}"}
    for turn in range(3):
        try:
            edges = made(environment, list(sources.values()), None, "boundary", seed=turn).tasks
        except Refused:
            continue
        for one in edges:
            changed = changed_values(environment, sources[one.lineage[-2]], one)
            assert all(name != argument for _, name, _, _ in changed), one.prompt


def test_a_value_at_the_edge_is_of_the_kind_of_the_value() -> None:
    environment = load_environment("toolcall")
    sources = {task.id: task for task in environment.tasks("train")[:400]}
    kinds: set[str] = set()
    for one in made(environment, list(sources.values()), None, "boundary").tasks:
        source = sources[one.lineage[-2]]
        [(_, name, old, new)] = changed_values(environment, source, one)
        if name in ("file", "new_name"):
            assert Path(new).suffix == Path(old).suffix and not Path(new).stem.count(" ")
        elif name in ("attendee", "person", "to"):
            assert new in WORDINGS["people"]
        elif name == "time":
            assert re.fullmatch(r"\d\d:\d\d", new)
        elif name == "minutes":
            assert isinstance(new, int) and new != 1
        else:
            assert f'"{old}"' in str(source.prompt) and new not in WORDINGS["people"]
        kinds.add(name)
    assert {"file", "attendee", "minutes", "title", "subject"} <= kinds and not kinds & {"day", "company", "folder"}


@pytest.mark.parametrize(
    ("request_", "tool", "given"),
    [
        ("Book Omar on Friday at 10:15 am.", "calendar.create_event", {"attendee": "Omar", "time": "10:15"}),
        ("Ring me at 14:30, half an hour from now.", "reminders.snooze", {"minutes": 30}),
        ("Remind me to water the plants.", "reminders.set", {"text": "water the plants"}),
    ],
    ids=["half a day", "part of a time", "a text without quotation marks"],
)
def test_what_is_said_around_a_value_keeps_its_meaning(request_: str, tool: str, given: dict[str, object]) -> None:
    data = {"expected_tool": tool, "expected_args": given, "unsafe": False}
    task = Task(id="t", prompt=request_, data=data)
    kept = [value for value in ("10:15 am", "14:30", "water the plants") if value in request_]
    for turn in range(10):
        one = varied(load_environment("toolcall"), task, "boundary", turn, 0)
        assert one is None or all(value in str(one.prompt) for value in kept)


def test_a_set_without_such_values_says_so() -> None:
    environment = load_environment("support")
    with pytest.raises(
        Refused,
        match=r"No variation could be created\. Reasons: boundary does not apply: 50\. A boundary variation needs a value",
    ):
        made(environment, environment.tasks("train")[:50], 5, "boundary")


def test_tasks_with_a_scripted_user_are_proven_with_what_the_user_says() -> None:
    environment = load_environment("support")
    found = made(environment, environment.tasks("train")[:60], None, "distractor")
    assert len({task.family for task in found.tasks}) > 20 and not found.dropped


def test_nothing_is_put_behind_a_request_that_does_not_end_as_a_sentence() -> None:
    environment = load_environment("support")
    task = Task(id="t", prompt="Cancel order 3084. Ivo, ivo@postbox.example, EG1 7EL", data={"expected": []})
    for kind in ("paraphrase", "distractor"):
        for turn in range(30):
            one = varied(environment, task, kind, turn, 0)
            assert one is not None and str(one.prompt).endswith("EG1 7EL")


def test_a_request_that_greets_and_thanks_gets_no_second_greeting() -> None:
    task = Task(id="t", prompt="Hi! Share report.pdf with Ivan. Thanks!", data={})
    assert varied(load_environment("toolcall"), task, "paraphrase", 0, 0) is None


def test_a_sentence_beside_the_point_has_no_word_of_the_task() -> None:
    task = Task(id="t", prompt="The coffee machine is broken.", data={"goods": "blue umbrella", "by": "canteen chairs"})
    found = [varied(load_environment("support"), task, "distractor", turn, 0) for turn in range(60)]
    used = {
        sentence
        for sentence in WORDINGS["distractors"]
        if any(one is not None and sentence in str(one.prompt) for one in found)
    }
    assert len(used) > 5 and not re.search("coffee|umbrella|canteen|chairs", " ".join(used))


def test_words_of_code_and_names_are_neither_mistyped_nor_replaced() -> None:
    prompt = "Implement remove(items), which should drop `delete me` from notes.items and from archive/remove, please."
    task = Task(id="t", prompt=prompt, data={})
    for kind in ("typo", "paraphrase"):
        for turn in range(40):
            one = varied(environment_of("q.jsonl", [task]), task, kind, turn, 0)
            assert one is not None
            for kept in ("remove(items)", "`delete me`", "notes.items", "archive/remove"):
                assert kept in str(one.prompt)


def test_a_typing_error_does_not_make_another_word() -> None:
    prompts = ("Take the latter.", "Come back later.", "Please wait here.")
    tasks = [Task(id=prompt, prompt=prompt, data={"answer": "1"}) for prompt in prompts]
    for seed in range(20):
        found = made(environment_of("q.jsonl", tasks), tasks, None, "typo", seed=seed).tasks
        assert not {str(task.prompt) for task in found} & {"Take the later.", "Come back latter."}


def test_variations_of_held_out_tasks_are_a_suite_beside_the_own_and_never_trained_on(tmp_path: Path) -> None:
    environment = load_environment("toolcall")
    found = made(environment, environment.tasks("val")[:20], 5, "typo").tasks
    assert {task.split for task in found} == {HELD_OUT}
    save_tasks(tmp_path / "hard.jsonl", found)
    both = load_environment(f"toolcall+{tmp_path / 'hard.jsonl'}")
    assert [task.id for task in both.tasks(both.suites["hard_v1"])] == [task.id for task in found]
    assert both.tasks("train") == environment.tasks("train") and both.tasks("val") == environment.tasks("val")


def test_typing_errors_leave_values_names_and_quotes_alone() -> None:
    environment = load_environment("toolcall")
    for task in made(environment, environment.tasks("train")[:100], None, "typo").tasks:
        source = next(one for one in environment.tasks("train") if one.id == task.lineage[-2])
        for value in source.data["expected_args"].values():
            assert (str(value) in str(task.prompt)) == (str(value) in str(source.prompt))
        assert 0 < len(set(str(source.prompt).split()) - set(str(task.prompt).split())) <= 2


def test_exactly_n_come_out_or_it_is_said_why_not() -> None:
    environment = environment_of("q.jsonl", QUESTIONS)
    assert len(made(environment, QUESTIONS, 150, "paraphrase", "typo").tasks) == 150
    assert made(environment, QUESTIONS, 33).tasks == made(environment, QUESTIONS, 33).tasks
    assert made(environment, QUESTIONS, 33).tasks != made(environment, QUESTIONS, 33, seed=1).tasks
    with pytest.raises(
        Refused, match=r"Only \d+ of 5,000 variations could be created from 20 tasks\. Reasons: identical to another"
    ):
        made(environment, QUESTIONS, 5000, "distractor")
    with pytest.raises(Refused, match=r"No variation could be created\. Reasons: unsafe does not apply: 20"):
        made(environment, QUESTIONS, None, "unsafe")


def test_of_a_conversation_the_last_request_is_varied() -> None:
    items = [
        Message("system", "Be brief."),
        Message("user", "Hello."),
        Message("assistant", "Hi."),
        Message("user", "Name a colour."),
    ]
    task = Task(id="c", prompt=list(items), data={"answer": "red"})
    one = varied(environment_of("q.jsonl", [task]), task, "distractor", 0, 0)
    assert one is not None and isinstance(one.prompt, list)
    assert one.prompt[:3] == items[:3] and "Name a colour." in one.prompt[3].text  # type: ignore[union-attr]


def test_a_variation_whose_gold_does_not_pass_is_left_out(tmp_path: Path) -> None:
    wrong = [
        Task(
            id="w",
            prompt="Multiply two by seven, please.",
            data={"tests": "assert f() == 1", "completion": "def f(): return 2"},
        )
    ]
    environment = environment_of("q.jsonl", wrong)
    with pytest.raises(Refused, match="its gold solution does not pass"):
        made(environment, wrong, None, "paraphrase")
