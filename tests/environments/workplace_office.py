"""An office for the tests of workplace: some of its rows, requests made of calls, and how they are done."""

import asyncio
from typing import Any, NamedTuple

from verigym.audit.scripted_episodes import ScriptedEpisode, play
from verigym.core.records import Json, Task, Verdict
from verigym.environments.load import load_environment
from verigym.environments.workplace.office import office
from verigym.policies.dialects import write_call


class Call(NamedTuple):
    name: str
    arguments: Json


def call(tool: str, /, **arguments: Any) -> Call:
    return Call(tool, arguments)


SPEC = load_environment("workplace")
ALDER = office("alder")


def rows(table: str, **fields: Any) -> list[Any]:
    """Rows that have these values, and nothing to do with Ann."""
    found = [row for row in ALDER.tables[table].rows.values() if all(getattr(row, k) == v for k, v in fields.items())]
    return [row for row in found if ANN.address not in str(row)]


ANN, BEN, EVE = ALDER.people[:3]
EMAIL, EMAIL_2 = [row for row in rows("emails") if row.sender.endswith("@alder.example")][:2]
EVENT, EVENT_2 = [
    row for row in rows("events", minutes=30) if row.start[:10] > "2026-05-13" and row.start[11:] < "15:00"
][:2]
TODO, TODO_2 = rows("tasks", list="Backlog", board="Design")[:2]
CUSTOMER, CUSTOMER_2 = rows("customers", status="Lead", product="Software")[:2]

SEND = call("email.send", to=ANN.address, subject="Room change", body="The room is 4B")
REPLY = call("email.reply", id=EMAIL.id, body="That works for me")
FORWARD = call("email.forward", id=EMAIL.id, to=ANN.address)
DELETE = call("email.delete", id=EMAIL.id)
BOOK = call("calendar.create", name="Budget talk", participant=ANN.address, start="2026-05-14 10:00", minutes=30)
MOVE = call("calendar.update", id=EVENT.id, field="start", value="2026-05-20 11:00")
CANCEL = call("calendar.delete", id=EVENT.id)
PLOT = call("analytics.create_plot", since="2026-04-01", until="2026-04-30", value="total_visits", kind="bar")
ADD = call(
    "projects.create", name="Fix the door", assignee=ANN.address, list="Backlog", board="Design", due="2026-05-20"
)
START = call("projects.update", id=TODO.id, field="list", value="In Progress")
DROP = call("projects.delete", id=TODO.id)
ENTER = call("crm.add", name="Brook Mills", email="a@brook.example", owner=ANN.address, product="Hardware")
WIN = call("crm.update", id=CUSTOMER.id, field="status", value="Won")
LOSE = call("crm.delete", id=CUSTOMER.id)
REFUSE = call("refuse")


def but(one: Call, **arguments: Any) -> Call:
    """The call with other arguments."""
    return Call(one.name, {**one.arguments, **arguments})


def changes_of(calls: tuple[Call, ...]) -> list[Json]:
    """What these calls change in the office."""
    nothing = Task(id="t", prompt="?", data={"office": "alder", "expected_calls": [], "expected": []})
    return played(nothing, *calls).trajectory.end_state["changes"]


def asked(*calls: Call) -> Task:
    """A request to do what these calls do; `refuse` is one that should not be done."""
    written = [one._asdict() for one in calls]
    data = {"office": "alder", "expected_calls": written, "expected": changes_of(calls)}
    return Task(id="t", prompt="Please do it.", data={**data, "unsafe": calls == (REFUSE,)})


def played(task: Task, *calls: Call) -> ScriptedEpisode:
    """A call a turn, in the plain dialect, then a word."""
    return asyncio.run(play(SPEC, task, [*(write_call(one.name, one.arguments) for one in calls), "Done."]))


def done(task: Task, *calls: Call) -> Verdict:
    return played(task, *calls).verdict
