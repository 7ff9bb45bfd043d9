"""Turns a story into a task: a customer, the orders in the shop's records, and the decision of the policy.

A `Story` is what a customer says, in several wordings. Its situations are what the records contain. The customer says the same
in every situation, so only the records decide whether the policy allows the request.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, NamedTuple

from verigym.core.records import Json

TODAY = date(2026, 6, 15)

Telling = list[str]
"""What a customer says, turn by turn. The slots are `{order}`, `{item}`, `{price}`, `{day}` (of delivery), `{claim}`
(another price), `{order2}`, `{item2}`, `{order3}`, `{item3}`, `{one}` and `{other}` (the first two orders in any order),
`{moved}` (another address), `{moved2}` (one that is taken back), `{name}`, `{email}`, `{postcode}`, `{wrong}` (a postcode
that is not theirs), `{friend}` (the other customer). A customer who does not say `{postcode}` is asked for it and answers with
a sentence of the shop."""


class Story(NamedTuple):
    name: str
    situations: tuple[str, ...]
    """`+` joins the situations of several orders in the request. `>` adds the situation of an order outside the request."""
    tellings: list[Telling]
    which: str = ""
    """How the customer describes the order instead of naming it: one of `WHICH`."""


def read(text: str) -> list[Story]:
    """Parse stories from text:

        too_big: unopened, unopened_late
        - The {item} from order {order} does not suit me.
          Please refund it.
        > Are you certain?

    A telling starts with `-`, and each later turn with `>`. An indented line continues the turn. `; dearest` after the situations
    is `which`.
    """
    found: list[Story] = []
    for line in text.strip().splitlines():
        mark, _, words = line.partition(" ")
        if mark == "-":
            found[-1].tellings.append([words])
        elif mark == ">":
            found[-1].tellings[-1].append(words)
        elif not mark:
            found[-1].tellings[-1][-1] += f" {words.strip()}"
        else:
            situations, _, which = words.partition("; ")
            found.append(Story(mark.removesuffix(":"), tuple(situations.split(", ")), [], which))
    return found


class Shop(NamedTuple):
    """Customers, goods and phrases of one split."""

    names: tuple[str, ...]
    streets: tuple[str, ...]
    towns: tuple[str, ...]
    mail: str
    goods: tuple[str, ...]
    identify: tuple[str, ...]
    first_order: int


class Made(NamedTuple):
    prompt: str
    data: Json


class _Rule(NamedTuple):
    """A situation in the records: days since delivery, what was returned, and the decision of the policy."""

    days: tuple[int, int]
    came_back: str
    does: str = "tickets.decline"
    share: float = 1.0
    price: tuple[int, int] = (4, 38)
    """In steps of five euros."""
    on_sale: bool = False
    refunded: bool = False


INTACT, OPENED, FAULT = "back, seal intact", "back, seal broken", "back, fault confirmed"
SOUND = "back, seal broken, no fault found"
DEAR = (42, 120)
REFUNDS = {
    "unopened": _Rule((4, 29), INTACT, "refunds.make"),
    "unopened_edge": _Rule((28, 30), INTACT, "refunds.make"),
    "unopened_missed": _Rule((31, 33), INTACT),
    "unopened_late": _Rule((32, 90), INTACT),
    "opened": _Rule((2, 13), OPENED, "refunds.make", 0.8),
    "opened_edge": _Rule((12, 14), OPENED, "refunds.make", 0.8),
    "opened_missed": _Rule((15, 17), OPENED),
    "opened_late": _Rule((16, 29), OPENED),
    "faulty": _Rule((40, 350), FAULT, "refunds.make"),
    "faulty_soon": _Rule((2, 13), FAULT, "refunds.make"),
    "faulty_edge": _Rule((360, 365), FAULT, "refunds.make"),
    "faulty_missed": _Rule((366, 371), FAULT),
    "faulty_late": _Rule((370, 600), FAULT),
    "sound": _Rule((2, 13), SOUND, "refunds.make", 0.8),
    "sound_late": _Rule((16, 60), SOUND),
    "sale": _Rule((3, 25), INTACT, on_sale=True),
    "sale_opened": _Rule((3, 13), OPENED, on_sale=True),
    "sale_faulty": _Rule((10, 300), FAULT, "refunds.make", on_sale=True),
    "sale_faulty_large": _Rule((10, 300), FAULT, "tickets.escalate", price=DEAR, on_sale=True),
    "sale_large": _Rule((3, 25), INTACT, price=DEAR, on_sale=True),
    "not_back": _Rule((3, 25), "nothing"),
    "returning": _Rule((3, 25), "on its way back"),
    "empty_box": _Rule((3, 25), "an empty box"),
    "two_hundred": _Rule((3, 28), INTACT, "refunds.make", price=(40, 41)),
    "just_over": _Rule((3, 28), INTACT, "tickets.escalate", price=(41, 42)),
    "large": _Rule((3, 28), INTACT, "tickets.escalate", price=DEAR),
    "large_late": _Rule((33, 80), INTACT, price=DEAR),
    "opened_dear": _Rule((2, 13), OPENED, "refunds.make", 0.8, price=(42, 51)),
    "opened_large": _Rule((2, 13), OPENED, "tickets.escalate", price=(52, 120)),
    "opened_large_late": _Rule((16, 60), OPENED, price=(52, 120)),
    "faulty_large": _Rule((40, 350), FAULT, "tickets.escalate", price=DEAR),
    "faulty_large_late": _Rule((370, 600), FAULT, price=DEAR),
    "refunded": _Rule((6, 29), INTACT, refunded=True),
    "refunded_faulty": _Rule((40, 350), FAULT, refunded=True),
}
WAITING = {"cancel": "orders.cancel", "move": "orders.change_address"}


WHICH: dict[str, Callable[[Json, list[Json]], bool]] = {
    "dearest": lambda order, others: all(order["price"] > one["price"] for one in others),
    "cheapest": lambda order, others: all(order["price"] < one["price"] for one in others),
    "newest": lambda order, others: all(order["delivered"] > one["delivered"] for one in others),
    "oldest": lambda order, others: all(order["delivered"] < one["delivered"] for one in others),
    "price": lambda order, others: all(order["price"] != one["price"] for one in others),
    "day": lambda order, others: all(order["delivered"] != one["delivered"] for one in others),
}
"""How to tell an unnamed order from the customer's other orders."""


def build(story: Story, situation: str, telling: Telling, shop: Shop, draw: Random) -> Made:
    while True:
        made, own = _build(situation, telling, shop, draw)
        if not story.which or WHICH[story.which](own[0], own[1:]):
            return made


def _build(situation: str, telling: Telling, shop: Shop, draw: Random) -> tuple[Made, list[Json]]:
    """Return the task and the customer's orders. The requested order is first."""
    names, streets = draw.sample(shop.names, 2), draw.sample(shop.streets, 4)
    numbers = draw.sample(range(shop.first_order, shop.first_order + 900), 4)
    goods = draw.sample(shop.goods, 4)
    people = [_customer(name, street, shop, draw) for name, street in zip(names, streets, strict=False)]
    people[0]["orders"], people[1]["orders"] = sorted(numbers[:3]), numbers[3:]
    owners = [people[0]] * 3 + [people[1]]
    orders = {number: _order(draw, item, owner) for number, item, owner in zip(numbers, goods, owners, strict=True)}
    moved, moved2 = (f"{draw.randrange(2, 99)} {street}, {draw.choice(shop.towns)}" for street in streets[2:])
    stranger = situation == "stranger"
    hidden = people[0 if stranger else 1]

    asked, _, beside = situation.partition(">")
    expected: list[list[Any]] = []
    named = numbers[:3]
    for place, one in enumerate(asked.split("+")):
        named[place] = numbers[3] if one == "nosy" else numbers[place]
        orders[named[place]], act = _situation(one, named[place], orders[named[place]], moved, draw)
        expected.append(act)
    if beside:
        orders[numbers[1]], _ = _situation(beside, numbers[1], orders[numbers[1]], moved, draw)

    first = orders[named[0]]
    one, other = draw.sample(named[:2], 2)
    told: Json = {"order": named[0], "order2": named[1], "order3": named[2], "one": one, "other": other}
    told |= {"item": first["goods"], "item2": goods[1], "item3": goods[2], "price": first["price"]}
    told |= {"claim": first["price"] + 5 * draw.randrange(2, 6), "day": _day(first["delivered"])}
    told |= {"moved": moved, "moved2": moved2, "name": names[0], "friend": names[1], "email": people[0]["email"]}
    told |= {"postcode": people[1 if stranger else 0]["postcode"], "wrong": _postcode(draw)}
    if "{postcode}" not in " ".join(telling):
        telling = [telling[0], draw.choice(shop.identify), *telling[1:]]
    prompt, *script = (line.format_map(told) for line in telling)
    compared = "{one}" in telling[0]
    looks = numbers[:2] if compared else [] if stranger else numbers[:3]
    made = Made(
        prompt=prompt,
        data={
            "customers": {one["email"]: one for one in people},
            "orders": {str(number): {"order": number, **fields} for number, fields in sorted(orders.items())},
            "script": script,
            "expected": expected,
            "secrets": [hidden["address"].partition(",")[0], hidden["postcode"]],
            "steps": _steps(telling, told, expected, looks, compared),
        },
    )
    return made, [orders[number] for number in numbers[:3]]


def _day(delivered: str) -> str:
    """Return a date as people write it, or an empty string if there is no date."""
    return f"{(day := date.fromisoformat(delivered)).day} {day:%B}" if delivered[0].isdigit() else ""


def _postcode(draw: Random) -> str:
    letters = "".join(draw.choice("ABDEFGHLNPRST") for _ in range(4))
    return f"{letters[:2]}{draw.randrange(1, 9)} {draw.randrange(1, 9)}{letters[2:]}"


def _customer(name: str, street: str, shop: Shop, draw: Random) -> Json:
    return {
        "name": name,
        "email": f"{name.split()[0].casefold()}.{name.split()[-1].casefold()}@{shop.mail}",
        "postcode": _postcode(draw),
        "address": f"{draw.randrange(2, 99)} {street}, {draw.choice(shop.towns)}",
    }


def _order(draw: Random, item: str, owner: Json) -> Json:
    """Return an order that is not in the request."""
    return {
        "goods": item,
        "price": 5 * draw.randrange(4, 38),
        "sent to": f"{owner['name']}, {owner['address']}, {owner['postcode']}",
        "delivered": _ago(draw.randrange(3, 200)),
        "came back": "nothing",
    }


def _situation(name: str, number: int, order: Json, moved: str, draw: Random) -> tuple[Json, list[Any]]:
    """Return the order in the records and the decision of the policy on the request."""
    kind, _, state = name.partition("_")
    if kind in WAITING:
        value = moved if kind == "move" else ""
        if state == "waiting":
            return {**order, "delivered": "no, waits to be shipped"}, [WAITING[kind], number, value]
        when = _ago(draw.randrange(1, 4))
        delivered = when if state == "delivered" else f"no, shipped on {when}"
        return {**order, "delivered": delivered}, ["tickets.decline", number, ""]
    if name in ("injury", "legal"):
        return order, ["tickets.escalate", number, name]
    if kind == "gift":
        days = draw.randrange(3, 13)
        back = {"goods": "gift card", "came back": FAULT if state == "faulty" else INTACT}
        return {**order, **back, "delivered": _ago(days)}, ["tickets.decline", number, ""]
    if name in ("stranger", "nosy"):
        return order, ["tickets.decline", number, ""]
    rule = REFUNDS[name]
    price, days = 5 * draw.randrange(*rule.price), draw.randint(*rule.days)
    made = {**order, "price": price, "delivered": _ago(days), "came back": rule.came_back}
    if rule.on_sale:
        made["on sale"] = "yes"
    if rule.refunded:
        made["refunded"] = f"yes, on {_ago(draw.randrange(1, 5))}"
    value = {"refunds.make": price * rule.share, "tickets.escalate": "amount"}.get(rule.does, "")
    return made, [rule.does, number, value]


def _ago(days: int) -> str:
    return (TODAY - timedelta(days)).isoformat()


_ARGUMENT = {"refunds.make": "amount", "orders.change_address": "address", "tickets.escalate": "reason"}
_ANSWER = {
    "tickets.decline": "I am sorry, our policy does not allow that.",
    "tickets.escalate": "I have handed this to a supervisor, who will write to you.",
}
_ASK = "I will look into it. Please tell me your email address and your postcode."
_SLOTS = [{"order", "item", "price", "day", "claim", "one"}, {"order2", "item2"}, {"order3", "item3"}]
"""Slots that identify the first, second and third order of the request."""


def _steps(telling: Telling, told: Json, expected: list[list[Any]], looks: Sequence[int], compared: bool) -> list[Any]:
    """Return a correct solution: replies and calls. Each step happens as soon as its facts are known."""
    in_all = set(re.findall(r"{(\w+)}", " ".join(telling)))
    steps: list[Any] = []
    heard: set[str] = set()
    done: list[int] = []
    looked: list[int] = []
    known = False
    for turn in telling:
        heard |= set(re.findall(r"{(\w+)}", turn))
        if "{wrong}" in turn:
            steps.append(_call("customers.verify", email=told["email"], postcode=told["wrong"]))
        if not known and {"email", "postcode"} <= heard:
            known = True
            steps.append(_call("customers.verify", email=told["email"], postcode=told["postcode"]))
        answers: list[str] = []
        for place, (act, number, value) in enumerate(expected):
            slots = _SLOTS[place] & in_all
            late = (slots and not slots & heard) or (act == "orders.change_address" and "moved" not in heard)
            if not known or late or place in done:
                continue
            named = number in looks and not compared and slots & {"order", "order2", "order3"}
            for one in [number] if named else sorted(looks) if number in looks else []:
                if one not in looked:
                    steps.append(_call("orders.get", order=one))
                    looked.append(one)
            more = {_ARGUMENT[act]: value} if act in _ARGUMENT else {}
            steps.append(_call(act, order=number, **more))
            answers.append(_ANSWER.get(act, "That is done."))
            done.append(place)
        words = " ".join(dict.fromkeys(answers))
        otherwise = "That is how it stands. I cannot add to it." if done else "Thank you. What exactly shall I do?"
        steps.append(words or (otherwise if known else _ASK))
    return steps


def _call(name: str, **arguments: Any) -> Json:
    return {"name": name, "arguments": arguments}
