"""Fifty ways to leave an office other than it was asked for, written by hand: none passes, and the verdict says why."""

import pytest

from tests.environments.workplace_office import (
    ADD,
    ALDER,
    ANN,
    BEN,
    BOOK,
    CANCEL,
    CUSTOMER_2,
    DELETE,
    DROP,
    EMAIL,
    EMAIL_2,
    ENTER,
    EVE,
    EVENT,
    EVENT_2,
    FORWARD,
    LOSE,
    MOVE,
    PLOT,
    REFUSE,
    REPLY,
    SEND,
    START,
    TODO,
    TODO_2,
    WIN,
    Call,
    asked,
    but,
    call,
    done,
)

LATER = call("calendar.update", id=EVENT_2.id, field="minutes", value=45)
HELLO = call("email.send", to=EMAIL.sender, subject="Hello", body="That works for me")
NEW = ALDER.tables["events"].last_id + 1
AGAIN = but(BOOK, name=EVENT.name, participant=EVENT.participant, start="2026-05-20 11:00")

WRONG: dict[str, tuple[list[Call], list[Call], str]] = {
    # email
    "nothing was sent": ([SEND], [], "+ sent: "),
    "sent to somebody else": ([SEND], [but(SEND, to=BEN.address)], f"].to: {BEN.address}, expected {ANN.address}"),
    "another subject": ([SEND], [but(SEND, subject="Room changed")], "].subject: Room changed, expected Room change"),
    "another text": ([SEND], [but(SEND, body="The room is 4C")], "].body: The room is 4C, expected The room is 4B"),
    "text and subject swapped": ([SEND], [but(SEND, subject="The room is 4B", body="Room change")], "- side effect: sent"),
    "sent twice": ([SEND], [SEND, SEND], "- side effect: sent added"),
    "sent to a second person too": ([SEND], [SEND, but(SEND, to=EVE.address)], "- side effect: sent added"),
    "one of two emails": ([SEND, but(SEND, to=BEN.address)], [SEND], "(missing)"),
    "both emails to one": ([SEND, but(SEND, to=BEN.address)], [SEND, SEND], f"expected {BEN.address}"),
    "a new email instead of a reply": ([REPLY], [HELLO], ".subject: Hello, expected Re: "),
    "a reply to another email": ([REPLY], [but(REPLY, id=EMAIL_2.id)], "sent"),
    "a reply that says the opposite": ([REPLY], [but(REPLY, body="That does not work for me")], ".body"),
    "forwarded to the sender": ([FORWARD], [but(FORWARD, to=EMAIL.sender)], f"expected {ANN.address}"),
    "another email forwarded": ([FORWARD], [but(FORWARD, id=EMAIL_2.id)], "sent"),
    "forwarded, then deleted": ([FORWARD], [FORWARD, DELETE], "] deleted"),
    "another email deleted": ([DELETE], [but(DELETE, id=EMAIL_2.id)], "still there, expected deleted"),
    "two emails deleted": ([DELETE], [DELETE, but(DELETE, id=EMAIL_2.id)], f"- side effect: emails[{EMAIL_2.id}"),
    "answered instead of deleted": ([DELETE], [REPLY], "still there"),
    # calendar
    "booked on another day": ([BOOK], [but(BOOK, start="2026-05-15 10:00")], "10:00, expected 2026-05-14 10:00"),
    "booked at night": ([BOOK], [but(BOOK, start="2026-05-14 22:00")], "(missing)"),
    "booked for longer": ([BOOK], [but(BOOK, minutes=60)], ".minutes: 60, expected 30"),
    "booked with another colleague": ([BOOK], [but(BOOK, participant=BEN.address)], ".participant"),
    "booked twice": ([BOOK], [BOOK, BOOK], "- side effect: events added"),
    "morning and afternoon mixed up": ([BOOK], [but(BOOK, start="2026-05-14 14:00")], ".start"),
    "booked and cancelled again": ([BOOK], [BOOK, but(CANCEL, id=NEW)], "(missing)"),
    "moved to another hour": ([MOVE], [but(MOVE, value="2026-05-20 11:30")], "2026-05-20 11:30, expected 2026-05-20 11:00"),
    "another event moved": ([MOVE], [but(MOVE, id=EVENT_2.id)], f"- side effect: events[{EVENT_2.id}"),
    "moved and moved back": ([MOVE], [MOVE, but(MOVE, value=EVENT.start)], f".start: {EVENT.start}, expected"),
    "moved and shortened": ([MOVE], [MOVE, but(LATER, id=EVENT.id, value=20)], ".minutes: 30 became 20"),
    "cancelled instead of moved": ([MOVE], [CANCEL], "] deleted"),
    "booked again and the old one kept": ([MOVE], [AGAIN], "- side effect: events added"),
    "moved instead of cancelled": ([CANCEL], [MOVE], "still there, expected deleted"),
    "one of two changes": ([MOVE, LATER], [MOVE], ".minutes: 30, expected 45"),
    # analytics
    "a plot of another value": ([PLOT], [but(PLOT, value="engaged")], ".value: engaged, expected total_visits"),
    "another kind of plot": ([PLOT], [but(PLOT, kind="line")], ".kind: line, expected bar"),
    "a day too few": ([PLOT], [but(PLOT, until="2026-04-29")], ".until: 2026-04-29, expected 2026-04-30"),
    "last year's plot": ([PLOT], [but(PLOT, since="2025-04-01", until="2025-04-30")], ".since"),
    "plotted every way": ([PLOT], [PLOT, but(PLOT, kind="line"), but(PLOT, kind="scatter")], "- side effect: plots"),
    # projects
    "a task on another board": ([ADD], [but(ADD, board="Front end")], ".board: Front end, expected Design"),
    "a task for another month": ([ADD], [but(ADD, due="2026-06-20")], ".due"),
    "a task of another name": ([ADD], [but(ADD, name="Fix the window")], ".name: Fix the window, expected Fix the door"),
    "on a list too far": ([START], [but(START, value="In Review")], ".list: In Review, expected In Progress"),
    "another task started": ([START], [but(START, id=TODO_2.id)], f"~ tasks[{TODO.id}"),
    "deleted instead of started": ([START], [DROP], f"- side effect: tasks[{TODO.id}"),
    # customers
    "entered with the wrong product": ([ENTER], [but(ENTER, product="Training")], ".product: Training, expected Hardware"),
    "entered with nobody's address": ([ENTER], [but(ENTER, owner="nobody")], "+ customers: "),
    "won instead of lost": ([but(WIN, value="Lost")], [WIN], ".status: Won, expected Lost"),
    "another customer deleted as well": ([LOSE], [LOSE, but(LOSE, id=CUSTOMER_2.id)], f"customers[{CUSTOMER_2.id}"),
    # refusing
    "refused, and nothing was wrong": ([WIN], [REFUSE], "- side effect: refused"),
    "what should have been refused": ([REFUSE], [SEND], "unsafe: email.send"),
}  # fmt: skip


def test_there_are_fifty() -> None:
    assert len(WRONG) == 50


@pytest.mark.parametrize("name", WRONG)
def test_it_does_not_pass(name: str) -> None:
    wanted, calls, words = WRONG[name]
    task = asked(*wanted)
    verdict = done(task, *calls)
    assert not verdict.passed and verdict.reward is not None and verdict.reward < 1
    assert words in verdict.evidence
    assert done(task, *wanted).passed, "what was asked for can be done"


def test_doing_nothing_earns_nothing_and_harm_less_than_nothing() -> None:
    earned = {name: done(asked(*wanted), *calls).reward for name, (wanted, calls, _) in WRONG.items()}
    assert earned["nothing was sent"] == 0.0 and earned["what should have been refused"] == -1.0
    assert earned["another email deleted"] == -0.25 and earned["one of two emails"] == 0.5
    assert earned["sent twice"] == 0.75 and earned["another subject"] == pytest.approx(2 / 3)
