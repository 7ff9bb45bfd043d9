"""What would have been right, and that it is proven; what is missing, in words."""

from pathlib import Path

import msgspec
import pytest

from tests.mining.counter import TOOLCALL, Counter, book, broken, call, native, squeeze
from verigym.core.records import Fault, Image, InputText, Message
from verigym.mining.expectations import MissingEvidence, data_of
from verigym.mining.proposals import Proposal

ASKED = squeeze("Ana")
RIGHT, WRONG, OTHER = book("Ana", "16:30"), book("Ana", "12:00"), book("Ana", "17:00")


def only(counter: Counter) -> Proposal:
    (made,) = counter.mine().proposed
    return counter.kept().proposals[made]


def missing(counter: Counter) -> str:
    found = counter.mine()
    assert found.proposed == []
    (one,) = found.summary.unverifiable
    return one.missing


def test_a_correction_says_what_is_right(counter: Counter) -> None:
    id = counter.failed(ASKED, WRONG, RIGHT)
    one = only(counter)
    assert one.source == f"correction by ana on {id}" and one.right == RIGHT and one.trajectories == [id]
    assert one.task.data["expected_args"] == {"attendee": "Ana", "day": "Friday", "time": "16:30"}
    assert one.task.data["state"]["events"] and one.task.lineage == [f"trace {id}"] and one.bucket == "wrong arguments"


def test_a_correction_may_be_a_call_as_the_api_spells_it(counter: Counter) -> None:
    id = counter.trace(ASKED, native("calendar-create_event", '{"attendee": "Ana", "day": "Friday", "time": "12:00"}'))
    right = native("calendar-create_event", '{"attendee": "Ana", "day": "Friday", "time": "16:30"}')
    counter.feedback(id, correction=[right])
    assert only(counter).task.data["expected_tool"] == "calendar.create_event"


@pytest.mark.parametrize("said", [{"outcome": "success"}, {}], ids=["outcome", "feedback"])
def test_a_sibling_that_succeeded_says_what_is_right(counter: Counter, said: dict[str, str]) -> None:
    id = counter.trace(ASKED, WRONG, outcome="failure")
    sibling = counter.trace(ASKED.upper(), RIGHT, **said)
    if not said:
        counter.feedback(sibling, outcome="success")
    one = only(counter)
    assert one.source == f"{sibling}, which succeeded" and one.trajectories == [id]


def test_the_second_try_of_a_request_that_was_repeated_says_what_is_right(counter: Counter) -> None:
    id = counter.trace(ASKED, WRONG, Message("user", ASKED), RIGHT, outcome="success")
    one = only(counter)
    assert one.trajectories == [id] and one.right == RIGHT and one.did.endswith('"time":"12:00"}')


def test_two_ways_to_write_the_same_are_one(counter: Counter) -> None:
    counter.failed(ASKED, WRONG, RIGHT)
    counter.failed(ASKED, WRONG, book("ana", "4:30 pm", "fri"))
    assert only(counter).task.data["expected_args"]["time"] == "16:30"


@pytest.mark.parametrize(
    ("others", "words"),
    [
        (
            [],
            "The correct outcome is unknown. The request has no correction, and no trace with the same request succeeded",
        ),
        (["success", "other success"], "Successful traces disagree: calendar.create_event"),
        (["correction", "other correction"], "The corrections disagree: calendar.create_event"),
        (["correction", "other success"], "A correction and a success disagree: calendar.create_event"),
    ],
    ids=["nothing", "siblings", "corrections", "people and outcomes"],
)
def test_where_nobody_can_say_what_is_right_it_is_listed(counter: Counter, others: list[str], words: str) -> None:
    failed = counter.trace(ASKED, WRONG, outcome="failure")
    for each in others:
        reply = OTHER if each.startswith("other") else RIGHT
        if each.endswith("success"):
            counter.trace(ASKED, reply, outcome="success")
        else:
            counter.feedback(counter.trace(ASKED, WRONG), correction=reply)
    found = counter.mine()
    (one,) = found.summary.unverifiable
    assert one.missing.startswith(words) and failed in one.trajectories and found.proposed == []


@pytest.mark.parametrize(
    ("right", "words"),
    [
        (call("calendar.teleport", who="Ana"), "Unknown tool: "),
        (book("Ana", "half past four"), "The verifier does not pass the task's gold solution: tool error"),
        (call("calendar.cancel_event"), "mined(request, items) of the environment returned None for"),
        ("I would have booked it.", "mined(request, items) of the environment returned None for"),
        (WRONG, "The verifier passes the attempt in traces-counter/0001, which was reported as failed"),
    ],
    ids=["unknown tool", "does not execute", "arguments missing", "words", "the very same"],
)
def test_what_cannot_be_proven_is_listed(counter: Counter, right: str, words: str) -> None:
    counter.failed(ASKED, WRONG, right)
    assert missing(counter).startswith(words)


def test_an_image_makes_no_task(counter: Counter) -> None:
    id = counter.trace([Message("user", [InputText("book this"), Image("ab")])], WRONG)
    counter.feedback(id, correction=RIGHT)
    assert missing(counter) == "The request contains an image, but tasks are text"


def test_the_general_rule_is_one_call_or_words() -> None:
    plain = msgspec.structs.replace(TOOLCALL, mined=None)
    email = native("email.send", '{"to": "Bob", "subject": "Hi"}')
    assert data_of(plain, "x", [email]) == {
        "expected_tool": "email.send",
        "expected_args": {"to": "Bob", "subject": "Hi"},
    }
    assert data_of(plain, "x", [Message("assistant", " 42 ")]) == {"answer": "42"}
    for items, words in (
        ([email, native("email.archive", "{}")], "The correct outcome has 2 calls"),
        ([native("email.send", "{")], "The correct call cannot be parsed"),
        ([Message("assistant", " ")], "The correct outcome is empty"),
    ):
        with pytest.raises(MissingEvidence, match=words):
            data_of(plain, "x", items)


# -- environments of a user's own -----------------------------------------------------------------------------------------------

DESK = """
from verigym import Task, tool

def tasks(split):
    return [Task(id=f"{split}/own", prompt=f"{split}: book Omar", data={"events": {}, "who": "Omar"}, split=split, family=split)]

class Environment:
    system = "You keep a desk."
    max_turns = 3
    def open(self, task):
        self.events = dict(task.data["events"])
    @tool
    def book(self, who: str) -> str:
        \"\"\"Book it.\"\"\"
        self.events[who] = True
        return "booked"
    def end_state(self):
        return {"events": self.events}

def verify(task, trajectory):
    return float(list(trajectory.end_state["events"]) == [task.data["who"]])

def gold(task):
    return [[{"type": "function_call", "name": "book", "arguments": '{"who": "%s"}' % task.data["who"]}], "Done."]
"""
RULE = """
def mined(request, items):
    return {"events": {}, "who": request.rstrip("?").split()[-1]}
"""
HAND = "Is there room at the desk for Ida"


def desk(tmp_path: Path, text: str) -> Counter:
    path = tmp_path / "desk.py"
    path.write_text(text)
    made = Counter(tmp_path / "home", str(path))
    made.tools = ""
    return made


def corrected(counter: Counter) -> None:
    counter.feedback(counter.trace(HAND, "No."), correction=[native("book", '{"who": "Ida"}')])


def test_an_environments_own_rule_makes_the_task_and_several_replies_are_played(tmp_path: Path) -> None:
    counter = desk(tmp_path, DESK + RULE)
    counter.trace(HAND, "No.", outcome="failure")
    counter.trace(HAND, native("book", '{"who": "Ida"}'), "Done.", outcome="success")
    one = only(counter)
    assert one.id.startswith("desk/mined/") and one.task.data == {"events": {}, "who": "Ida"}
    assert one.did == "No." and counter.file.name == "desk.jsonl"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (DESK + RULE.replace("return", "return 1 / 0 #"), "mined(...) of"),
        (
            DESK + RULE.replace('{"events": {}', '{"events": 5'),
            "The task cannot be run without the state of the trace: TypeError",
        ),
        (DESK + RULE.replace(".split()[-1]", ""), "The verifier does not pass the correct outcome"),
        (DESK.replace("return float(", "return 1 / 0 #") + RULE, "The verifier failed: ZeroDivisionError"),
    ],
    ids=["rule raises", "rule is wrong", "rule says another", "verifier raises"],
)
def test_an_environment_that_needs_more_says_what(tmp_path: Path, text: str, words: str) -> None:
    counter = desk(tmp_path, text)
    corrected(counter)
    assert missing(counter).startswith(words)


@pytest.mark.parametrize("text", [DESK, DESK.replace("def gold(", "def perfect(")], ids=["with gold", "without"])
def test_an_environment_without_a_rule_starts_from_the_state_of_its_own_tasks(tmp_path: Path, text: str) -> None:
    counter = desk(tmp_path, text)
    corrected(counter)
    one = only(counter)
    assert one.by == "correction" and one.task.data["mined"]["expected"] == {"events": {"Ida": True}}


JUDGED = """
from verigym import Judge, Task
def tasks(split):
    return [Task(id=f"{split}/own", prompt=f"{split}: say hello", data={"answer": "hello"}, split=split, family=split)]
class Environment:
    system = "You keep a desk."
    max_turns = 1
    def open(self, task): ...
verifiers = {"polite": Judge("Is it polite?")}
"""


def test_a_verifier_that_asks_a_judge_proves_nothing_here_so_a_person_accepts_a_rubric(tmp_path: Path) -> None:
    counter = desk(tmp_path, JUDGED)
    counter.feedback(counter.trace("Greet Ida", "Hm."), correction="Hello Ida!")
    one = only(counter)
    assert one.by == "rubric" and one.needs_person and one.task.data["reference"] == "Hello Ida!"


def test_words_of_a_sibling_do_not_make_other_words_wrong(tmp_path: Path) -> None:
    """There are many ways to say something; a call is right or not, and what a person wrote is asked for."""
    (tmp_path / "q.jsonl").write_text('{"prompt": "2 + 2", "answer": "4"}\n')
    counter = Counter(tmp_path / "home", str(tmp_path / "q.jsonl"))
    counter.trace("Who wrote Faust?", "Goethe", outcome="success")
    counter.trace("Who wrote Faust?", "It was Goethe.")
    run = ["traces-counter"]
    assert counter.mine(runs=run).proposed == []
    counter.trace("Who wrote Faust?", "Schiller", outcome="failure")
    (made,) = counter.mine(runs=run).proposed
    assert counter.kept().proposals[made].task.data == {"answer": "Goethe"}


def test_a_server_that_broke_makes_no_task(counter: Counter) -> None:
    id = counter.trace(ASKED, error=broken("TimeOut", Fault.INFRASTRUCTURE))
    counter.feedback(id, outcome="failure", correction=RIGHT)
    found = counter.mine()
    assert found.proposed == [] and found.summary.counts["infrastructure"] == 1 and not found.summary.buckets
