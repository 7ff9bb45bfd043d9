"""Held out. Water meters, read each month: a reading is what has run through so far. Some meters were exchanged."""

from datetime import date
from itertools import pairwise
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, quoted, ranked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, need

HOUSES = ["Ivy Cottage", "Number Nine", "The Lodge", "Weir House", "Old Forge", "Pear Tree", "Gatehouse", "Top Flat"]
ROWS = ["Canal Row", "Chapel Row"]
MONTHS = [date(2025, month, 1) for month in range(1, 13)]


class Meter(NamedTuple):
    meter: str
    house: str
    row_name: str
    people: int


class Reading(NamedTuple):
    slip: int
    meter: str
    read_on: date
    litres: int | None


def rows(draw: Random) -> Rows:
    meters = [
        Meter(f"wm{draw.randrange(100, 1000)}{at}", house, ROWS[at % 2], draw.randrange(1, 7))
        for at, house in enumerate(HOUSES)
    ]
    readings: list[Reading] = []
    exchanged = set(draw.sample(range(len(meters)), 3))
    for at, meter in enumerate(meters):
        level, change = draw.randrange(20_000, 90_000), draw.randrange(3, 11) if at in exchanged else 0
        for month in MONTHS:
            if month.month == change:
                level = draw.randrange(100, 900)
            lost = month.month not in (1, 12) and at not in exchanged and draw.random() < 0.1
            readings.append(Reading(0, meter.meter, month, None if lost else level))
            level += meter.people * draw.randrange(1400, 4200)
    readings += draw.sample([each for each in readings if each.litres is not None], 6)
    draw.shuffle(readings)
    return {"meters": meters, "slips": [each._replace(slip=601 + at) for at, each in enumerate(readings)]}


def _levels(s: Look, meter: Meter) -> dict[date, int]:
    found = {each.read_on: each.litres for each in s["slips"] if each.meter == meter.meter and each.litres is not None}
    return dict(sorted(found.items()))


def _steady(s: Look) -> list[Meter]:
    """Meters that were not exchanged."""
    return [m for m in s["meters"] if all(early <= late for early, late in pairwise(_levels(s, m).values()))]


ALL = "slips JOIN meters USING (meter)"


def _sql_levels(s: Look) -> str:
    """A CTE with each known reading once."""
    return (
        f"WITH v AS (SELECT DISTINCT house, row_name, {s.num('people')} AS people, read_on, {s.num('litres')} AS "
        f"litres FROM {ALL} WHERE {s.known('litres')})"
    )


def used_between(s: Look) -> Asked:
    meter = s.pick(_steady(s))
    levels = _levels(s, meter)
    first, last = sorted(s.two(levels))
    return Asked(
        [
            f"How many litres ran through the meter of {meter.house} from its reading on {first} until that on {last}?",
            f"{meter.house}: consumption in litres, {first} until {last}, as the two readings show it?",
            f"Prepare the water bill of {meter.house} for {first} until {last}. Litres used? Its meter stayed in "
            "place all that time.",
        ],
        levels[last] - levels[first],
        f"{_sql_levels(s)} SELECT max(litres) - min(litres) FROM v WHERE house = '{meter.house}' AND read_on IN "
        f"('{first}', '{last}')",
    )


def thirstiest_month(s: Look) -> Asked:
    meter, least = s.pick(_steady(s)), s.draw.choice((True, False))
    levels = _levels(s, meter)
    used = {
        early: levels[late] - levels[early]
        for early, late in pairwise(MONTHS)
        if early in levels and late in levels
    }  # fmt: skip
    need(len(used) > 5)
    word = "least" if least else "most"
    half = "CAST(substr(CAST({0} AS VARCHAR), 6, 2) AS INTEGER)"
    return Asked(
        [
            f"Readings are taken on the first of a month. In which month (YYYY-MM) did {meter.house} use {word} "
            "water, judging by that reading and the following month's? Months lacking one of the two are disregarded.",
            f"{meter.house}, month with {word} litres used, YYYY-MM: take each first-of-month reading from that of the "
            "next month; a month missing either has no say.",
            f"When did {meter.house} draw {word} water? A month runs from its reading on the first to the one on the "
            "first of the next; if either is blank it is disregarded. YYYY-MM.",
        ],
        best(used, least).isoformat()[:7],
        f"{_sql_levels(s)} SELECT {s.month('a.read_on')} FROM v a JOIN v b ON a.house = b.house AND "
        f"{half.format('b.read_on')} = {half.format('a.read_on')} + 1 WHERE a.house = '{meter.house}' ORDER BY "
        f"b.litres - a.litres {'' if least else 'DESC '}LIMIT 1",
    )


def per_person(s: Look) -> Asked:
    first, last = sorted(s.two(MONTHS))
    used: dict[str, float] = {}
    for meter in _steady(s):
        levels = _levels(s, meter)
        if first in levels and last in levels:
            used[meter.house] = (levels[last] - levels[first]) / meter.people
    need(len(used) > 3)
    exchanged = [meter.house for meter in s["meters"] if meter not in _steady(s)]
    out = f"{', '.join(exchanged[:-1])} and {exchanged[-1]}"
    return Asked(
        [
            f"Litres per inhabitant, {first} until {last}: three thriftiest houses, thriftiest leading? Houses "
            f"lacking one of these readings and those whose meter was exchanged at some time ({out}) stay out.",
            f"Setting aside {out} (new meters) and any house without readings on both {first} and {last}, who "
            "used fewest litres per head in between? Three houses, thriftiest leading.",
            f"Thrift award: fewest litres a head by the readings of {first} and {last}; both must exist, and "
            f"{out} may not compete. Gold, silver, bronze?",
        ],
        ranked(used, 3, least=True),
        f"{_sql_levels(s)} SELECT a.house FROM v a JOIN v b ON a.house = b.house WHERE a.read_on = '{first}' AND "
        f"b.read_on = '{last}' AND a.house NOT IN ({', '.join(map(quoted, exchanged))}) ORDER BY 1.0 * (b.litres - "
        "a.litres) / a.people LIMIT 3",
    )


def no_reading(s: Look) -> Asked:
    first, last = sorted(s.two(MONTHS))
    houses = {meter.meter: meter.house for meter in s["meters"]}
    blank = [each for each in s["slips"] if each.litres is None and first <= each.read_on <= last]
    found = sorted({houses[each.meter] for each in blank})
    need(1 <= len(found) <= 4)
    return Asked(
        [
            f"Nobody was at home at times. Which houses have a slip without litres, {first} until {last} inclusive? "
            "Sequence irrelevant.",
            f"Blank slips, dates {first} until {last}, these two included: what houses, sorted as you like?",
            f"Tell me the houses whose meter could not be read on some date no earlier than {first} and no later than "
            f"{last}; sorted as you like.",
        ],
        found,
        f"SELECT DISTINCT house FROM {ALL} WHERE {s.unknown('litres')} AND read_on BETWEEN '{first}' AND '{last}'",
        ordered=False,
        look=("slips", "litres"),
    )


def ran_backwards(s: Look) -> Asked:
    row_name = s.pick(ROWS)
    found: dict[str, str] = {}
    for meter in s["meters"]:
        for (_, before), (day, after) in pairwise(_levels(s, meter).items()):
            if after < before and meter.row_name == row_name:
                found[meter.house] = day.isoformat()
    house = s.pick(found) if found else ""
    need(house)
    return Asked(
        [
            f"A meter was exchanged at {house}, so its count fell. Date of the earliest slip from the new meter "
            "(YYYY-MM-DD)?",
            f"On what date (YYYY-MM-DD) does {house} show fewer litres than on its slip just before, by calendar?",
            f"Meters cannot run backwards, yet {house} has one reading below its predecessor in time. Taken when? "
            "YYYY-MM-DD.",
        ],
        found[house],
        f"{_sql_levels(s)}, l AS (SELECT read_on, litres, lag(litres) OVER (ORDER BY read_on) AS before FROM v WHERE "
        f"house = '{house}') SELECT read_on FROM l WHERE litres < before",
    )


def climbing_line(s: Look) -> Asked:
    meter = s.pick(_steady(s))
    levels = _levels(s, meter)
    first, last = sorted(s.two(levels))
    points = [[day.isoformat(), litres] for day, litres in levels.items() if first <= day <= last]
    need(len(points) > 4)
    mean = rounded((points[-1][1] - points[0][1]) / (last - first).days, 1)
    return Asked(
        [
            f"Trace the meter of {meter.house} with a line: dates (YYYY-MM-DD) across, chronologically, litres "
            f"upward, {first} until {last}, doubled slips once, blank ones omitted. Reply with litres per day over "
            "that time, one digit behind the point.",
            f"{meter.house}, known readings of {first} until {last} as a line, dates YYYY-MM-DD in sequence, a date "
            "never twice. Mean litres per day in between (last less earliest, over days), one digit behind the point?",
            f"Let a line show each reading {meter.house} had, {first} until {last}, chronological, YYYY-MM-DD, "
            "repeats and blanks removed; then work out litres per day for the whole stretch, one digit behind the "
            "point.",
        ],
        mean,
        f"{_sql_levels(s)} SELECT read_on, litres FROM v WHERE house = '{meter.house}' AND read_on BETWEEN '{first}' "
        f"AND '{last}' ORDER BY read_on",
        places=1,
        chart={"kind": "line", "points": points},
    )


WORLD = World(
    "meters", "water meters of a terrace, 2025", rows,
    {
        "trends": [used_between, thirstiest_month], "top": [per_person], "missing": [no_reading],
        "outliers": [ran_backwards], "charts": [climbing_line],
    },
)  # fmt: skip
