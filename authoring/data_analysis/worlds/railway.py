"""Held out. A narrow-gauge railway: when each train was due at a halt and when it came, if it did."""

from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from authoring.data_analysis.asked import Asked, rounded
from authoring.data_analysis.worlds.world import Look, Rows, World, best, need

HALTS = ["Slate Bottom", "Fern Loop", "Pithead", "Heron Dam", "Cutting End", "Summit Hut"]
TRAINS = ["Bluebell", "Old Ned", "Marigold", "The Duchess"]


class Halt(NamedTuple):
    halt_code: int
    halt_title: str
    km: int


class Stop(NamedTuple):
    stop_no: int
    engine: str
    ran_on: date
    halt_code: int
    due: str
    came: str | None


def rows(draw: Random) -> Rows:
    km, halts = 0, []
    for at, name in enumerate(HALTS):
        halts.append(Halt(90 + at, name, km))
        km += draw.randrange(3, 9)
    begin, stops = date(2025, draw.randrange(5, 9), draw.randrange(1, 12)), []
    for day in range(12):
        for at, engine in enumerate(TRAINS):
            if draw.random() < 0.35:
                continue
            start, late = 8 * 60 + 95 * at, draw.choice((0, 0, 1, 3))
            for halt in halts:
                due = start + 3 * halt.km
                came = None if draw.random() < 0.05 else _clock(due + late)
                stops.append(Stop(len(stops) + 1, engine, begin + timedelta(day), halt.halt_code, _clock(due), came))
                late = max(0, late + draw.choice((-1, 0, 0, 1, 2, 5)))
    return {"halts": halts, "stops": stops}


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _late(stop: Stop) -> int:
    assert stop.came
    hours, minutes = (int(stop.came[at : at + 2]) - int(stop.due[at : at + 2]) for at in (0, 3))
    return 60 * hours + minutes


ALL = "stops JOIN halts USING (halt_code)"


def _lateness(s: Look) -> str:
    return f"({s.minutes('came')} - {s.minutes('due')})"


def _titles(s: Look) -> dict[int, str]:
    return {halt.halt_code: halt.halt_title for halt in s["halts"]}


def punctual_share(s: Look) -> Asked:
    titles, halt, grace = _titles(s), s.pick(HALTS[1:]), s.draw.randrange(1, 6)
    came = [stop for stop in s["stops"] if stop.came and titles[stop.halt_code] == halt]
    share = 100 * sum(_late(stop) <= grace for stop in came) / len(came)
    need(5 < share < 95)
    minutes = "a minute" if grace == 1 else f"{grace} minutes"
    return Asked(
        [
            f"We call a train punctual when it comes no more than {minutes} behind its due time. Percent of trains "
            f"seen at {halt} that were punctual, one digit behind the point? Trains that never came are not seen.",
            f"Punctuality at {halt}, tolerance {minutes}: percent of arrivals, one digit behind the point, absent "
            "trains disregarded.",
            f"Out of a hundred trains that did come to {halt}, how many kept within {minutes} of the timetable (delay "
            "up to and including that)? One digit behind the point.",
        ],
        rounded(share, 1),
        f"SELECT 100.0 * sum(CASE WHEN {_lateness(s)} <= {grace} THEN 1 ELSE 0 END) / count(*) FROM {ALL} "
        f"WHERE halt_title = '{halt}' AND {s.known('came')}",
        places=1,
    )


def worst_day(s: Look) -> Asked:
    engine, halt = s.pick(TRAINS), s.pick(HALTS[2:])
    titles = _titles(s)
    late = {
        stop.ran_on: _late(stop)
        for stop in s["stops"]
        if stop.engine == engine and stop.came and titles[stop.halt_code] == halt
    }
    need(len(late) > 3)
    return Asked(
        [
            f"{engine} was never as far behind time at {halt} as on one date. Which (YYYY-MM-DD)?",
            f"Give me the date, YYYY-MM-DD, when {engine} reached {halt} with its biggest delay.",
            f"Passengers at {halt} waited longest beyond the due time for {engine} on what date (YYYY-MM-DD)?",
        ],
        best(late).isoformat(),
        f"SELECT ran_on FROM {ALL} WHERE engine = '{engine}' AND halt_title = '{halt}' AND {s.known('came')} "
        f"ORDER BY {_lateness(s)} DESC LIMIT 1",
    )


def lost_on_the_way(s: Look) -> Asked:
    early, late = sorted(s.two(range(len(HALTS))))
    engine = s.pick(TRAINS)
    runs: dict[date, dict[int, int]] = {}
    for stop in s["stops"]:
        if stop.engine == engine and stop.came:
            runs.setdefault(stop.ran_on, {})[stop.halt_code - 90] = _late(stop)
    pairs = [(run[early], run[late]) for run in runs.values() if early in run and late in run]
    num = sum(after > before for before, after in pairs)
    need(num and num < len(pairs))
    one, other = HALTS[early], HALTS[late]
    return Asked(
        [
            f"On how many of its runs was {engine} further behind time at {other} than it had been at {one}? Runs "
            "that miss a time at one of the two drop out.",
            f"{engine} loses minutes uphill. Runs where its delay grew from {one} to {other}, both times being known: "
            "how many?",
            f"Between {one} and {other} some runs of {engine} picked up extra delay. Their number, provided it came "
            "to both halts?",
        ],
        num,
        "SELECT count(*) FROM stops a JOIN stops b ON a.engine = b.engine AND a.ran_on = b.ran_on WHERE a.engine = "
        f"'{engine}' AND a.halt_code = {90 + early} AND b.halt_code = {90 + late} AND {s.known('a.came')} AND "
        f"{s.known('b.came')} AND {s.minutes('b.came')} - {s.minutes('b.due')} > {s.minutes('a.came')} - "
        f"{s.minutes('a.due')}",
    )


def did_not_call(s: Look) -> Asked:
    day = s.pick(stop.ran_on for stop in s["stops"])
    titles = _titles(s)
    missed = [stop for stop in s["stops"] if stop.came is None and stop.ran_on >= day]
    engine = s.pick(TRAINS)
    found = sorted({titles[stop.halt_code] for stop in missed if stop.engine == engine})
    need(1 <= len(found) <= 4)
    return Asked(
        [
            f"Starting with {day}, which halts were left out by {engine} at least once (due, yet never came)? Sorted "
            "as you like.",
            f"Where did people wait in vain for {engine}, {day} or thereafter? All halts having a due time but no "
            "arrival; sequence irrelevant.",
            f"Tell me each halt that {engine} failed to reach on some run of {day} or thereafter. Sequence irrelevant.",
        ],
        found,
        f"SELECT DISTINCT halt_title FROM {ALL} WHERE engine = '{engine}' AND ran_on >= '{day}' AND "
        f"{s.unknown('came')}",
        ordered=False,
        look=("stops", "came"),
    )


def delay_along_the_line(s: Look) -> Asked:
    stop = s.pick((each.engine, each.ran_on) for each in s["stops"])
    engine, day = stop
    found = [each for each in s["stops"] if (each.engine, each.ran_on) == stop and each.came]
    need(len(found) > 3)
    kms = {halt.halt_code: halt.km for halt in s["halts"]}
    points = sorted([kms[each.halt_code], _late(each)] for each in found)
    return Asked(
        [
            f"Trace {engine} on {day}: a line with kilometres across and minutes behind time upward, halts it "
            "reached, valley to summit. Reply with its greatest delay in minutes.",
            f"Delay against distance, one line, {engine} on {day}; across go the km of every halt reached, climbing. "
            "How many minutes is it late where it is latest?",
            f"Let a line show how late {engine} ran on {day}, from the smallest km to the largest, halts without an "
            "arrival omitted. At how many minutes does it culminate?",
        ],
        max(late for _, late in points),
        f"SELECT {s.num('km')} AS km, {_lateness(s)} AS late FROM {ALL} WHERE engine = '{engine}' AND ran_on = "
        f"'{day}' AND {s.known('came')} ORDER BY 1",
        chart={"kind": "line", "points": points},
    )


def start_and_finish(s: Look) -> Asked:
    engine = s.pick(TRAINS)
    one, other = sorted(s.two(range(len(HALTS))))
    runs: dict[date, dict[int, int]] = {}
    for stop in s["stops"]:
        if stop.engine == engine and stop.came:
            runs.setdefault(stop.ran_on, {})[stop.halt_code - 90] = _late(stop)
    points = {day: [run[one], run[other]] for day, run in runs.items() if one in run and other in run}
    need(len(points) > 3)
    return Asked(
        [
            f"Scatter the runs of {engine}: delay at {HALTS[one]} across, delay at {HALTS[other]} upward, in minutes, "
            "runs that miss one of them omitted. Add together all the upward values and reply with that.",
            f"Does a late start mean a late finish? {engine}, run by run, minutes behind time at {HALTS[one]} versus "
            f"{HALTS[other]} (vertical) in a scatter chart; both arrivals needed. Wanted: the vertical values summed.",
            f"A scatter of {engine}'s delays in minutes, horizontally those at {HALTS[one]}, vertically those at "
            f"{HALTS[other]}, a dot for any run that reached both. What do the vertical ones sum to?",
        ],
        sum(point[1] for point in points.values()),
        f"SELECT {s.minutes('a.came')} - {s.minutes('a.due')} AS x, {s.minutes('b.came')} - {s.minutes('b.due')} AS y "
        f"FROM stops a JOIN stops b ON a.engine = b.engine AND a.ran_on = b.ran_on WHERE a.engine = '{engine}' AND "
        f"a.halt_code = {90 + one} AND b.halt_code = {90 + other} AND {s.known('a.came')} AND {s.known('b.came')}",
        chart={"kind": "scatter", "points": list(points.values())},
    )


WORLD = World(
    "railway", "the running sheets of a narrow-gauge railway", rows,
    {
        "aggregates": [punctual_share], "dates": [worst_day], "trends": [lost_on_the_way], "missing": [did_not_call],
        "charts": [delay_along_the_line, start_and_finish],
    },
)  # fmt: skip
