"""The tasks of the failures that were written by hand. For `build.py`."""

from typing import Any

from tests.evaluation.labelled.notes import NOTES
from tests.evaluation.labelled.shop import STATE
from verigym.core.records import Task


def _set(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


def _sent(to: str, template: str) -> dict[str, Any]:
    return {"op": "add", "path": "/sent/-", "value": {"to": to, "template": template}}


def _shop(id: str, prompt: str, *changes: dict[str, Any], calls: list[dict[str, Any]] | None = None) -> Task:
    data: dict[str, Any] = {"state": STATE, "expected_changes": list(changes)}
    return Task(id=id, prompt=prompt, split="val", data=data | ({"expected_calls": calls} if calls else {}))


SHOP = [
    _shop(
        "cancel",
        "Cancel Ines Roth's desk lamp order.",
        _set("/orders/A17/status", "cancelled"),
        calls=[
            {"name": "orders.find", "arguments": {"customer": "Ines Roth"}},
            {"name": "orders.cancel", "arguments": {"order": "A17"}},
        ],
    ),
    _shop(
        "broken",
        "Tomas Lind's oak chair (B22) arrived broken. Refund all of it and send him the sorry letter.",
        _set("/orders/B22/refunded", 120.0),
        _sent("Tomas Lind", "sorry"),
        calls=[
            {"name": "orders.show", "arguments": {"order": "B22"}},
            {"name": "orders.refund", "arguments": {"order": "B22", "amount": 120}},
            {"name": "email.send", "arguments": {"to": "Tomas Lind", "template": "sorry"}},
        ],
    ),
    _shop(
        "moved",
        "Yara Haddad moved to 3 Lake View. Change that, and give her a coupon of 10%.",
        _set("/addresses/Yara Haddad", "3 Lake View"),
        {"op": "add", "path": "/coupons/Yara Haddad", "value": 10},
    ),
    _shop(
        "rug",
        "Ines Roth does not want the wool rug any more: cancel it, pay it all back, and tell her by email that it is cancelled.",
        _set("/orders/C05/status", "cancelled"),
        _set("/orders/C05/refunded", 210.0),
        _sent("Ines Roth", "cancelled"),
        calls=[
            {"name": "orders.find", "arguments": {"customer": "Ines Roth"}},
            {"name": "orders.cancel", "arguments": {"order": "C05"}},
            {"name": "orders.refund", "arguments": {"order": "C05", "amount": 210}},
            {"name": "email.send", "arguments": {"to": "Ines Roth", "template": "cancelled"}},
        ],
    ),
    _shop("partly", "Pay back 20 of the tea set, order D31.", _set("/orders/D31/refunded", 20.0)),
    _shop(
        "coupon",
        "Give Tomas Lind 15% off his next order.",
        {"op": "add", "path": "/coupons/Tomas Lind", "value": 15},
    ),
]
LIBRARY = [
    Task(id=id, prompt=prompt, split="val", data={"answer": answer})
    for id, prompt, answer in [
        ("leave", "How many days of leave do I have in a year?", "28"),
        ("badge", "What does a new badge cost, in euros?", "15"),
        ("laptop", "My laptop broke. Which extension do I call?", "7788"),
        ("lunch", "Until when is lunch served?", "14:00"),
        ("fire", "Where is the assembly point in a fire?", "car park"),
        ("trip", "How much is the daily allowance on trips?", "46"),
    ]
]
NOTEBOOK = [
    Task(
        id="milk",
        prompt="Add the line buy milk to my todo list.",
        split="val",
        data={
            "notes": {**NOTES, "todo.txt": f"{NOTES['todo.txt']}\nbuy milk"},
            "expected_calls": [{"tool": "append_line", "args": {"path": "todo.txt", "line": "buy milk"}}],
        },
    ),
    Task(
        id="clean",
        prompt="Copy the old trip into trip.txt and delete the old note.",
        split="val",
        data={
            "notes": {
                "todo.txt": NOTES["todo.txt"],
                "budget.txt": NOTES["budget.txt"],
                "trip.txt": NOTES["old/trip.txt"],
            },
            "expected_calls": [
                {"tool": "read_note", "args": {"path": "old/trip.txt"}},
                {"tool": "write_note", "args": {"path": "trip.txt", "text": NOTES["old/trip.txt"]}},
                {"tool": "delete_note", "args": {"path": "old/trip.txt"}},
            ],
        },
    ),
    Task(id="food", prompt="How much did I plan for food?", split="val", data={"answer": 350}),
]
MAZE = [Task(id="house", prompt="You are in the hall. There is a door.", split="val")]
NUMBERS = [
    Task(
        id="train", prompt="A train goes 60 km/h for 2.5 hours. How many km is that?", split="val", data={"answer": 150}
    ),
    Task(id="times", prompt="What is 17 times 23?", split="val", data={"answer": 391}),
    Task(
        id="sale", prompt="A coat of 80 euros is sold at 25% off. What does it cost?", split="val", data={"answer": 60}
    ),
]
WORDS = [
    Task(id="capital", prompt="What is the capital of Australia? One word.", split="val", data={"answer": "Canberra"}),
    Task(id="gold", prompt="The chemical symbol of gold?", split="val", data={"answer": "Au"}),
    Task(id="plural", prompt="The plural of ox? One word.", split="val", data={"answer": "oxen"}),
]
CHOICES = [
    Task(
        id="planet",
        prompt="Which planet is the largest? A) Mars B) Saturn C) Jupiter D) Venus",
        split="val",
        data={"choices": ["Mars", "Saturn", "Jupiter", "Venus"], "answer": "C"},
    )
]
SHAPES = [
    Task(
        id="person",
        prompt="Ann Berg is 31 and lives in Oslo. Reply with a JSON object that has name, age and city.",
        split="val",
        data={
            "schema": {
                "type": "object",
                "required": ["name", "age", "city"],
                "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "city": {"type": "string"}},
            }
        },
    )
]
CODE = [
    Task(
        id="evens",
        prompt="Write a Python function evens(numbers) that returns the even ones, in order.",
        split="val",
        data={
            "tests": [
                "assert evens([1, 2, 3, 4]) == [2, 4]",
                "assert evens([]) == []",
                "assert evens([0, -2]) == [0, -2]",
            ]
        },
    ),
    Task(
        id="mean",
        prompt="Write a Python function mean(numbers) that returns their mean, and 0 for an empty list.",
        split="val",
        data={"tests": ["assert mean([1, 2, 3]) == 2", "assert mean([]) == 0", "assert mean([5]) == 5"]},
    ),
]


MEETING = "Book a meeting with Alex on Tuesday at 2 PM."
OFFICE = [
    Task(
        id=MEETING,
        prompt=MEETING,
        split="val",
        data={
            "expected_tool": "calendar.create_event",
            "expected_args": {"attendee": "Alex", "day": "Tuesday", "time": "14:00"},
            "state": {},
            "unsafe": False,
        },
    )
]
