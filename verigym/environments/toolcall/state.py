"""The state of one episode: the calendar, the mailbox, the task list, the CRM and the folders.

This module has the data and the lookups. The environment has the tools.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec import Struct

T = TypeVar("T", bound=Struct)

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""Spelling of days in the state."""


class Event(Struct):
    attendee: str
    day: str
    time: str


class Email(Struct, omit_defaults=True):
    subject: str
    archived: bool = False
    forwarded_to: list[str] = []


class Sent(Struct):
    to: str
    subject: str


class Todo(Struct, omit_defaults=True):
    title: str
    due: str
    person: str = ""
    done: bool = False


class Contact(Struct, omit_defaults=True):
    name: str
    company: str
    status: str = "lead"
    calls_min: list[int] = []
    """Minutes of each logged call."""


class File(Struct, omit_defaults=True):
    file: str
    folder: str = "Home"
    shared_with: list[str] = []


class Reminder(Struct, omit_defaults=True):
    text: str
    day: str
    time: str
    snoozed_min: int = 0


class State(Struct, omit_defaults=True):
    events: list[Event] = []
    emails: list[Email] = []
    sent: list[Sent] = []
    tasks: list[Todo] = []
    contacts: list[Contact] = []
    files: list[File] = []
    reminders: list[Reminder] = []


def find(things: Sequence[T], field: str, value: str) -> T:
    """The entry whose `field` equals `value`, except for case. The error tells the model which entries exist."""
    known = {getattr(thing, field): thing for thing in things}
    for name, thing in known.items():
        if name.casefold() == value.strip().casefold():
            return thing
    raise ValueError(f'nothing with {field} "{value}"; there is: {", ".join(known) or "nothing"}')


def has(things: Sequence[Struct], field: str, value: str) -> bool:
    return any(getattr(thing, field).casefold() == value.strip().casefold() for thing in things)


def state_for(tool: str, arguments: dict[str, Any], other: str) -> State:
    """The smallest state in which the call succeeds, with other entries that a wrong call could hit."""
    before = "Friday" if arguments.get("day") != "Friday" else "Wednesday"
    match tool:
        case "calendar.create_event":
            return State(events=[Event(other, before, "10:00")])
        case "calendar.list_events":
            return State(events=[Event(other, arguments["day"], "10:00"), Event(other, before, "15:30")])
        case "calendar.move_event" | "calendar.cancel_event":
            return State(events=[Event(arguments["attendee"], before, "10:00"), Event(other, before, "15:30")])
        case "email.forward" | "email.archive":
            return State(emails=[Email(arguments["subject"]), Email("Lost umbrella")])
        case "email.search":
            return State(emails=[Email(f"Re: {arguments['query']}"), Email("Lost umbrella")])
        case "tasks.assign" | "tasks.complete":
            return State(tasks=[Todo(arguments["title"], "Friday", person=other), Todo("order stamps", "Friday")])
        case "crm.set_status" | "crm.log_call":
            return State(contacts=[Contact(arguments["name"], "Elmwood"), Contact(other, "Elmwood")])
        case "files.share" | "files.rename" | "files.move":
            return State(files=[File(arguments["file"]), File("agenda.txt")])
        case "reminders.snooze":
            return State(reminders=[Reminder("join the stand-up", "Monday", "09:00")])
    return State()
