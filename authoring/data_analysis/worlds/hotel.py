"""A harbour hotel: rooms and stays, from the day of arrival to the day of departure. What was not paid is missing."""

from datetime import date, timedelta
from itertools import pairwise
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, grouped, one, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, in_full, month_of, need

GUESTS = [
    "Abery",
    "Bidwell",
    "Coyle",
    "Dunstan",
    "Eames",
    "Farrow",
    "Gadd",
    "Hocking",
    "Inskip",
    "Jolly",
    "Kitto",
    "Luff",
]


class Room(NamedTuple):
    room_no: int
    floor: int
    beds: int
    rate: int


class Stay(NamedTuple):
    stay_no: int
    room_no: int
    guest: str
    arrival: date
    departure: date
    paid: int | None


def rows(draw: Random) -> Rows:
    rooms = [
        Room(100 * floor + at, floor, draw.randrange(1, 5), draw.randrange(60, 150, 5))
        for floor in (1, 2, 3, 4)
        for at in (1, 2, 3)
    ]
    stays: list[Stay] = []
    for room in rooms:
        day = date(2025, 3, 1) + timedelta(draw.randrange(8))
        while day < date(2025, 8, 10):
            nights = draw.choice((1, 2, 2, 3, 3, 4, 5, 7, 9))
            price = nights * room.rate
            paid = None if draw.random() < 0.1 else price - draw.choice((0, 0, 0, 0, 0, 0, 10, 25, -30))
            stays.append(Stay(0, room.room_no, draw.choice(GUESTS), day, day + timedelta(nights), paid))
            early = draw.random() < 0.08
            day += timedelta(max(1, nights - 1) if early else nights + draw.randrange(14))
    stays.sort(key=lambda stay: (stay.arrival, stay.room_no))
    return {"rooms": rooms, "stays": [stay._replace(stay_no=7001 + at) for at, stay in enumerate(stays)]}


BOTH = "stays JOIN rooms USING (room_no)"


def _nights(stay: Stay) -> int:
    return (stay.departure - stay.arrival).days


def _on_floor(s: Look, floor: int) -> list[Stay]:
    return [stay for stay in s["stays"] if stay.room_no // 100 == floor]


def free_rooms(s: Look) -> Asked:
    night = s.pick(stay.arrival for stay in s["stays"])
    taken = {stay.room_no for stay in s["stays"] if stay.arrival <= night < stay.departure}
    beds = s.draw.choice((1, 2, 3))
    free = [room.room_no for room in s["rooms"] if room.room_no not in taken and room.beds >= beds]
    need(1 <= len(free) <= 6)
    have = "at least one bed" if beds == 1 else f"{beds} or more beds"
    return Asked(
        [
            f"Which rooms with {have} were free in the night from {night} to the next day? Room numbers, any order. "
            "On the day of departure a guest no longer sleeps here.",
            f"Somebody wanted a room on {night} for one night, with {have}. List every room_no that nobody slept in "
            "that night, in any order.",
            f"Night of {night}: list the vacant rooms having {have} (numbers, order free). A stay covers the nights "
            "from its arrival up to, not including, its departure.",
            f"I need all room numbers, in whatever order, with {have} and no guest in the night that began on "
            f"{night}. A guest who departs that day has left by then.",
        ],
        free,
        f"SELECT room_no FROM rooms WHERE {s.num('beds')} >= {beds} AND room_no NOT IN (SELECT room_no FROM stays "
        f"WHERE arrival <= '{night}' AND departure > '{night}')",
        ordered=False,
    )


def double_booked(s: Look) -> Asked:
    floor = s.draw.randrange(1, 5)
    found = {
        a.stay_no
        for a in _on_floor(s, floor)
        for b in s["stays"]
        if a.room_no == b.room_no and a.arrival < b.arrival < a.departure
    }
    need(1 <= len(found) <= 7)
    return Asked(
        [
            f"Some rooms on floor {floor} were given away twice for a night. Which stays were still going on when the "
            "next guest arrived in the same room? stay_no values of the earlier stays, any order.",
            f"For the rooms of floor {floor}, list (in any order) each stay_no during which another stay in that room "
            "began: on a later day than this one, but before its departure.",
            f"Find the double bookings of floor {floor}. A stay counts if a second stay of the same room arrives "
            "after its arrival and before its departure. Give the stay_no of the one that came first; order does not "
            "matter.",
            f"Who had to share on floor {floor}? I want the numbers (stay_no, any order) of all stays whose room was "
            "taken over by someone arriving strictly between their arrival and their departure.",
        ],
        sorted(found),
        "SELECT DISTINCT a.stay_no FROM stays a JOIN stays b ON a.room_no = b.room_no AND b.arrival > a.arrival "
        f"AND b.arrival < a.departure JOIN rooms ON rooms.room_no = a.room_no WHERE {s.num('floor')} = {floor}",
        ordered=False,
    )


def wrong_bill(s: Look) -> Asked:
    floor, month = s.draw.randrange(1, 5), s.pick(month_of(stay.arrival) for stay in s["stays"])
    rates = {room.room_no: room.rate for room in s["rooms"]}
    found = [
        stay.stay_no
        for stay in _on_floor(s, floor)
        if stay.paid is not None and stay.paid < _nights(stay) * rates[stay.room_no] and month_of(stay.arrival) <= month
    ]
    need(1 <= len(found) <= 6)
    return Asked(
        [
            f"Who paid too little on floor {floor}? List the stay_no of stays with an arrival up to the end of "
            f"{month} where less was paid than nights times the rate. Any order; stays with nothing entered as paid "
            "do not count.",
            f"Nights times rate is the price. For floor {floor}, arrivals in {month} or earlier: which stays "
            "(stay_no, any order) have a payment below the price? A missing payment is another matter.",
            f"Floor {floor}, arrival no later than {month}. List every stay_no whose paid amount is entered and "
            "smaller than the rate multiplied by the nights, in any order.",
            "The bookkeeper suspects bills that are too low. Compare what was paid with rate x nights, skipping "
            f"stays without payment, on floor {floor} until the end of {month} (by arrival), and give the stay_no of "
            "those underpaid. Order is free.",
        ],
        found,
        f"SELECT stay_no FROM {BOTH} WHERE {s.num('floor')} = {floor} AND {s.month('arrival')} <= '{month}' AND "
        f"{s.known('paid')} AND {s.num('paid')} < {s.days('departure', 'arrival')} * {s.num('rate')}",
        ordered=False,
    )


def still_owed(s: Look) -> Asked:
    guest = s.pick(GUESTS)
    rates = {room.room_no: room.rate for room in s["rooms"]}
    owed = [stay for stay in s["stays"] if stay.guest == guest and stay.paid is None]
    need(owed)
    return Asked(
        [
            f"What does {guest} still owe us? For each stay of theirs with no payment entered, nights times the "
            "room's rate.",
            f"Stays of {guest} where paid is missing: the sum of nights x rate?",
            f"The guest {guest} left without paying at least once. Nights times rate, over every stay of {guest} that "
            "has no payment: how much is it in all?",
            f"Write a bill for {guest}. It has all the stays for which nothing was entered as paid, each at the rate "
            "of its room per night. What is the total?",
        ],
        sum(_nights(stay) * rates[stay.room_no] for stay in owed),
        f"SELECT sum({s.days('departure', 'arrival')} * {s.num('rate')}) FROM {BOTH} WHERE guest = '{guest}' "
        f"AND {s.unknown('paid')}",
        look=("stays", "paid"),
    )


def growing_months(s: Look) -> Asked:
    floor = s.draw.randrange(1, 5)
    beds = s.draw.choice((1, 2, 3))
    big = {room.room_no for room in s["rooms"] if room.beds >= beds}
    nights = grouped([x for x in _on_floor(s, floor) if x.room_no in big], lambda x: month_of(x.arrival), _nights)
    months = sorted(nights)
    need(len(months) == 6)
    changes = {late: nights[late] - nights[early] for early, late in pairwise(months)}
    kind, least = s.draw.choice((("rise", False), ("fall", True)))
    answer = best(changes, least)
    need(changes[answer] < 0 if least else changes[answer] > 0)
    size = "" if beds == 1 else f" in rooms with {beds} or more beds"
    return Asked(
        [
            f"Nights on floor {floor}{size}, counted in the month of arrival: which month shows the greatest {kind} "
            "against the month before? (YYYY-MM)",
            f"For floor {floor}, add up the nights of stays{size} by month of arrival. Which month brought the "
            f"steepest {kind} over the previous one? Write YYYY-MM.",
            f"When did business on floor {floor}{size} {kind} most from one month to the next? Measured in nights, "
            "each stay belonging as a whole to its month of arrival. The later of the two months, as YYYY-MM.",
            f"Compare each month with the one before it (nights of all stays{size} on floor {floor}, by arrival). At "
            f"which month, YYYY-MM, is the {kind} largest?",
        ],
        answer,
        f"WITH t AS (SELECT {s.month('arrival')} AS month, sum({s.days('departure', 'arrival')}) AS nights FROM "
        f"{BOTH} WHERE {s.num('floor')} = {floor} AND {s.num('beds')} >= {beds} GROUP BY 1), c AS (SELECT month, "
        "nights - lag(nights) OVER (ORDER BY month) AS change FROM t) SELECT month FROM c WHERE change IS NOT NULL "
        f"ORDER BY change {'' if least else 'DESC '}LIMIT 1",
    )


def returning_guests(s: Look) -> Asked:
    day = s.pick(stay.arrival for stay in s["stays"])
    nights = grouped([stay for stay in s["stays"] if stay.arrival < day], lambda stay: stay.guest, _nights)
    visits = grouped([stay for stay in s["stays"] if stay.arrival < day], lambda stay: stay.guest, one)
    guest = s.pick(nights) if nights else ""
    need(guest and visits[guest] > 2)
    return Asked(
        [
            f"How many nights did {guest} stay on average, over all their stays with an arrival before {day}? Two "
            "decimals.",
            f"{guest} is a regular guest. Mean length of stay in nights, to two decimals, for arrivals earlier than "
            f"{day}?",
            f"Take the stays of {guest} that began before {day}, that day left out, and average their nights (2 "
            "decimals).",
            f"Until {day} (not included, by arrival), what was the usual length of a stay of {guest}? I mean the "
            "average number of nights, with two decimals.",
        ],
        rounded(nights[guest] / visits[guest], 2),
        f"SELECT avg({s.days('departure', 'arrival')}) FROM stays WHERE guest = '{guest}' AND arrival < '{day}'",
        places=2,
    )


def floor_bars(s: Look) -> Asked:
    first, last = sorted(s.two(month_of(stay.arrival) for stay in s["stays"]))
    found = [stay for stay in s["stays"] if first <= month_of(stay.arrival) <= last]
    nights = grouped(found, lambda stay: stay.room_no // 100, _nights)
    need(len(nights) == 4)
    order = in_full(nights)
    return Asked(
        [
            f"Bar chart of nights by floor, most nights first, for stays with an arrival from {first} to {last}, both "
            "months included. Answer with the number of the floor at the left.",
            f"Which floor is the favourite? Sum the nights of stays arriving in {first} up to {last} (inclusive) per "
            "floor and draw bars, x the floor, tallest first. The answer is the floor of the first bar.",
            f"Draw bars: a floor each, height its nights, in descending order; arrivals {first} through {last} only, "
            "stays counted whole. Then answer with the floor that has the most.",
            "I would like a bar chart, sorted from high to low, of the total nights on each floor. Count every stay "
            f"that arrived in the months {first} to {last}, all of its nights. Which floor is ahead of the others?",
        ],
        order[0],
        f"SELECT floor, sum({s.days('departure', 'arrival')}) AS nights FROM {BOTH} WHERE {s.month('arrival')} BETWEEN "
        f"'{first}' AND '{last}' GROUP BY 1 ORDER BY 2 DESC",
        chart={"kind": "bar", "points": [[floor, nights[floor]] for floor in order]},
    )


def nights_and_payment(s: Look) -> Asked:
    guest = s.pick(GUESTS)
    found = [stay for stay in s["stays"] if stay.guest == guest and stay.paid is not None]
    need(len(found) > 4)
    per_night = {stay.stay_no: stay.paid / _nights(stay) for stay in found}
    return Asked(
        [
            f"Scatter chart of the stays of {guest} that have a payment: nights on x, paid on y. Answer with the "
            "stay_no with the highest payment per night.",
            f"Every paid stay of {guest} as a dot, x = nights, y = what was paid (scatter). Which stay_no cost most "
            "per night?",
            f"Plot nights against payment for {guest} in a scatter chart, a point for each stay, leaving out stays "
            "without a payment. The answer: the stay_no where paid divided by nights is largest.",
            f"Does {guest} get a better price for longer stays? Scatter the stays that were paid, number of nights to "
            "the right, amount paid upwards, and give the stay_no with the dearest nights (paid by nights).",
        ],
        best(per_night),
        f"SELECT {s.days('departure', 'arrival')} AS nights, {s.num('paid')} AS amount FROM stays WHERE guest = "
        f"'{guest}' AND {s.known('paid')}",
        chart={"kind": "scatter", "points": [[_nights(stay), stay.paid] for stay in found]},
    )


WORLD = World(
    "hotel", "a hotel at the harbour", rows,
    {
        "filters": [free_rooms], "duplicates": [double_booked], "outliers": [wrong_bill], "missing": [still_owed],
        "trends": [growing_months], "aggregates": [returning_guests], "charts": [floor_bars, nights_and_payment],
    },
)  # fmt: skip
