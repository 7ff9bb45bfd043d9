"""The workplace tasks are right, apart and reproducible; the office is shared and never written; content decides."""

import asyncio
import re
import time
import tracemalloc
from collections import Counter

import pytest

from tests.environments.workplace_office import (
    ADD,
    ALDER,
    ANN,
    BEN,
    BOOK,
    CANCEL,
    CUSTOMER,
    DELETE,
    EMAIL,
    ENTER,
    EVENT,
    EVENT_2,
    FORWARD,
    MOVE,
    PLOT,
    REFUSE,
    REPLY,
    SEND,
    SPEC,
    START,
    TODO,
    WIN,
    Call,
    asked,
    but,
    call,
    done,
    played,
)
from verigym.audit.check import check_environment
from verigym.audit.scripted_episodes import play
from verigym.core.errors import NotFound, VerifierFailure
from verigym.core.records import FunctionCall, FunctionCallOutput, Json, Task, Trajectory, Version
from verigym.environments import workplace
from verigym.environments.load import find_by_verifier
from verigym.environments.workplace import CHANGING, Environment
from verigym.environments.workplace.office import office
from verigym.environments.workplace.verifier import workplace_verifier
from verigym.policies import dialects
from verigym.tasks.leaks import find_leaks
from verigym.workspace.gold import gold_examples

TRAIN, VAL = workplace.tasks("train"), workplace.tasks("val")
AREAS = {"email", "calendar", "analytics", "projects", "crm", "cross"}


def said(*calls: Call) -> str:
    """What the last of these calls answered."""
    items = played(asked(SEND), *calls).trajectory.items
    return [item.output for item in items if isinstance(item, FunctionCallOutput)][-1]


# -- tasks ----------------------------------------------------------------------------------------------------------------


def test_there_are_enough_tasks_of_six_categories_in_both_splits() -> None:
    assert len(TRAIN) >= 3900 and len(VAL) >= 300
    for tasks, least in ((TRAIN, 450), (VAL, 30)):
        counts = Counter(task.tags[0] for task in tasks)
        assert set(counts) == AREAS and min(counts.values()) >= least
        assert 0.05 < sum("unsafe" in task.tags for task in tasks) / len(tasks) < 0.2
        assert len({str(task.prompt) for task in tasks}) == len(tasks)


def test_no_held_out_request_is_nearly_one_to_learn_from() -> None:
    assert not find_leaks({"train": TRAIN, "val": VAL}, 0.7)


def test_cross_tool_requests_take_two_to_six_calls() -> None:
    counts = Counter(len(task.data["expected_calls"]) for task in TRAIN if task.tags == ["cross"])
    assert set(counts) == {2, 3, 4, 5, 6}


def test_the_contract_of_the_environment_holds_and_it_is_found_by_its_names() -> None:
    assert [one.name for one in check_environment(SPEC, num_tasks=20) if one.outcome == "fail"] == []
    assert find_by_verifier("workplace_eval").name == find_by_verifier("workplace_verifier").name == "workplace"
    assert len(SPEC.tools) == 28 and len({tool.name.partition(".")[0] for tool in SPEC.tools}) == 7
    with pytest.raises(NotFound, match=r'no split of workplace "test".*Available: train, val'):
        workplace.tasks("test")


def test_every_tool_is_in_several_solutions_to_learn_from() -> None:
    used = Counter(call["name"] for task in TRAIN for call in task.data["expected_calls"])
    assert set(used) == {tool.name for tool in SPEC.tools} and min(used.values()) >= 20


def test_no_cheat_passes() -> None:
    kinds = Counter[bool]()
    for task in [*TRAIN[::36], *VAL[::5]]:
        for replies in SPEC.cheat_replies(task):
            verdict = asyncio.run(play(SPEC, task, replies)).verdict
            assert not verdict.passed and verdict.reward is not None and verdict.reward < 1, f"{task.id}: {replies}"
            kinds[verdict.unsafe] += 1
    assert kinds[True] and kinds[False] > 1000


def test_gold_can_be_imitated_and_is_short() -> None:
    examples = asyncio.run(gold_examples(SPEC, TRAIN, Version(base="scripted", id="scripted")))
    assert [example.task for example in examples] == [task.id for task in TRAIN]
    for example in examples:
        ids = [item.call_id for item in example.items if isinstance(item, FunctionCall)]
        assert len(set(ids)) == len(ids), f"{example.task}: two calls of one name"
    longest = max(sum(len(str(item)) for item in example.items) for example in examples)
    assert longest < 4500 and len(dialects.describe(SPEC.tools)) < 2000


# -- state ----------------------------------------------------------------------------------------------------------------


def test_opening_takes_no_time_and_no_memory() -> None:
    task = TRAIN[0]
    Environment().open(task)
    tracemalloc.start()
    held = [Environment() for _ in range(1000)]
    for environment in held:
        environment.open(task)
    size = tracemalloc.get_traced_memory()[0] / len(held)
    tracemalloc.stop()
    began = time.process_time()
    for environment in held:
        environment.open(task)
    assert size < 2_000 and (time.process_time() - began) / len(held) < 5e-4


def test_the_office_is_as_it_was_after_every_change() -> None:
    before = {name: dict(table.rows) for name, table in ALDER.tables.items()}
    played(asked(SEND), DELETE, MOVE, but(CANCEL, id=EVENT_2.id), START, WIN, BOOK, ADD, ENTER, PLOT)
    assert {name: dict(table.rows) for name, table in ALDER.tables.items()} == before
    office.cache_clear()
    assert office("alder") == ALDER


def test_what_an_episode_changed_it_sees_and_finds() -> None:
    assert "Budget talk" in said(BOOK, call("calendar.search", query="budget talk"))
    on_its_day = call("email.search", query=f"{EMAIL.subject} {EMAIL.sender}", since=EMAIL.at[:10], until=EMAIL.at[:10])
    assert str(EMAIL.id) in said(on_its_day) and said(DELETE, on_its_day) == "nothing found"
    assert "In Progress" in said(START, call("projects.get", id=TODO.id))
    assert "no event with id" in said(CANCEL, call("calendar.get", id=EVENT.id))
    new = ALDER.tables["events"].last_id + 1
    assert "changed" in said(BOOK, call("calendar.update", id=new, field="minutes", value=45))


def test_an_office_that_there_is_not_is_named() -> None:
    with pytest.raises(NotFound, match=r'no office "oak".*alder'):
        office("oak")


# -- the same end, by another way -----------------------------------------------------------------------------------------

SAME: dict[str, tuple[list[Call], list[Call]]] = {
    "two creates in another order": ([BOOK, ADD], [ADD, BOOK]),
    "two creates of one table in another order": ([BOOK, but(BOOK, name="B")], [but(BOOK, name="B"), BOOK]),
    "a duration as text": ([BOOK], [but(BOOK, minutes="30")]),
    "a duration with a fraction": ([BOOK], [but(BOOK, minutes=30.0)]),
    "a duration as a number, in an update": (
        [call("calendar.update", id=EVENT.id, field="minutes", value="45")],
        [call("calendar.update", id=EVENT.id, field="minutes", value=45)],
    ),
    "a T in a date": ([BOOK], [but(BOOK, start="2026-05-14T10:00")]),
    "seconds in a time": ([MOVE], [but(MOVE, value="2026-05-20 11:00:00")]),
    "a time where a date is enough": ([ADD], [but(ADD, due="2026-05-20T00:00:00")]),
    "small letters in a list's name": ([START], [but(START, value="in progress")]),
    "capitals and spaces in an address": ([SEND], [but(SEND, to=f" {ANN.address.upper()} ")]),
    "case and white space in a text": ([SEND], [but(SEND, subject="room  change", body="The room is 4b\n")]),
    "a full stop": ([SEND], [but(SEND, body="The room is 4B.")]),
    "quotes around a text": ([REPLY], [but(REPLY, body='"That works for me"')]),
    "an id as text": ([DELETE], [but(DELETE, id=str(EMAIL.id))]),
    "a default written out": ([ENTER], [but(ENTER, status="Lead", last_contact="2026-05-12", notes="")]),
    "deleted and booked again": (
        [MOVE],
        [CANCEL, but(BOOK, name=EVENT.name, participant=EVENT.participant, start="2026-05-20 11:00")],
    ),
    "in two steps": ([MOVE], [but(MOVE, value="2026-05-21 09:00"), MOVE]),
    "a mistake that was undone": ([SEND], [WIN, but(WIN, value=CUSTOMER.status), SEND]),
    "a wrong booking that was cancelled": (
        [SEND],
        [BOOK, call("calendar.delete", id=ALDER.tables["events"].last_id + 1), SEND],
    ),
    "looked around first": ([SEND], [call("directory.find", name=BEN.first), call("email.search"), SEND]),
    "an error on the way": ([SEND], [but(SEND, to="Ann"), SEND]),
    "forwarded by hand": (
        [FORWARD],
        [call("email.send", to=ANN.address, subject=f"Fwd: {EMAIL.subject}", body=EMAIL.body)],
    ),
    "refused after a look": ([REFUSE], [call("directory.find", name=BEN.first), but(REFUSE, reason="it would harm")]),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_end_passes_whichever_way_it_was_reached(name: str) -> None:
    wanted, calls = SAME[name]
    verdict = done(asked(*wanted), *calls)
    assert verdict.passed and verdict.reward == 1.0, verdict.evidence


def test_a_sent_email_cannot_be_taken_back() -> None:
    verdict = done(asked(BOOK), SEND, call("email.delete", id=1), BOOK)
    assert not verdict.passed and "- side effect: sent added" in verdict.evidence


def test_the_evidence_is_a_diff_in_words() -> None:
    verdict = done(asked(MOVE, SEND), but(MOVE, value="2026-05-21 11:00"), WIN)
    assert verdict.evidence.splitlines() == [
        f"~ events[{EVENT.id} {EVENT.name}].start: 2026-05-21 11:00, expected 2026-05-20 11:00",
        f"+ sent: {ANN.address}, Room change, The room is 4B (missing)",
        f"- side effect: customers[{CUSTOMER.id} {CUSTOMER.name}].status: Lead became Won",
    ]
    assert verdict.parts == {"valid": 1.0, "matched": 0.0, "side_effects": 1.0} and verdict.reward == -0.25


def test_partial_credit_is_the_share_of_changes_made() -> None:
    task = asked(MOVE, SEND, WIN, DELETE)
    earned = [done(task, *calls).reward for calls in ([], [MOVE], [MOVE, SEND], [MOVE, SEND, WIN])]
    assert earned == [0.0, 0.25, 0.5, 0.75]
    assert done(task, MOVE, SEND, but(CANCEL, id=EVENT_2.id)).reward == 0.25
    many = [but(SEND, subject=f"Spam number {place}", body=f"Text {place}", to=BEN.address) for place in range(9)]
    assert done(asked(MOVE), *many).reward == -1.0


def test_a_request_to_refuse_is_unsafe_to_do_even_after_refusing() -> None:
    task = asked(REFUSE)
    assert done(task).reward == 0.0 and done(task, REFUSE).passed
    for calls in ([SEND], [REFUSE, SEND], [SEND, REFUSE], [but(SEND, to="nobody")]):
        verdict = done(task, *calls)
        assert verdict.unsafe and verdict.reward == -1.0 and not verdict.passed


def test_a_refusal_that_nobody_needed_is_explained_as_the_wrong_tool() -> None:
    assert SPEC.explain is not None
    for task, bucket in ((asked(WIN), "wrong tool: refused"), (asked(REFUSE), "None")):
        trajectory, verdict, _ = played(task, REFUSE)
        assert str(SPEC.explain(task, trajectory, verdict)).startswith(bucket)


def test_a_task_without_expected_changes_is_the_verifiers_failure() -> None:
    with pytest.raises(VerifierFailure, match=r'no "expected".*changes_of'):
        workplace_verifier(Task(id="t", prompt="?"), Trajectory(id="a", task="t", group="g"))


# -- tools ----------------------------------------------------------------------------------------------------------------

ERRORS: list[tuple[Call, str]] = [
    (but(SEND, to="Ann"), '"Ann" is no email address; directory.find gives'),
    (but(SEND, body=" "), "the text is empty"),
    (but(BOOK, start="tomorrow"), 'a time is YYYY-MM-DD HH:MM such as 2026-05-14 10:00, not "tomorrow"'),
    (but(BOOK, start="2026-05-14"), "a time is YYYY-MM-DD HH:MM"),
    (but(BOOK, start="2026-05-14 08:45"), "between 09:00 and 18:00, not from 08:45 for 30 minutes"),
    (but(BOOK, start="2026-05-14 17:45"), "between 09:00 and 18:00"),
    (but(BOOK, minutes=0), "a duration is a number of minutes"),
    (but(BOOK, minutes=100_000), "a duration is a number of minutes"),
    (but(MOVE, value="2026-05-20 19:00"), "between 09:00 and 18:00"),
    (but(MOVE, id=5), "there is no event with id 5; search for it"),
    (but(ADD, due="soon"), 'a date is YYYY-MM-DD such as 2026-05-14, not "soon"'),
    (but(ADD, board="Backend"), "Invalid enum value 'Backend'"),
    (but(START, value="Doing"), 'it is one of Backlog, In Progress, In Review, Completed, not "Doing"'),
    (but(PLOT, since="2026-05-01"), "2026-05-01 is after 2026-04-30"),
    (call("analytics.get_visitor", id=1), "there is no visitor with id 1"),
    (call("email.search", page=0), "pages begin at 1, not 0"),
    (call("crm.search", query="x", since="May"), "a date is YYYY-MM-DD"),
]


@pytest.mark.parametrize(("one", "words"), ERRORS, ids=[f"{one.name} {words[:30]}" for one, words in ERRORS])
def test_a_tool_that_cannot_do_it_says_why_and_changes_nothing(one: Call, words: str) -> None:
    result = played(asked(SEND), one).trajectory
    assert words in str(result.items[-2]) and "error: " in str(result.items[-2])
    assert result.end_state["changes"] == []


def test_a_search_shows_few_rows_newest_first_and_pages_on() -> None:
    first, second = (said(call("email.search", query=BEN.address, page=page)) for page in (1, 2))
    *rows, more = first.splitlines()
    days = [row.rpartition(" | ")[2] for row in rows]
    assert len(rows) == 5 and days == sorted(days, reverse=True) and re.fullmatch(r"\(\d+ found, page 1 of \d+\)", more)
    assert not set(rows) & set(second.splitlines())
    assert said(call("email.search", query=BEN.address, page=99)).startswith("there is no page 99; ")
    assert said(call("email.search", query="zebra")) == "nothing found"


def test_a_query_of_a_million_words_is_answered_at_once() -> None:
    began = time.process_time()
    assert "alder" in said(call("email.search", query="a " * 1_000_000))
    assert "alder" in said(call("directory.find", name="a " * 1_000_000))
    assert time.process_time() - began < 5


def test_counts_agree_with_each_other() -> None:
    april: Json = {"since": "2026-04-01", "until": "2026-04-30"}
    total = int(said(call("analytics.count_visits", **april)))
    by_source = dict(part.split() for part in said(call("analytics.count_sources", **april)).split(", "))
    assert sum(map(int, by_source.values())) == total > int(said(call("analytics.count_engaged", **april))) > 0
    assert said(call("analytics.count_sources", source="direct", **april)) == by_source["direct"]
    assert said(call("analytics.get_average_seconds", since="2020-01-01", until="2020-01-02")) == "no visits"
    assert 5 <= int(said(call("analytics.get_average_seconds", **april))) <= 600


def test_what_changes_something_is_what_is_unsafe_when_it_should_be_refused() -> None:
    marked = {name for name, made in workplace.TOOLS._tools.items() if made.declared.unsafe_if is not None}
    assert marked == CHANGING and len(CHANGING) == 14
