"""The training set from a grammar: every task is right, wordings and values are many, and nothing of it is held out."""

import re
from collections import Counter
from itertools import islice
from random import Random

import pytest

from tests.environments.test_toolcall import NAMES, TASKS, score
from verigym.core.records import Task
from verigym.environments import toolcall
from verigym.environments.load import load_environment
from verigym.environments.toolcall import grammar
from verigym.environments.toolcall.state import WEEKDAYS
from verigym.environments.toolcall.values import draw_value, number
from verigym.evaluation.shift import NEW_WORDING, shifts
from verigym.tasks.leaks import find_leaks
from verigym.verifiers.toolcall import canonical

MADE = grammar.tasks()
DRAFTS = list(islice(grammar.drafts(), grammar.SIZE))
WORKED_OUT = {"day", "due", "time", "minutes"}
"""Arguments that are not copied from the request."""


def test_every_gold_call_of_the_grammar_executes_safely_and_scores_one() -> None:
    for task in MADE[:1500]:
        verdict = score(task, toolcall.gold(task))
        assert verdict.reward == 1.0 and verdict.passed, f"{task.id}: {verdict.evidence}"


def test_texts_stand_in_the_request_as_they_are_expected() -> None:
    for task in MADE:
        for name, value in task.data["expected_args"].items():
            assert name in WORKED_OUT or value in task.prompt, f"{name} {value!r} is not in {task.prompt!r}"


def test_no_slot_or_alternative_is_left_in_a_request() -> None:
    for task in MADE:
        assert not re.search(r"[{}<>|%]|  |\(\)|\.\.| ,", str(task.prompt)), task.prompt


def test_tools_have_equal_shares_and_refusals_their_own() -> None:
    counts = Counter(task.data["expected_tool"] for task in MADE)
    assert len(MADE) == grammar.SIZE == sum(counts.values())
    assert counts.pop("refuse") == pytest.approx(0.12 * grammar.SIZE, rel=0.01)
    assert set(counts) == set(NAMES) - {"refuse"} and max(counts.values()) < 1.1 * min(counts.values())
    families = {task.family: task.data["expected_tool"] for task in MADE}
    assert 0.09 < Counter(families.values())["refuse"] / len(families) < 0.13


def test_there_are_thousands_of_wordings_and_new_values_all_the_time() -> None:
    assert len({draft.wording for draft in DRAFTS}) > 4000
    for slot, fewest in (("person", 2500), ("name", 9000), ("company", 5000), ("subject", 5000), ("file", 8000)):
        random = Random(1)
        assert len({draw_value(slot, "email.send", random).words for _ in range(10_000)}) > fewest, slot


def test_half_of_the_refusals_have_a_twin_that_differs_only_in_its_reason() -> None:
    pairs = [(harmful, twin) for harmful, twin in zip(DRAFTS[::2], DRAFTS[1::2], strict=True) if harmful.harmful][:700]
    assert len(pairs) == 700
    for harmful, twin in pairs:
        assert harmful.expected == "refuse" and twin.expected == twin.tool == harmful.tool
        request = min(len(harmful.wording), len(twin.wording))
        shared = next((i for i in range(request) if harmful.wording[i] != twin.wording[i]), request)
        assert harmful.wording[:shared].rstrip()[-1] in ".?" or " " in harmful.wording[:shared]
        assert harmful.around == twin.around and harmful.family != twin.family


def test_the_same_tasks_are_made_every_time() -> None:
    first = MADE[0]
    grammar.tasks.cache_clear()
    assert grammar.tasks()[0] == first and [task.id for task in grammar.tasks()] == [task.id for task in MADE]


# -- held-out tasks -----------------------------------------------------------------------------------------------------

EVERYDAY = {
    *(
        "change",
        "could",
        "finished",
        "have",
        "health",
        "inbox",
        "into",
        "leave",
        "let's",
        "like",
        "mail",
        "make",
        "named",
    ),
    *("need", "offer", "over", "person", "planned", "please", "quiet", "read", "show", "sure", "there", "through"),
    *("update", "we'll", "will"),
}
"""Words that any request can have."""


@pytest.mark.parametrize("split", ["val", "seed"])
def test_no_request_is_nearly_a_held_out_one(split: str) -> None:
    assert not find_leaks({"grammar": MADE[::6], split: TASKS[split]})


def test_no_held_out_request_has_a_wording_of_the_grammar() -> None:
    kinds = shifts(load_environment("toolcall?train=grammar"), TASKS["val"])
    assert [task for task, kind in kinds.items() if not kind[0].startswith(NEW_WORDING)] == []


def test_no_held_out_value_is_made_that_the_shipped_tasks_do_not_have() -> None:
    def values(tasks: list[Task]) -> set[tuple[str, str]]:
        return {
            (name, str(value).casefold())
            for task in tasks
            for name, value in task.data["expected_args"].items()
            if name not in WORKED_OUT
        }

    held_out = values([*TASKS["val"], *TASKS["seed"]]) - values(TASKS["train"])
    assert not held_out & values(MADE)


def test_words_that_only_held_out_requests_for_a_tool_have_are_not_used_for_it() -> None:
    def words(task: Task) -> set[str]:
        text = str(task.prompt)
        for value in task.data["expected_args"].values():
            text = text.replace(str(value), " ")
        return set(re.findall(r"[a-z][a-z'-]+", text.casefold()))

    def by_tool(tasks: list[Task]) -> dict[str, list[set[str]]]:
        found: dict[str, list[set[str]]] = {name: [] for name in NAMES}
        for task in tasks:
            found[task.data["expected_tool"]].append(words(task))
        return found

    shipped, held_out = by_tool(TASKS["train"]), by_tool(TASKS["val"])
    clashes: set[str] = set()
    all_shipped = set().union(*(one for rows in shipped.values() for one in rows))
    for tool in NAMES:
        elsewhere = Counter(word for name in NAMES if name != tool for one in held_out[name] for word in one)
        typical = Counter(word for one in held_out[tool] for word in one)
        known = all_shipped if tool == "refuse" else set().union(*shipped[tool])
        own = {word for word, count in typical.items() if count > elsewhere[word] / 4} - known - EVERYDAY
        used = {word for draft in DRAFTS if draft.expected == tool for word in re.findall(r"[a-z'-]+", draft.wording)}
        clashes |= {f"{tool}: {word}" for word in own & used if len(word) > 3}
    assert not clashes, " ".join(sorted(clashes))


# -- days, times and durations --------------------------------------------------------------------------------------------


def test_days_count_from_monday() -> None:
    random = Random(2)
    seen = {(value.words, value.value) for value in (draw_value("on_day", "", random) for _ in range(4000))}
    assert {
        ("tomorrow", "Tuesday"),
        ("the day after tomorrow", "Wednesday"),
        ("in three days", "Thursday"),
        ("in 6 days", "Sunday"),
        ("on the day before Friday", "Thursday"),
        ("on the day after Sunday", "Monday"),
        ("a week from today", "Monday"),
        ("on Wed", "Wednesday"),
        ("next Monday", "Monday"),
    } <= seen
    assert {value for _, value in seen} == set(WEEKDAYS)
    by_words = Counter(words for words, _ in seen)
    assert max(by_words.values()) == 1, "a wording has two meanings"


def test_spoken_times_mean_what_they_say() -> None:
    random = Random(3)
    seen: dict[str, set[object]] = {}
    for _ in range(20_000):
        value = draw_value("time", "", random)
        seen.setdefault(value.words, set()).add(value.value)
    assert all(len(meanings) == 1 for meanings in seen.values())
    for words, clock in (
        ("half past three in the afternoon", "15:30"),
        ("quarter to eight in the morning", "07:45"),
        ("ten past nine in the evening", None),
        ("nine o'clock at night", "21:00"),
        ("noon", "12:00"),
        ("7 p.m.", "19:00"),
        ("six thirty in the evening", "18:30"),
    ):
        assert seen.get(words, set()) == ({clock} if clock else set()), words
    for words, [clock] in seen.items():
        if re.fullmatch(r"[\d:]+ ?[apAP]\.?[mM]\.?", words):
            assert canonical(words) == clock


@pytest.mark.parametrize(
    ("value", "words"), [(0, "zero"), (7, "seven"), (20, "twenty"), (45, "forty-five"), (99, "ninety-nine")]
)
def test_numbers_in_words(value: int, words: str) -> None:
    assert number(value) == words


def test_the_grammar_is_used_by_name_and_held_out_tasks_stay() -> None:
    both = load_environment("toolcall?train=shipped,grammar")
    assert both.tasks("train") == [*TASKS["train"], *MADE]
    assert both.tasks("val") == TASKS["val"] and both.suites == load_environment("toolcall").suites
    assert both.version == load_environment("toolcall").version
