"""Held-out problems about rows of data. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.val_dicts import GUESTS, NAMES


def settle(payments: list[list[Any]], *, shown: Any = ("all who are not at 0", "those below 0")) -> dict[str, int]:
    """Each payment is a list of who pays, who gets it and how much. All begin with 0. Return, for {shown}, what they
    have in the end."""
    have: dict[str, int] = {}
    for giver, taker, amount in payments:
        have[giver] = have.get(giver, 0) - amount
        have[taker] = have.get(taker, 0) + amount
    return {name: value for name, value in have.items() if value < 0 or (shown == "all who are not at 0" and value > 0)}


def interviews(wishes: list[list[Any]], *, last: Any = (3, 4), spare: Any = (0, 9)) -> dict[str, int]:
    """Candidates write down their name, the slot they want most and their second wish. Going down the list, everybody
    is given the first wish if nobody has it yet, otherwise the second, otherwise {spare}. Only the slots 1 to {last}
    exist; any other wish is treated as gone. Give back who has which slot."""
    got: dict[str, int] = {}
    for name, first, second in wishes:
        free = [slot for slot in (first, second) if 1 <= slot <= last and slot not in got.values()]
        got[name] = free[0] if free else spare
    return got


def journey(legs: list[list[Any]], home: str, *, change: Any = (2, 3, 4)) -> list[Any]:
    """A timetable: every leg names where it starts, where it goes, and its hours of departure and arrival; departures
    never go back in time from one leg to the next. A traveller waits at `home`, goes through the timetable once and boards every
    leg that starts where they are, except those that depart less than {change} hours after their latest arrival. Give
    back the place and the hour of the final arrival; `home` and 0 if they never left."""
    place, hour = home, 0
    for start, goal, leaves, arrives in legs:
        if start == place and (hour == 0 or leaves - hour >= change):
            place, hour = goal, arrives
    return [place, hour]


def albums(photos: list[list[Any]], *, apart: Any = (2, 3, 7)) -> list[list[str]]:
    """Photos come as title and day number, in no special order. Sort them into albums by day: a photo opens a new
    album when it was taken {apart} days or more after the photo just before it. Titles of one day are put in
    alphabetical sequence. Give back the albums, oldest one at the front, as lists of titles."""
    out: list[list[str]] = []
    before = 0
    for title, day in sorted(photos, key=lambda photo: (photo[1], photo[0])):
        if not out or day - before >= apart:
            out.append([])
        out[-1].append(title)
        before = day
    return out


def price_on(changes: list[list[Any]], thing: str, day: int, *, without: Any = (0, -1)) -> int:
    """Every change of a price says on which day it began to hold, for what, and the new price; the entries are
    not sorted. Find the price of `thing` on `day`: that of the youngest change which had begun by then. Two changes
    of one day: the entry further down is valid. No change so far means {without}."""
    best = 0
    price = without
    for begun, what, new in changes:
        if what == thing and best <= begun <= day:
            best, price = begun, new
    return price


def still_in(matches: list[list[str]], *, lives: Any = (1, 2)) -> list[str]:
    """A club plays a knockout; every match is noted as winner and loser, the earliest at the top. Whoever has lost {lives}
    of them is out. A match is void, and changes nothing, if somebody in it was out by that time. Give back by
    alphabet everyone who was in some match, void ones too, and is not out."""
    lost: dict[str, int] = {}
    for winner, loser in matches:
        for each in (winner, loser):
            lost.setdefault(each, 0)
        if lost[winner] < lives and lost[loser] < lives:
            lost[loser] += 1
    return sorted(name for name, count in lost.items() if count < lives)


def _legs(draw: Random) -> tuple[list[list[Any]], str]:
    leaves = sorted(draw.randint(1, 14) for _ in range(draw.randint(0, 7)))
    return [
        [*draw.sample(["Quay", "Mill", "Fort"], 2), hour, hour + draw.randint(1, 3)] for hour in leaves
    ], draw.choice(["Quay", "Mill", "Fort"])


FAMILIES = {
    "rows": [
        settle,
        interviews,
        journey,
        albums,
        price_on,
        still_in,
    ],
}
INPUTS = {
    "settle": lambda draw: ([[*draw.sample(NAMES[:3], 2), draw.randint(1, 3)] for _ in range(draw.randint(0, 5))],),
    "interviews": lambda draw: (
        [[each, draw.randint(0, 5), draw.randint(1, 5)] for each in draw.sample(GUESTS, draw.randint(0, 4))],
    ),
    "journey": _legs,
    "albums": lambda draw: (
        [
            [each, draw.randint(1, 12)]
            for each in draw.sample(["dune", "gate", "kite", "pond", "rock"], draw.randint(0, 5))
        ],
    ),
    "price_on": lambda draw: (
        [
            [draw.randint(1, 3), draw.choice(["bun", "bun", "jam"]), draw.randint(2, 9)]
            for _ in range(draw.randint(0, 7))
        ],
        draw.choice(["bun", "bun", "jam"]),
        draw.randint(1, 4),
    ),
    "still_in": lambda draw: ([draw.sample(GUESTS, 2) for _ in range(draw.randint(0, 6))],),
}
