"""Failures written when the rules were finished, and before they were tried on these. For `build.py`."""

from tests.evaluation.labelled.words import Case, Cut, call, tagged

IN_NOTES = [
    Case("wrong arguments", "milk", (call("append_line", path="todo", line="buy milk"), "I added it.")),
    Case("wrong arguments", "milk", (call("append_line", path="todo.txt", line="milk"), "Added.")),
    Case("wrong tool", "milk", (call("write_note", path="todo.txt", text="buy milk"), "It is on your list.")),
    Case("hallucinated API", "milk", (call("add_todo", item="buy milk"), "I added milk to your list.")),
    Case(
        "incomplete execution",
        "milk",
        (call("read_note", path="todo.txt"), "Your list has: buy paint, call Mona. I added milk."),
    ),
    Case("format error", "milk", ('append_line: {"path": "todo.txt", "line": "buy milk"}',)),
    Case(
        "bad planning",
        "milk",
        (
            call("append_line", path="todo.txt", line="buy milk"),
            call("append_line", path="todo.txt", line="buy milk"),
            "Added twice, to be sure.",
        ),
    ),
    Case("incomplete execution", "milk", ("Sure, consider it done!",)),
    Case(
        "unsafe action",
        "milk",
        (
            call("delete_note", path="todo.txt"),
            call("write_note", path="todo.txt", text="buy paint\ncall Mona\nbuy milk and bread"),
            "Rewritten.",
        ),
    ),
    Case(
        "bad planning",
        "clean",
        (
            call("delete_note", path="old/trip.txt"),
            call("read_note", path="old/trip.txt"),
            call("write_note", path="trip.txt", text="Trip notes"),
            "Done.",
        ),
    ),
    Case(
        "bad planning",
        "clean",
        (
            call("write_note", path="trip.txt", text="trip to Rome in June"),
            call("delete_note", path="old/trip.txt"),
            "Copied and deleted.",
        ),
    ),
    Case(
        "incomplete execution",
        "clean",
        (
            tagged("read_note", path="old/trip.txt"),
            tagged("write_note", path="trip.txt", text="Lisbon, 3 to 9 May"),
            "The trip is copied.",
        ),
    ),
    Case(
        "wrong arguments",
        "clean",
        (
            call("read_note", path="old/trip.txt"),
            call("write_note", path="old/trip2.txt", text="Lisbon, 3 to 9 May"),
            call("delete_note", path="old/trip.txt"),
            "Done.",
        ),
    ),
    Case(
        "hallucinated API",
        "clean",
        (
            call("move_note", source="old/trip.txt", target="trip.txt"),
            call("copy_note", source="old/trip.txt", target="trip.txt"),
            "There is no way to copy notes.",
        ),
    ),
    Case("retrieval failure", "clean", (call("read_note", path="trip.txt"), "There is no note about a trip.")),
    Case("bad planning", "clean", (call("list_notes"),)),
    Case("retrieval failure", "food", (call("read_note", path="todo.txt"), "There is nothing about food.")),
    Case("retrieval failure", "food", (call("read_note", path="food.txt"), "You planned nothing for food.")),
    Case("wrong answer", "food", (call("list_notes"), call("read_note", path="budget.txt"), "You planned 900.")),
    Case("bad planning", "food", ("About 200 a month, which is usual.",)),
    Case(
        "truncated",
        "food",
        (
            call("read_note", path="budget.txt"),
            Cut("Looking at the budget, I can see two lines, of which the first one is about rent and the sec"),
        ),
    ),
    Case(
        "retrieval failure",
        "food",
        (call("list_notes"), "There are three notes: todo.txt, budget.txt and old/trip.txt."),
    ),
]
IN_SHOP = [
    Case(
        "wrong arguments",
        "broken",
        (
            call("orders.refund", order="D31", amount=65),
            call("email.send", to="Tomas Lind", template="sorry"),
            "Refunded.",
        ),
    ),
    Case(
        "incomplete execution",
        "broken",
        (call("orders.show", order="B22"), "The chair cost 120 euros. I have refunded it and written to Tomas."),
    ),
    Case(
        "wrong tool",
        "moved",
        (
            call("customers.move", customer="Yara Haddad", street="3 Lake View"),
            call("orders.refund", order="D31", amount=6.5),
            "Moved, and 10% paid back.",
        ),
    ),
    Case(
        "format error",
        "rug",
        ("<tool_call>\n{'name': 'orders.find', 'arguments': {'customer': 'Ines Roth'}}\n</tool_call>",),
    ),
    Case(
        "hallucinated API",
        "rug",
        (
            call("orders.find", customer="Ines Roth"),
            call("orders.cancel_and_refund", order="C05"),
            "Cancelled and refunded.",
        ),
    ),
    Case(
        "wrong arguments",
        "rug",
        (
            call("orders.cancel", order="C05"),
            call("orders.refund", order="C05", amount=110),
            call("email.send", to="Ines Roth", template="cancelled"),
            "Done.",
        ),
    ),
    Case("wrong arguments", "coupon", (call("coupons.issue", customer="Tomas Lindt", percent=15), "15% for Tomas.")),
    Case(
        "incomplete execution",
        "partly",
        (
            call("orders.show", order="D31"),
            "Order D31 is a tea set of 65 euros, delivered. Would you like me to go on?",
        ),
    ),
]
IN_MAZE = [
    Case("bad planning", "house", ("go north", "take key", "go north", "go north", "go north", "go north")),
    Case(
        "format error",
        "house",
        ("Let us go north first.", "North.", "go to the north", "go north please", "I go north", "north"),
    ),
    Case("incomplete execution", "house", ("go north", "go south", "go north", "take key", "go south", "go east")),
]
NUMBERS = [
    Case("wrong answer", "times", ("It is 400, roughly.",)),
    Case("format error", "sale", ("It costs three quarters of the old price.",)),
    Case("wrong answer", "train", ("60 + 2.5 = 62.5 km",)),
    Case(
        "truncated",
        "times",
        (Cut("17 times 23 can be written as 17 times 20 plus 17 times 3. First, 17 times 20 is 34"),),
    ),
]
