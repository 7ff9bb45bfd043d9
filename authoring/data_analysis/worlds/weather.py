"""A network of weather masts: four readings a day. -99 is a sensor fault; some readings are lost, some sent twice."""

from collections import Counter, defaultdict
from datetime import date, timedelta
from itertools import pairwise
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, need

SITES = ["Gorse Hill", "Long Strand", "Dyers Weir", "Upper Moss"]
HOURS = ["00:00", "06:00", "12:00", "18:00"]
FAULT = -99


class Mast(NamedTuple):
    mast_id: int
    site: str
    height_m: int


class Reading(NamedTuple):
    reading_no: int
    mast_id: int
    taken_on: date
    hour: str
    degrees: int
    wind: int | None


def rows(draw: Random) -> Rows:
    masts = [Mast(1 + at, site, draw.randrange(5, 60)) for at, site in enumerate(SITES)]
    begin, num_days = date(2025, draw.choice((3, 4, 10)), draw.randrange(1, 10)), 20
    readings: list[Reading] = []
    for mast in masts:
        level = draw.randrange(2, 12)
        for day in range(num_days):
            level += draw.randrange(-3, 4)
            for hour, warmer in zip(HOURS, (-3, -1, 5, 2), strict=True):
                if draw.random() < 0.07:
                    continue
                degrees = FAULT if draw.random() < 0.05 else level + warmer + draw.randrange(-2, 3)
                wind = None if draw.random() < 0.1 else draw.randrange(0, 60)
                readings.append(Reading(0, mast.mast_id, begin + timedelta(day), hour, degrees, wind))
    for again in draw.sample([each for each in readings if each.degrees != FAULT], 10):
        readings.append(again._replace(degrees=again.degrees + draw.choice((-1, 0, 0, 1))))
    readings.sort(key=lambda each: (each.taken_on, each.hour, each.mast_id))
    return {"masts": masts, "readings": [each._replace(reading_no=1 + at) for at, each in enumerate(readings)]}


BOTH = "readings JOIN masts USING (mast_id)"


def _at(s: Look, site: str) -> list[Reading]:
    mast = next(mast.mast_id for mast in s["masts"] if mast.site == site)
    return [each for each in s["readings"] if each.mast_id == mast]


def _good(s: Look, site: str) -> list[Reading]:
    return [each for each in _at(s, site) if each.degrees != FAULT]


def _daily(readings: list[Reading]) -> dict[date, list[int]]:
    days: defaultdict[date, list[int]] = defaultdict(list)
    for each in readings:
        days[each.taken_on].append(each.degrees)
    return dict(days)


def _fine(s: Look) -> str:
    return f"{s.num('degrees')} <> {FAULT}"


def mean_without_faults(s: Look) -> Asked:
    site, hour = s.pick(SITES), s.pick(HOURS)
    found = [each.degrees for each in _good(s, site) if each.hour == hour]
    need(len(found) < sum(each.hour == hour for each in _at(s, site)))
    return Asked(
        [
            f"Average of the degrees read at {site} at {hour}, to two decimals. {FAULT} is no temperature, it means "
            "that the sensor failed.",
            f"What is the mean temperature of the {hour} readings at {site}? Two decimals, please, and do not let "
            f"sensor faults, written as {FAULT}, into it.",
            f"{site}, {hour}: mean degrees (2 decimals), without the readings of {FAULT} that stand for a fault.",
            f"A colleague got far too low an average for {site} at {hour}, because faults are stored as {FAULT}. Give "
            "the right one with two decimals, every other reading counted as it is.",
        ],
        rounded(sum(found) / len(found), 2),
        f"SELECT avg({s.num('degrees')}) FROM {BOTH} WHERE site = '{site}' AND hour = '{hour}' AND {_fine(s)}",
        places=2,
        look=("readings", "degrees"),
    )


def incomplete_days(s: Look) -> Asked:
    site = s.pick(SITES)
    days = sorted({each.taken_on for each in s["readings"]})
    first, last = sorted(s.two(days))
    hours = {day: {each.hour for each in _at(s, site) if each.taken_on == day} for day in days}
    asked = [day for day in days if first <= day <= last]
    num = sum(len(hours[day]) < len(HOURS) for day in asked)
    need(len(asked) > 4 and num > 1 and all(hours[day] for day in asked))
    return Asked(
        [
            f"A mast should report at 00:00, 06:00, 12:00 and 18:00. On how many days from {first} to {last} does "
            f"{site} lack at least one of the four?",
            f"How many incomplete days has {site} between {first} and {last} (both included)? A day is complete with a "
            "reading for each of the four hours, a fault being a reading, too.",
            f"Count the days, {first} up to and including {last}, for which {site} has readings of fewer than four "
            "different hours.",
            f"Readings get lost. For {site} and the days {first} to {last}, both of them included, tell me how many "
            "days do not have all the four hours 00:00, 06:00, 12:00, 18:00.",
        ],
        num,
        f"SELECT count(*) FROM (SELECT taken_on FROM {BOTH} WHERE site = '{site}' AND taken_on BETWEEN '{first}' AND "
        f"'{last}' GROUP BY 1 HAVING count(DISTINCT hour) < 4) AS t",
    )


def sent_twice(s: Look) -> Asked:
    site, other = s.two(SITES)
    by_site = [Counter((each.taken_on, each.hour) for each in _at(s, name)) for name in (site, other)]
    days = sorted({day.isoformat() for counts in by_site for (day, _), num in counts.items() if num > 1})
    need(1 <= len(days) <= 6)
    return Asked(
        [
            f"On which days did {site} or {other} send two readings for the same hour? Dates as YYYY-MM-DD, in any "
            "order.",
            f"List, in any order, the dates (YYYY-MM-DD) on which one of the masts at {site} and {other} has more "
            "than one reading for an hour.",
            f"Look for hours that were reported twice by one mast, at {site} or at {other}. The days on which this "
            "happened, YYYY-MM-DD, order free?",
            f"There should be at most one reading per mast, day and hour. For the sites {site} and {other}, name all "
            "days (YYYY-MM-DD, any order) that break the rule, whether or not the values agree.",
        ],
        days,
        f"SELECT DISTINCT taken_on FROM (SELECT taken_on FROM {BOTH} WHERE site IN ('{site}', '{other}') "
        "GROUP BY site, taken_on, hour HAVING count(*) > 1) AS t",
        ordered=False,
    )


def disagreeing_pairs(s: Look) -> Asked:
    hour, agree = s.pick(HOURS), s.draw.choice((True, False))
    values: defaultdict[tuple[int, date], list[int]] = defaultdict(list)
    for each in s["readings"]:
        if each.hour == hour:
            values[each.mast_id, each.taken_on].append(each.degrees)
    num = sum(len(found) > 1 and (len(set(found)) == 1) == agree for found in values.values())
    need(num)
    word = "the same degrees" if agree else "different degrees"
    return Asked(
        [
            f"How often did a mast send more than one {hour} reading on a day, with {word}?",
            f"Count the cases, a mast and a day each, with several readings for {hour} that have {word}.",
            f"Only {hour}. For some days a mast has two readings; in how many of these cases do they show {word}?",
            f"I am cleaning up the {hour} readings. Number of mast-and-day pairs that occur more than once, with "
            f"{word} in them?",
        ],
        num,
        f"SELECT count(*) FROM (SELECT mast_id, taken_on FROM readings WHERE hour = '{hour}' GROUP BY 1, 2 HAVING "
        f"count(*) > 1 AND count(DISTINCT degrees) {'=' if agree else '>'} 1) AS t",
    )


def widest_day(s: Look) -> Asked:
    site, least = s.pick(SITES), s.draw.choice((True, False))
    first = s.pick(sorted({each.taken_on for each in s["readings"]})[:12])
    days = _daily([each for each in _good(s, site) if each.taken_on >= first])
    spans = {day: max(values) - min(values) for day, values in days.items()}
    word = "smallest" if least else "largest"
    return Asked(
        [
            f"From {first} on, which day had the {word} difference between the warmest and the coldest reading at "
            f"{site}? (YYYY-MM-DD; {FAULT} is a fault and does not count.)",
            f"{site}, {first} and later: day with the {word} span of degrees (highest less lowest of that day, "
            f"without the fault value {FAULT}), as YYYY-MM-DD?",
            f"Ignoring faults ({FAULT}), on what date did temperatures at {site} lie "
            f"{'closest together' if least else 'furthest apart'} within the day? Begin with {first} and answer as "
            "YYYY-MM-DD.",
            f"For each day since {first} (included) take the maximum minus the minimum of degrees at {site}, faults "
            f"of {FAULT} left out. On which day is it {word}? YYYY-MM-DD.",
        ],
        best(spans, least).isoformat(),
        f"SELECT taken_on FROM {BOTH} WHERE site = '{site}' AND {_fine(s)} AND taken_on >= '{first}' GROUP BY 1 "
        f"ORDER BY max({s.num('degrees')}) - min({s.num('degrees')}) {'' if least else 'DESC '}LIMIT 1",
    )


def warmer_than_before(s: Look) -> Asked:
    site, hour = s.pick(SITES), s.pick(HOURS)
    found = [each for each in _good(s, site) if each.hour == hour]
    need(len({each.taken_on for each in found}) == len(found))
    values = [each.degrees for each in sorted(found, key=lambda each: each.taken_on)]
    num = sum(late > early for early, late in pairwise(values))
    return Asked(
        [
            f"Going through the {hour} readings of {site} in order of date, without faults ({FAULT}): how many are "
            "warmer than the one before?",
            f"{site} at {hour}. Drop the readings of {FAULT}, sort the rest by day; how often is the next reading "
            "higher than the previous one?",
            f"How many times did it get warmer at {site} from one good {hour} reading to the next good one? Good "
            f"means other than {FAULT}; days may lie between.",
            f"Compare each {hour} reading at {site} with the latest earlier one of that hour, leaving {FAULT} (a "
            "fault) out of it all. Count the rises.",
        ],
        num,
        f"WITH t AS (SELECT {s.num('degrees')} AS d, lag({s.num('degrees')}) OVER (ORDER BY taken_on) AS before FROM "
        f"{BOTH} WHERE site = '{site}' AND hour = '{hour}' AND {_fine(s)}) SELECT count(*) FROM t WHERE d > before",
    )


def daily_high_line(s: Look) -> Asked:
    site = s.pick(SITES)
    days = sorted({each.taken_on for each in s["readings"]})
    first, last = sorted(s.two(days))
    found = _daily([each for each in _good(s, site) if first <= each.taken_on <= last])
    need(len(found) > 6)
    highs = {day.isoformat(): max(found[day]) for day in sorted(found)}
    return Asked(
        [
            f"Draw the highest temperature of each day at {site} as a line from {first} to {last} (x: YYYY-MM-DD, in "
            f"order). {FAULT} means a fault and is left out. Answer with the warmest day.",
            f"Line chart of daily maxima, {site}, {first} to {last} inclusive, days as YYYY-MM-DD in order of time; "
            f"skip the fault value {FAULT}. On which day is the peak?",
            f"How warm did it get at {site}? One point a day (YYYY-MM-DD, ascending), the maximum of degrees, joined "
            f"to a line, for {first} through {last}, sensor faults ({FAULT}) ignored. The answer is the day of the "
            "highest point.",
            f"From {first} up to {last}, both included: plot the greatest degrees of every day at {site} as a line, "
            f"dates written YYYY-MM-DD and in order. Readings of {FAULT} are faults. Which date is on top?",
        ],
        best(highs),
        f"SELECT taken_on, max({s.num('degrees')}) AS high FROM {BOTH} WHERE site = '{site}' AND {_fine(s)} "
        f"AND taken_on BETWEEN '{first}' AND '{last}' GROUP BY 1 ORDER BY 1",
        chart={"kind": "line", "points": [list(pair) for pair in highs.items()]},
    )


def wind_scatter(s: Look) -> Asked:
    site, hour = s.pick(SITES), s.pick(HOURS)
    found = [each for each in _good(s, site) if each.hour == hour and each.wind is not None]
    need(len(found) > 6)
    return Asked(
        [
            f"Scatter chart for {site} at {hour}: wind on x, degrees on y, one point a reading. Leave out readings "
            f"with no wind or with {FAULT} degrees. How many points does it have?",
            f"Is it colder when it blows? Plot degrees (y) over wind (x) as a scatter for the {hour} readings of "
            f"{site}, without faults ({FAULT}) and without readings that lack wind. Answer: the number of points.",
            f"Take every {hour} reading of {site} that has a wind and is no fault ({FAULT}), and draw a scatter chart "
            "of wind (x) and degrees (y). Tell me how many readings are in it.",
            f"One dot per reading, {site}, {hour} only: x the wind, y the degrees; neither a missing wind nor a "
            f"temperature of {FAULT} may be in it. A scatter chart, and as answer the count of dots.",
        ],
        len(found),
        f"SELECT {s.num('wind')} AS wind, {s.num('degrees')} AS degrees FROM {BOTH} WHERE site = '{site}' AND hour = "
        f"'{hour}' AND {_fine(s)} AND {s.known('wind')}",
        chart={"kind": "scatter", "points": [[each.wind, each.degrees] for each in found]},
        look=("readings", "wind"),
    )


WORLD = World(
    "weather", "a network of weather masts", rows,
    {
        "missing": [mean_without_faults, incomplete_days], "duplicates": [sent_twice, disagreeing_pairs],
        "outliers": [widest_day], "trends": [warmer_than_before], "charts": [daily_high_line, wind_scatter],
    },
)  # fmt: skip
