"""The stories of workplace: told in many ways, in any office, right whatever is drawn, and in no words of the held-out ones."""

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from authoring.engine import Family
from authoring.workplace import make
from authoring.workplace.scene import Story, StoryFunction
from verigym.core.records import Task
from verigym.environments.workplace.office import OFFICES
from verigym.environments.workplace.state import State

MODULES = {
    split: [
        importlib.import_module(f"authoring.workplace.{path.stem}")
        for path in sorted(Path(make.__file__).parent.glob(f"{split}_*.py"))
    ]
    for split in ("train", "val")
}
TRAIN = {tell.__name__: tell for stories in make.STORIES["train"].values() for tell in stories}
TABLES = {"email": "emails", "calendar": "events", "projects": "tasks", "crm": "customers"}


def told(tell: StoryFunction, times: int) -> list[tuple[str, Story]]:
    """A story in every training office in turn, and the office's name."""
    offices = OFFICES["train"]
    return [
        (name, tell(make.scene("train", place, name)))
        for place, name in ((place, offices[place % len(offices)]) for place in range(times))
    ]


def test_there_are_many_stories_and_each_is_said_in_six_ways_or_more() -> None:
    assert len(TRAIN) == sum(len(stories) for stories in make.STORIES["train"].values()) >= 279
    for name, tell in TRAIN.items():
        for _, story in told(tell, 4):
            assert len(set(story.wordings)) == len(story.wordings) >= 6, name


def test_a_story_is_right_in_every_office_whatever_is_drawn() -> None:
    tasks: list[Task] = []
    for category, stories in make.STORIES["train"].items():
        for tell in stories:
            for place, (office, story) in enumerate(told(tell, 8)):
                family = Family("train", tell.__name__, None, topic=category)
                draft = make.draft(family, office, story, place % len(story.wordings))
                tasks.append(make.BUILDER.task(family, draft, place))
    make.BUILDER.verify(tasks, cheats=False)


def _runs(*modules: ModuleType) -> dict[tuple[str, ...], str]:
    """Each five words in a row that a module's wordings have in them, values aside, and where."""
    found: dict[tuple[str, ...], str] = {}
    for module in modules:
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else "_" for part in node.values]
                words = re.findall(r"[\w']+", " ".join(map(str, parts)).casefold())
                runs = zip(*(words[skip:] for skip in range(5)), strict=False)
                found |= {run: f"{module.__name__} line {node.lineno}" for run in runs if run.count("_") < 2}
    return found


def test_no_five_words_in_a_row_are_those_of_a_held_out_request() -> None:
    trained, measured = _runs(*MODULES["train"]), _runs(*MODULES["val"])
    assert len(trained) > 20_000 and len(measured) > 300
    assert {run: (trained[run], measured[run]) for run in trained.keys() & measured.keys()} == {}


def _acted(story: Story) -> set[int]:
    return {call.arguments["id"] for call in story.calls if "id" in call.arguments}


WHOLE = [
    "share_day", "purge_old", "trim_day", "stand_in", "day_off", "overdue", "inherit", "gone_cold", "switch_product",
    "length_with", "board_of_that_day",
]  # fmt: skip
ABOUT: dict[str, Callable[[list[int]], list[int]]] = {
    **dict.fromkeys(WHOLE, lambda found: found),
    "keep_newest": lambda found: found[1:],
    "answer_first": lambda found: found[-1:],
    "rename_first": lambda found: found[-1:],
    "stretch_last": lambda found: found[:1],
}
"""Of the rows that a search finds, newest first, those that the story is about."""


@pytest.mark.parametrize("name", ABOUT)
def test_what_a_search_finds_is_what_the_request_is_about_and_no_more(name: str) -> None:
    for office, story in told(TRAIN[name], 60):
        [search] = [call for call in story.calls if call.name.endswith(".search")]
        asked = {"query": "", "since": "", "until": "9999"} | search.arguments
        found = State(make.office(office)).search(TABLES[search.name.partition(".")[0]], **asked)
        assert set(ABOUT[name]([row.id for row in found])) == _acted(story), f"{office}: {story.wordings[0]}"


def test_who_has_more_tasks_does_not_depend_on_whether_completed_ones_count() -> None:
    def loads(office: str, address: str) -> list[int]:
        found = State(make.office(office)).search("tasks", query=address, since="", until="9999")
        return [len(found), sum(todo.list != "Completed" for todo in found)]

    finished = 0
    for office, story in told(TRAIN["less_busy"], 60):
        one, two = (call.arguments["query"] for call in story.calls if call.name == "projects.search")
        free = story.calls[-1].arguments["assignee"]
        busy = one if free == two else two
        assert all(less < more for less, more in zip(loads(office, free), loads(office, busy), strict=True))
        finished += loads(office, busy)[0] > loads(office, busy)[1]
    for office, story in told(TRAIN["overloaded"], 60):
        limit = int(re.findall(r"\d+", story.wordings[0])[0])
        everything, unfinished = loads(office, story.calls[1].arguments["query"])
        assert (everything > limit) == (unfinished > limit) == (story.calls[-1].name == "calendar.create")
    assert finished > 20


OPEN = [
    "answer_or_remind", "book_unless_booked", "mine_or_theirs", "done_or_not", "see_anyway", "overloaded",
    "known_customer", "warm_up", "drop_if_at",
]  # fmt: skip


@pytest.mark.parametrize("name", OPEN)
def test_a_condition_is_met_about_as_often_as_not(name: str) -> None:
    ends = [story.calls[-1].name for _, story in told(TRAIN[name], 80)]
    assert len(set(ends)) == 2 and all(ends.count(end) >= 16 for end in ends)
