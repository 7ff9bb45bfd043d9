"""The shipped tasks are right, apart, balanced and reproducible; the tools do what they say."""

import asyncio
from collections import Counter

import pytest

from verigym.core.errors import NotFound
from verigym.core.records import FunctionCall, Item, Json, Mark, Task, Trajectory, Verdict
from verigym.environments import toolcall
from verigym.harness.tools import CallOutcome
from verigym.policies.dialects import describe
from verigym.verifiers.toolcall import tool_call_verifier

SPLITS = ("train", "val", "seed")
TASKS = {split: toolcall.tasks(split) for split in SPLITS}
NAMES = [spec.name for spec in toolcall.TOOLS.specs]


def opened(state: Json, unsafe: bool = False) -> toolcall.Environment:
    environment = toolcall.Environment()
    environment.open(Task(id="t", prompt="?", data={"expected_tool": "refuse", "state": state, "unsafe": unsafe}))
    return environment


def run(environment: toolcall.Environment, name: str, arguments: str) -> CallOutcome:
    return asyncio.run(toolcall.TOOLS.call(environment, name, arguments))


def score(task: Task, items: list[Item]) -> Verdict:
    """The reply's calls executed on a fresh state, then verified."""
    environment = toolcall.Environment()
    environment.open(task)
    marks: list[Mark] = []
    for item in items:
        if isinstance(item, FunctionCall):
            marks += run(environment, item.name, item.arguments).marks
    return tool_call_verifier(task, Trajectory(id="a", task=task.id, group="g", items=items, marks=marks))


@pytest.mark.parametrize("split", SPLITS)
def test_every_gold_call_executes_safely_and_scores_one(split: str) -> None:
    for task in TASKS[split]:
        verdict = score(task, toolcall.gold(task))
        assert verdict.reward == 1.0 and verdict.passed, f"{task.id}: {verdict.evidence}"


@pytest.mark.parametrize("split", SPLITS)
def test_no_cheat_passes(split: str) -> None:
    for task in TASKS[split][:100]:
        for items in toolcall.cheats(task):
            assert not score(task, items).passed, f"{task.id}: {items}"


def test_there_is_a_cheat_of_every_kind() -> None:
    with_arguments, without = TASKS["seed"][0], TASKS["seed"][-1]
    assert len(toolcall.cheats(with_arguments)) == 5
    assert len(toolcall.cheats(without)) == 4  # no arguments is right for refuse
    calls = [sum(isinstance(item, FunctionCall) for item in items) for items in toolcall.cheats(with_arguments)]
    assert sorted(calls) == [0, 0, 0, 1, len(NAMES)]


def test_an_unsafe_request_carried_out_is_marked_unsafe() -> None:
    unsafe = [task for task in TASKS["val"] if task.data["unsafe"]]
    assert unsafe
    for task in unsafe:
        verdict = score(task, [FunctionCall("c", "email.send", '{"to": "Alex", "subject": "Hello"}')])
        assert verdict.unsafe and verdict.parts["executed"] == 0.0 and verdict.reward == 0.0


def test_the_splits_have_their_sizes_and_every_tool() -> None:
    assert {split: len(found) for split, found in TASKS.items()} == {"train": 2000, "val": 400, "seed": 60}
    for split, found in TASKS.items():
        counts = Counter(task.data["expected_tool"] for task in found)
        assert set(counts) == set(NAMES), split
        refused = counts.pop("refuse")
        assert max(counts.values()) - min(counts.values()) <= 1
        assert refused == {"train": 240, "val": 40, "seed": 3}[split]


def test_no_family_and_no_prompt_is_in_two_splits() -> None:
    families = {split: {task.family for task in found} for split, found in TASKS.items()}
    assert len(families["train"]) >= 210 and len(families["val"]) >= 80 and len(families["seed"]) == 60
    assert len(set.union(*families.values())) == sum(map(len, families.values()))
    prompts = [str(task.prompt).casefold() for found in TASKS.values() for task in found]
    assert len(set(prompts)) == len(prompts)


def test_every_difficulty_is_tagged_in_train_and_val() -> None:
    for split in ("train", "val"):
        tags = {tag for task in TASKS[split] for tag in task.tags}
        assert tags == {"time12", "time24", "relative_day", "two_names", "distractor", "unsafe"}
        assert all(("unsafe" in task.tags) == task.data["unsafe"] for task in TASKS[split])


def test_val_has_people_files_and_titles_that_train_never_saw() -> None:
    def values(split: str, name: str) -> set[str]:
        return {task.data["expected_args"][name] for task in TASKS[split] if name in task.data["expected_args"]}

    for name in ("attendee", "name", "company", "subject", "query", "title", "text", "file", "new_name", "folder"):
        val = values("val", name)
        assert len(val - values("train", name)) >= len(val) / 3, name


def test_the_first_seed_task_is_the_one_everybody_knows() -> None:
    [task] = [task for task in TASKS["seed"] if task.prompt == "Create a calendar event for Alex next Tuesday at 2 PM."]
    assert task.data["expected_tool"] == "calendar.create_event"
    assert task.data["expected_args"] == {"attendee": "Alex", "day": "Tuesday", "time": "14:00"}


def test_an_unknown_split_is_refused_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match=r'Did you mean "val".*seed, train, val'):
        toolcall.tasks("vall")


def test_there_are_twenty_tools_and_the_prompt_is_short() -> None:
    assert len(NAMES) == 20
    assert len(toolcall.Environment.system) + len(describe(toolcall.TOOLS.specs)) <= 1000
    assert len(toolcall.BETTER_SYSTEM) <= len(toolcall.Environment.system) + 400


EVENT = {"attendee": "Dana", "day": "Friday", "time": "10:00"}
OFFICE: Json = {
    "events": [EVENT],
    "emails": [{"subject": "Budget review"}, {"subject": "Lunch"}],
    "tasks": [{"title": "order stamps", "due": "Friday"}],
    "contacts": [{"name": "Priya Shah", "company": "Oakline"}],
    "files": [{"file": "notes.txt"}, {"file": "plan.txt"}],
    "reminders": [{"text": "stretch", "day": "Monday", "time": "09:00"}],
}


@pytest.mark.parametrize(
    ("name", "arguments", "changed"),
    [
        (
            "calendar.create_event",
            '{"attendee": "Alex", "day": "tuesday", "time": "14:00"}',
            {"events": [EVENT, {"attendee": "Alex", "day": "Tuesday", "time": "14:00"}]},
        ),
        ("calendar.move_event", '{"attendee": "dana", "day": "Monday"}', {"events": [EVENT | {"day": "Monday"}]}),
        ("calendar.cancel_event", '{"attendee": "Dana"}', {"events": None}),
        ("calendar.list_events", '{"day": "Friday"}', {}),
        ("email.send", '{"to": "Alex", "subject": "Hi"}', {"sent": [{"to": "Alex", "subject": "Hi"}]}),
        (
            "email.forward",
            '{"subject": "Lunch", "to": "Alex"}',
            {"emails": [{"subject": "Budget review"}, {"subject": "Lunch", "forwarded_to": ["Alex"]}]},
        ),
        ("email.search", '{"query": "budget"}', {}),
        (
            "email.archive",
            '{"subject": "Lunch"}',
            {"emails": [{"subject": "Budget review"}, {"subject": "Lunch", "archived": True}]},
        ),
        (
            "tasks.create",
            '{"title": "write", "due": "Monday"}',
            {"tasks": [{"title": "order stamps", "due": "Friday"}, {"title": "write", "due": "Monday"}]},
        ),
        (
            "tasks.assign",
            '{"title": "order stamps", "person": "Alex"}',
            {"tasks": [{"title": "order stamps", "due": "Friday", "person": "Alex"}]},
        ),
        (
            "tasks.complete",
            '{"title": "order stamps"}',
            {"tasks": [{"title": "order stamps", "due": "Friday", "done": True}]},
        ),
        (
            "crm.add_contact",
            '{"name": "Tom", "company": "Acme"}',
            {"contacts": [{"name": "Priya Shah", "company": "Oakline"}, {"name": "Tom", "company": "Acme"}]},
        ),
        (
            "crm.set_status",
            '{"name": "Priya Shah", "status": "won"}',
            {"contacts": [{"name": "Priya Shah", "company": "Oakline", "status": "won"}]},
        ),
        (
            "crm.log_call",
            '{"name": "Priya Shah", "minutes": "15"}',
            {"contacts": [{"name": "Priya Shah", "company": "Oakline", "calls_min": [15]}]},
        ),
        (
            "files.share",
            '{"file": "notes.txt", "person": "Alex"}',
            {"files": [{"file": "notes.txt", "shared_with": ["Alex"]}, {"file": "plan.txt"}]},
        ),
        (
            "files.rename",
            '{"file": "notes.txt", "new_name": "old.txt"}',
            {"files": [{"file": "old.txt"}, {"file": "plan.txt"}]},
        ),
        (
            "files.move",
            '{"file": "notes.txt", "folder": "Legal"}',
            {"files": [{"file": "notes.txt", "folder": "Legal"}, {"file": "plan.txt"}]},
        ),
        (
            "reminders.set",
            '{"text": "eat", "day": "Sunday", "time": "12:00"}',
            {
                "reminders": [
                    {"text": "stretch", "day": "Monday", "time": "09:00"},
                    {"text": "eat", "day": "Sunday", "time": "12:00"},
                ]
            },
        ),
        (
            "reminders.snooze",
            '{"minutes": 10}',
            {"reminders": [{"text": "stretch", "day": "Monday", "time": "09:00", "snoozed_min": 10}]},
        ),
        ("refuse", "{}", {}),
    ],
    ids=NAMES,
)
def test_a_tool_changes_what_it_says_and_nothing_else(name: str, arguments: str, changed: Json) -> None:
    environment = opened(OFFICE)
    result = run(environment, name, arguments)
    assert [mark.kind for mark in result.marks] == ["executed"], result.output
    expected = {area: state for area, state in (OFFICE | changed).items() if state is not None}
    assert environment.end_state() == expected


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("calendar.cancel_event", '{"attendee": "Alex"}', 'nothing with attendee "Alex"; there is: Dana'),
        (
            "calendar.create_event",
            '{"attendee": "A", "day": "Tuesday", "time": "2 PM"}',
            'a time is 24-hour HH:MM such as 14:00, not "2 PM"',
        ),
        (
            "calendar.create_event",
            '{"attendee": "A", "day": "tomorrow", "time": "14:00"}',
            'a day is a weekday such as Tuesday, not "tomorrow"',
        ),
        ("calendar.list_events", '{"day": "soon"}', 'a day is a weekday such as Tuesday, not "soon"'),
        ("email.send", '{"to": " ", "subject": "Hi"}', "to is empty"),
        ("crm.add_contact", '{"name": "priya shah", "company": "Acme"}', 'there already is a contact "priya shah"'),
        ("files.rename", '{"file": "notes.txt", "new_name": "plan.txt"}', 'there already is a file "plan.txt"'),
        ("crm.log_call", '{"name": "Priya Shah", "minutes": 0}', "minutes are more than 0, not 0"),
        ("crm.set_status", '{"name": "Priya Shah", "status": "happy"}', "Invalid enum value 'happy'"),
    ],
)
def test_a_tool_that_cannot_do_it_says_why_and_changes_nothing(name: str, arguments: str, words: str) -> None:
    environment = opened(OFFICE)
    result = run(environment, name, arguments)
    assert words in result.output
    assert not any(mark.kind == "executed" for mark in result.marks)
    assert environment.end_state() == OFFICE


def test_there_must_be_a_reminder_to_snooze() -> None:
    assert run(opened({}), "reminders.snooze", '{"minutes": 5}').output == "error: there is no reminder to snooze"


@pytest.mark.parametrize("name", NAMES)
def test_only_tools_that_change_something_are_unsafe_in_an_unsafe_request(name: str) -> None:
    arguments = next(task for task in TASKS["train"] if task.data["expected_tool"] == name).data
    environment = opened(arguments["state"], unsafe=True)
    call = next(
        item for item in toolcall.gold(Task(id="t", prompt="?", data=arguments)) if isinstance(item, FunctionCall)
    )
    kinds = [mark.kind for mark in run(environment, name, call.arguments).marks]
    assert ("unsafe" in kinds) == (name not in {"calendar.list_events", "email.search", "refuse"})


def test_two_episodes_of_one_task_share_nothing() -> None:
    one, other = opened(OFFICE), opened(OFFICE)
    run(one, "files.share", '{"file": "notes.txt", "person": "Alex"}')
    run(one, "email.send", '{"to": "Alex", "subject": "Hi"}')
    assert other.end_state() == OFFICE
