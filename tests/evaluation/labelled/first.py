"""Failures written before the rules were, each with its bucket. For `build.py`."""

from tests.evaluation.labelled.asked import CHOICES, CODE, MEETING, NUMBERS, SHAPES, WORDS
from tests.evaluation.labelled.words import Case, Cut, call, tagged

IN_SHOP = [
    Case(
        "wrong arguments",
        "cancel",
        (call("orders.find", customer="Ines Roth"), call("orders.cancel", order="C05"), "Cancelled."),
    ),
    Case(
        "incomplete execution",
        "cancel",
        (call("orders.find", customer="Ines Roth"), "I have cancelled the desk lamp order for Ines Roth."),
    ),
    Case("hallucinated API", "cancel", (call("orders.delete", id="A17"), "The order is deleted.")),
    Case("wrong tool", "cancel", (call("orders.refund", order="A17", amount=40), "Ines Roth got her 40 euros back.")),
    Case("bad planning", "cancel", (call("orders.find", customer="Ines Roth"),)),
    Case(
        "incomplete execution", "cancel", ("I'm sorry, but as an AI I have no access to orders. Please call the shop.",)
    ),
    Case("format error", "cancel", ('{"tool": "orders.cancel", "args": {"order": "A17"}',)),
    Case(
        "retrieval failure",
        "cancel",
        (call("orders.find", customer="Ines"), "Ines Roth has no orders, so there is nothing to cancel."),
    ),
    Case("bad planning", "cancel", (call("orders.show", order="A17"),)),
    Case(
        "format error",
        "cancel",
        ('<tool_call>\n{"name": "orders.cancel", "arguments": {"order": "A17"}\n</tool_call>',),
    ),
    Case(
        "wrong tool",
        "cancel",
        (
            tagged("orders.find", customer="Ines Roth"),
            tagged("email.send", to="Ines Roth", template="cancelled"),
            "Done, she has been told.",
        ),
    ),
    Case(
        "wrong arguments",
        "cancel",
        (
            tagged("orders.find", customer="Ines Roth"),
            tagged("orders.cancel", order_id="A17"),
            "The order A17 is cancelled now.",
        ),
    ),
    Case(
        "incomplete execution",
        "broken",
        (
            call("orders.show", order="B22"),
            call("orders.refund", order="B22", amount=120),
            "The 120 euros are refunded.",
        ),
    ),
    Case(
        "wrong arguments",
        "broken",
        (
            call("orders.show", order="B22"),
            call("orders.refund", order="B22", amount=12),
            call("email.send", to="Tomas Lind", template="sorry"),
            "Done.",
        ),
    ),
    Case(
        "wrong tool",
        "broken",
        (
            call("orders.cancel", order="B22"),
            "The order is shipped already, so it cannot be cancelled. Sorry about that.",
        ),
    ),
    Case(
        "unsafe action",
        "broken",
        (call("orders.show", order="B22"), call("orders.refund", order="B22", amount=1200), "Refunded."),
    ),
    Case(
        "wrong arguments",
        "broken",
        (
            call("orders.refund", order="B22", amount=120),
            call("email.send", to="Tomas Lind", template="apology"),
            "Both are done.",
        ),
    ),
    Case(
        "bad planning",
        "broken",
        (
            call("email.send", to="Tomas Lind", template="sorry"),
            call("email.send", to="Tomas Lind", template="sorry"),
            call("orders.refund", order="B22", amount=120),
            "Done.",
        ),
    ),
    Case(
        "bad planning",
        "broken",
        (
            call("orders.refund", order="B22", amount=120),
            call("orders.refund", order="B22", amount=120),
            call("email.send", to="Tomas Lind", template="sorry"),
            "Refunded and told.",
        ),
    ),
    Case(
        "incomplete execution",
        "broken",
        (
            call("orders.find", customer="Tomas Lind"),
            call("orders.show", order="B22"),
            call("orders.show", order="A17"),
            call("orders.show", order="C05"),
            call("orders.show", order="D31"),
            call("orders.find", customer="Yara Haddad"),
        ),
    ),
    Case(
        "hallucinated API",
        "broken",
        (
            tagged("orders.show", order="B22"),
            tagged("payments.reverse", order="B22"),
            tagged("payments.reverse", order="B22", full=True),
            "I could not reach the payment system.",
        ),
    ),
    Case(
        "wrong arguments",
        "moved",
        (
            call("customers.move", customer="Yara", street="3 Lake View"),
            call("coupons.issue", customer="Yara Haddad", percent=10),
            "Her address and her coupon are in place.",
        ),
    ),
    Case(
        "incomplete execution",
        "moved",
        (call("customers.move", customer="Yara Haddad", street="3 Lake View"), "All done, the coupon is on its way."),
    ),
    Case(
        "wrong arguments",
        "moved",
        (
            call("customers.move", customer="Yara Haddad", street="3 Lakeview Road"),
            call("coupons.issue", customer="Yara Haddad", percent=10),
            "Done.",
        ),
    ),
    Case(
        "wrong arguments",
        "moved",
        (
            call("customers.move", customer="Yara Haddad", street="3 Lake View"),
            call("coupons.issue", customer="Yara Haddad", percent=100),
            "Done!",
        ),
    ),
    Case(
        "hallucinated API",
        "moved",
        (
            call("customers.update_address", customer="Yara Haddad", address="3 Lake View"),
            "It seems that I cannot change addresses.",
        ),
    ),
    Case(
        "wrong tool",
        "moved",
        (
            call("customers.move", customer="Yara Haddad", street="3 Lake View"),
            call("coupons.issue", customer="Yara Haddad", percent=10),
            call("email.send", to="Yara Haddad", template="sorry"),
            "Moved, coupon given, and she was told.",
        ),
    ),
    Case(
        "incomplete execution",
        "moved",
        ("To change the address, open the customer's page, choose Edit, and type 3 Lake View. Then add a coupon.",),
    ),
    Case(
        "format error",
        "moved",
        ('```json\n{"tool": "customers.move", "args": {"customer": "Yara Haddad", "street": "3 Lake View"}}\n```',),
    ),
    Case(
        "format error",
        "moved",
        (
            'Sure! {"tool": "customers.move", "args": {"customer": "Yara Haddad", "street": "3 Lake View"}} and then '
            '{"tool": "coupons.issue", "args": {"customer": "Yara Haddad", "percent": 10}}',
        ),
    ),
    Case(
        "incomplete execution",
        "rug",
        (
            call("orders.find", customer="Ines Roth"),
            call("orders.cancel", order="C05"),
            call("orders.refund", order="C05", amount=210),
            "Cancelled and refunded.",
        ),
    ),
    Case(
        "incomplete execution",
        "rug",
        (
            call("orders.find", customer="Ines Roth"),
            call("orders.refund", order="C05", amount=210),
            call("email.send", to="Ines Roth", template="cancelled"),
            "She has her money back and knows.",
        ),
    ),
    Case(
        "wrong arguments",
        "rug",
        (
            call("orders.find", customer="Ines Roth"),
            call("orders.cancel", order="A17"),
            call("orders.refund", order="A17", amount=40),
            call("email.send", to="Ines Roth", template="cancelled"),
            "All three are done.",
        ),
    ),
    Case("bad planning", "rug", (call("orders.find", customer="Ines Roth"), call("orders.cancel", order="C05"))),
    Case(
        "unsafe action",
        "rug",
        (
            call("orders.cancel", order="C05"),
            call("orders.refund", order="C05", amount=2100),
            call("email.send", to="Ines Roth", template="cancelled"),
            "Done.",
        ),
    ),
    Case(
        "wrong tool",
        "rug",
        (
            call("orders.find", customer="Ines Roth"),
            call("orders.cancel", order="C05"),
            call("coupons.issue", customer="Ines Roth", percent=100),
            call("email.send", to="Ines Roth", template="cancelled"),
            "Cancelled; she got a coupon for it.",
        ),
    ),
    Case(
        "incomplete execution",
        "rug",
        (
            call("orders.find", customer="Ines Roth"),
            call("orders.show", order="C05"),
            "The rug costs 210 euros and is paid. Shall I cancel it?",
        ),
    ),
    Case("unsafe action", "partly", (call("orders.refund", order="D31", amount=200), "20 refunded.")),
    Case("wrong arguments", "partly", (tagged("orders.refund", order="D31", amount=2), "Paid back.")),
    Case("wrong arguments", "partly", (call("orders.refund", order="D13", amount=20), "Done, 20 were paid back.")),
    Case("wrong arguments", "partly", (call("orders.refund", order="D31", amount="twenty"), "20 were paid back.")),
    Case("hallucinated API", "partly", (call("refund", order="D31", amount=20),)),
    Case(
        "bad planning",
        "partly",
        (call("orders.refund", order="D31", amount=20), call("orders.refund", order="D31", amount=20), "Refunded."),
    ),
    Case("wrong tool", "partly", (call("coupons.issue", customer="Yara Haddad", percent=20), "She has 20 off.")),
    Case("truncated", "partly", (Cut('{"tool": "orders.refund", "args": {"order": "D3'),)),
    Case("wrong arguments", "coupon", (call("coupons.issue", customer="Tomas Lind", percent=50), "Done.")),
    Case("wrong tool", "coupon", (call("email.send", to="Tomas Lind", template="sorry"), "I told him about the 15%.")),
    Case("incomplete execution", "coupon", ("Tomas Lind now has 15% off his next order.",)),
    Case("format error", "coupon", ('coupons.issue(customer="Tomas Lind", percent=15)',)),
    Case("wrong arguments", "coupon", (call("coupons.issue", customer="Tomas Lind", discount="15%"), "He has it.")),
    Case("infrastructure", "coupon", (ConnectionError("the server closed the connection"),)),
    Case(
        "truncated",
        "coupon",
        (
            call("orders.find", customer="Tomas Lind"),
            Cut(
                "Tomas Lind has one order, the oak chair, which was shipped. Before I give him a discount I should think about"
            ),
        ),
    ),
]

IN_LIBRARY = [
    Case("retrieval failure", "leave", (call("docs.search", query="holiday days"), "You have 25 days a year.")),
    Case(
        "retrieval failure",
        "leave",
        (call("docs.search", query="vacation"), "I could not find anything about that in the documents."),
    ),
    Case(
        "wrong answer",
        "leave",
        (call("docs.search", query="leave"), call("docs.read", name="leave-policy"), "You have 20 days of leave."),
    ),
    Case("bad planning", "leave", ("You have 30 days of leave a year.",)),
    Case("retrieval failure", "leave", (call("docs.read", name="holidays"), "There is no policy on holidays.")),
    Case("bad planning", "leave", (call("docs.search", query="leave"),)),
    Case("infrastructure", "leave", (call("docs.search", query="leave"), TimeoutError("no answer in 60 s"))),
    Case(
        "wrong answer",
        "badge",
        (
            tagged("docs.search", query="badge"),
            tagged("docs.read", name="badge-rules"),
            "You have to report it within two hours.",
        ),
    ),
    Case(
        "retrieval failure", "badge", (call("docs.search", query="price of a new badge"), "A new badge costs 20 euros.")
    ),
    Case(
        "retrieval failure",
        "badge",
        (call("docs.search", query="badge"), "The badge rules say what it costs: 10 euros."),
    ),
    Case("hallucinated API", "badge", (call("library.lookup", topic="badge"), "I can't open the library.")),
    Case("format error", "badge", ('[TOOL_CALLS][{"name": "docs.search", "arguments": {"query": "badge"}',)),
    Case(
        "wrong answer",
        "laptop",
        (call("docs.search", query="extension"), call("docs.read", name="it-handbook"), "Call 7877."),
    ),
    Case(
        "retrieval failure",
        "laptop",
        (
            call("docs.search", query="phone number"),
            call("docs.read", name="canteen"),
            "I did not find an extension for that.",
        ),
    ),
    Case(
        "hallucinated API",
        "laptop",
        (
            call("web.search", query="IT help extension"),
            call("web.search", query="laptop broken"),
            "Nothing was found.",
        ),
    ),
    Case("wrong arguments", "laptop", (call("docs.search", q="laptop"), "I was not able to search for it.")),
    Case("format error", "laptop", ('<function=docs.search>{"query": "laptop"}</function>',)),
    Case("bad planning", "laptop", (call("docs.read", name="it-handbook"),)),
    Case(
        "wrong answer",
        "lunch",
        (call("docs.search", query="lunch"), call("docs.read", name="canteen"), "Lunch is at 11:45."),
    ),
    Case(
        "retrieval failure",
        "lunch",
        (call("docs.search", query="lunch hours"), call("docs.search", query="canteen opening times"), "Until 15:00."),
    ),
    Case(
        "retrieval failure",
        "lunch",
        (tagged("docs.search", query="lunch"), "You can look it up in the document canteen."),
    ),
    Case(
        "truncated",
        "lunch",
        (
            call("docs.search", query="lunch"),
            call("docs.read", name="canteen"),
            Cut("According to the document about the canteen, which I have just read, lunch is served from 11:45"),
        ),
    ),
    Case(
        "wrong answer",
        "fire",
        (
            call("docs.search", query="assembly point"),
            call("docs.read", name="fire-drill"),
            "It is on the first Tuesday of each quarter.",
        ),
    ),
    Case(
        "retrieval failure",
        "fire",
        (
            call("docs.search", query="meeting point"),
            call("docs.search", query="evacuation"),
            call("docs.search", query="emergency exit"),
            "I have no information on that.",
        ),
    ),
    Case(
        "retrieval failure",
        "fire",
        (
            call("docs.read", name="fire drill"),
            call("docs.read", name="fire_drill"),
            "The assembly point is in front of building A.",
        ),
    ),
    Case(
        "retrieval failure",
        "fire",
        (
            call("docs.read", name="canteen"),
            call("docs.read", name="badge-rules"),
            call("docs.read", name="it-handbook"),
            call("docs.read", name="travel-policy"),
            call("docs.read", name="leave-policy"),
        ),
    ),
    Case(
        "wrong answer",
        "trip",
        (
            call("docs.search", query="allowance"),
            call("docs.read", name="travel-policy"),
            "Flights need the approval of a head of unit.",
        ),
    ),
    Case("retrieval failure", "trip", (call("docs.search", query="per diem"), "The per diem is 60 euros.")),
    Case(
        "hallucinated API",
        "trip",
        (
            call("docs.search", query="allowance"),
            call("docs.open", name="travel-policy"),
            "I cannot open the document.",
        ),
    ),
    Case("wrong answer", "trip", (call("docs.read", name="travel-policy"), "The daily allowance is 64 euros.")),
    Case(
        "incomplete execution",
        "trip",
        (call("docs.search", query="allowance"), call("docs.read", name="travel-policy"), ""),
    ),
    Case(
        "retrieval failure",
        "trip",
        (
            tagged("docs.search", query="daily allowance abroad"),
            tagged("docs.search", query="expenses"),
            "The documents do not say how much it is. Please ask your manager.",
        ),
    ),
    Case("bad planning", "badge", ("It is 25 euros, I believe.",)),
]

IN_MAZE = [
    Case("bad planning", "house", ("open door",)),
    Case("incomplete execution", "house", ("go north", "take key", "go south", "go east", "go west", "go east")),
    Case("format error", "house", ("I would first walk to the north and look around for a key.",)),
    Case("bad planning", "house", ("go north", "go south", "go north", "go south", "go north", "go south")),
    Case("hallucinated API", "house", ("go north", "take key", "go south", "unlock door", "use key", "unlock door")),
    Case("bad planning", "house", ("go west",)),
    Case("bad planning", "house", ("go east", "take key", "take key", "take key", "take key", "take key")),
    Case("bad planning", "house", ("go north", "take key", "open door")),
    Case(
        "format error",
        "house",
        ("go north", "take the key", "please take the key", "take the key!", "get the key", "Take the key."),
    ),
    Case("bad planning", "house", ("go north", "go south", "open door", "go east", "go west", "open door")),
    Case("incomplete execution", "house", ("open door", "go north", "take key", "go south", "go east", "go west")),
    Case("format error", "house", ('{"command": "go north"}',)),
    Case(
        "format error",
        "house",
        (
            "**go north**",
            "Command: go north",
            "> go north",
            "I said: go north",
            "go north, take key",
            "go north; take key",
        ),
    ),
    Case("infrastructure", "house", ("go north", ConnectionResetError("connection reset"))),
    Case("incomplete execution", "house", ("go east", "go west", "go north", "take key", "go south", "go east")),
]

PLAIN = {
    "numeric": (
        NUMBERS,
        [
            Case("wrong answer", "train", ("It goes 120 km.",)),
            Case("format error", "train", ("The distance is the speed times the time.",)),
            Case(
                "truncated",
                "train",
                (
                    Cut(
                        "Let us think step by step. The train goes 60 km in one hour. In two hours it goes twice as far, that is"
                    ),
                ),
            ),
            Case("format error", "train", ("",)),
            Case("wrong answer", "times", ("17 x 23 = 17 x 20 + 17 x 3 = 340 + 49 = 389",)),
            Case("format error", "times", ("three hundred and ninety-one",)),
            Case("wrong answer", "times", ("**Answer:** 381",)),
            Case("wrong answer", "sale", ("25% of 80 is 20, so it costs 20 euros.",)),
            Case("wrong answer", "sale", ("55",)),
            Case(
                "truncated",
                "sale",
                (Cut("A discount of 25% means that a quarter of the price is taken off. A quarter of 80 euros is 2"),),
            ),
        ],
    ),
    "exact_match": (
        WORDS,
        [
            Case("wrong answer", "capital", ("Sydney",)),
            Case("format error", "capital", ("The capital of Australia is Canberra.",)),
            Case("format error", "capital", ("Canberra (and not Sydney, as many people think)",)),
            Case("wrong answer", "capital", ("I don't know.",)),
            Case("wrong answer", "gold", ("Ag",)),
            Case("format error", "gold", ("Its symbol is Au, from the Latin aurum.",)),
            Case("wrong answer", "plural", ("oxes",)),
            Case("format error", "plural", ('{"answer": "oxen"}',)),
            Case("format error", "plural", ("   ",)),
        ],
    ),
    "choice": (
        CHOICES,
        [
            Case("wrong answer", "planet", ("B",)),
            Case("format error", "planet", ("I would have to look that up.",)),
            Case("wrong answer", "planet", ("The answer is (B) Saturn, because of its rings.",)),
        ],
    ),
    "by_data": (
        [*SHAPES, *CODE],
        [
            Case("format error", "person", ("Name: Ann Berg\nAge: 31\nCity: Oslo",)),
            Case("format error", "person", ('{"name": "Ann Berg", "age": "31", "city": "Oslo"}',)),
            Case("format error", "person", ('{"name": "Ann Berg", "city": "Oslo"}',)),
            Case("truncated", "person", (Cut('{"name": "Ann Berg", "age": 31, "ci'),)),
            Case("format error", "person", ("{name: Ann Berg, age: 31, city: Oslo}",)),
            Case("hallucinated API", "evens", ("def evens(numbers):\n    return numbers.filter_even()",)),
            Case("wrong answer", "evens", ("def evens(numbers):\n    return [n for n in numbers if n % 2 == 1]",)),
            Case("format error", "evens", ("You loop over the numbers and keep those that two divides.",)),
            Case("wrong answer", "evens", ("def evens(numbers):\n    print([n for n in numbers if n % 2 == 0])",)),
            Case(
                "hallucinated API",
                "mean",
                ("import statslib\n\ndef mean(numbers):\n    return statslib.mean(numbers)",),
            ),
            Case("wrong answer", "mean", ("def mean(numbers):\n    return sum(numbers) / len(numbers)",)),
            Case(
                "format error", "mean", ("def mean(numbers)\n    return sum(numbers) / len(numbers) if numbers else 0",)
            ),
            Case("hallucinated API", "mean", ("import math\n\ndef mean(numbers):\n    return math.average(numbers)",)),
        ],
    ),
}

IN_TOOLCALL = [
    Case(
        "format error",
        MEETING,
        ("{'tool': 'calendar.create_event', 'args': {'attendee': 'Alex', 'day': 'Tuesday', 'time': '14:00'}}",),
    ),
    Case(
        "format error",
        MEETING,
        ('{"name": "calendar.create_event", "arguments": {"attendee": "Alex", "day": "Tuesday", "time": "14:00"}}',),
    ),
    Case(
        "format error",
        MEETING,
        (
            'Of course!\n\n{"tool": "calendar.create_event", "args": {"attendee": "Alex", "day": "Tuesday", "time": "14:00"}}',
        ),
    ),
    Case("format error", MEETING, ('{"tool": "calendar.create_event", "args": ["Alex", "Tuesday", "14:00"]}',)),
    Case("format error", MEETING, ("I have booked Alex for Tuesday at 14:00.",)),
    Case(
        "format error",
        MEETING,
        (
            '<tool_call>{"name": "calendar.create_event", "arguments": {"attendee": "Alex", "day": "Tuesday", "time": "14:00"}}',
        ),
    ),
    Case("truncated", MEETING, (Cut('{"tool": "calendar.create_event", "args": {"attendee": "Al'),)),
    Case(
        "format error",
        MEETING,
        (
            Cut(
                "I'm sorry for any confusion. I am here to help with your project. I am here to help with your project. I am here"
            ),
        ),
    ),
    Case("wrong tool", MEETING, (call("reminders.set", text="Alex", day="Tuesday", time="14:00"),)),
    Case("wrong tool", MEETING, (call("refuse"),)),
    Case("wrong tool", MEETING, (tagged("calendar.list_events", day="Tuesday"),)),
    Case("wrong arguments", MEETING, (call("calendar.create_event", attendee="Alex", day="Wednesday", time="14:00"),)),
    Case(
        "wrong arguments",
        MEETING,
        (call("calendar.create_event", attendee="Alex", day="Tuesday", time="14:00", place="my room"),),
    ),
    Case("wrong arguments", MEETING, (call("calendar.create_event", attendee="Alex", day="Tuesday"),)),
    Case("wrong arguments", MEETING, (call("calendar.create_event", attendee="Alex", day="Tuesday", time="2 PM"),)),
    Case("hallucinated API", MEETING, (call("calendar.book", attendee="Alex", day="Tuesday", time="14:00"),)),
    Case("hallucinated API", MEETING, (tagged("create_meeting", who="Alex", when="Tuesday 14:00"),)),
    Case("wrong tool", MEETING, (call("email.send", to="Alex", subject="Meeting on Tuesday at 14:00"),)),
]
