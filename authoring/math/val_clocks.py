"""Held-out problems whose answer is a time of day. Each function is a family."""

from random import Random

from authoring.math.val_names import NAMES
from verigym.environments.math.questions import Family, Question, clock
from verigym.environments.math.questions import at as time


def night_shift(draw: Random) -> Question:
    start, hours, quarter = draw.randrange(20 * 60, 23 * 60, 15), draw.randint(6, 9), draw.choice([10, 15, 30, 45])
    end = start + hours * 60 + quarter
    return clock(
        draw.choice(
            [
                f"A nurse comes on duty at {time(start)} and stays for {hours} hours and {quarter} minutes. When "
                "does the "
                "shift end "
                "(24-hour "
                "HH:MM)?",
                f"Shift start {time(start)}, duration {hours} hours {quarter} minutes. Shift end, hh:mm?",
            ]
        ),
        f"{time(start)} and {24 * 60 - start} minutes make midnight; {end - 24 * 60} minutes are left.\nThat is "
        f"{time(end)}.",
        end,
    )


def late_parcel(draw: Random) -> Question:
    arrive, early = draw.randrange(13 * 60, 21 * 60, 5), draw.randrange(65, 190, 5)
    return clock(
        draw.choice(
            [
                f"A courier delivered at {time(arrive)}, having been {early} minutes behind schedule. Scheduled "
                "delivery (hh:mm)?",
                f"Delivery occurred at {time(arrive)}, {early} minutes later than promised. Which time had been "
                "promised? Format hh:mm.",
            ]
        ),
        f"{early} minutes are {early // 60} h {early % 60} min.\n{time(arrive)} less that is {time(arrive - early)}.",
        arrive - early,
    )


def sun_up(draw: Random) -> Question:
    noon, length = draw.randrange(12 * 60, 13 * 60 + 30), draw.randrange(8 * 60 + 10, 16 * 60)
    rise = noon - length // 2
    return clock(
        draw.choice(
            [
                f"Sunrise occurs at {time(rise)} and daylight lasts {length // 60} h {length % 60} min. Sunset time "
                "(hh:mm)?",
                f"Daylight today amounts to {length // 60} h {length % 60} min, starting with sunrise at "
                f"{time(rise)}. Report sunset in hh:mm format.",
            ]
        ),
        f"{time(rise)} and {length // 60} hours give {time(rise + length // 60 * 60)}.\nAnother {length % 60} "
        f"minutes give {time(rise + length)}.",
        rise + length,
    )


def lessons(draw: Random) -> Question:
    start, each, gap, which = (
        draw.choice([465, 470, 475, 480, 490]),
        draw.choice([40, 45, 50]),
        draw.choice([5, 10, 15]),
        draw.randint(3, 7),
    )
    begin = start + (which - 1) * (each + gap)
    word = {3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh"}[which]
    return clock(
        draw.choice(
            [
                f"School begins at {time(start)}. Lessons take {each} minutes, separated by {gap}-minute recesses. "
                f"The {word} lesson finishes when (hh:mm)?",
                f"Timetable: first lesson {time(start)}, lesson length {each} min, recess {gap} min between "
                f"consecutive lessons. End of the {word} lesson, hh:mm?",
            ]
        ),
        f"{which - 1} lessons with a recess each take {(which - 1) * (each + gap)} minutes: the {word} begins at "
        f"{time(begin)}.\n{each} minutes later it is {time(begin + each)}.",
        begin + each,
    )


def parallel_desks(draw: Random) -> Question:
    start, each, waiting, desks = (
        draw.randrange(9 * 60, 14 * 60, 10),
        draw.choice([6, 8, 9, 12, 14]),
        draw.randint(11, 38),
        draw.choice([2, 3, 4]),
    )
    rounds = waiting // desks
    return clock(
        draw.choice(
            [
                f"{desks} desks open simultaneously at {time(start)}; every visitor occupies a desk for precisely "
                f"{each} minutes. {waiting} people queue ahead of you. When does your turn come (hh:mm)?",
                f"Queue position {waiting + 1}, {desks} parallel desks, {each} minutes per visitor without pauses, "
                f"opening {time(start)}. Time at which you get a desk (hh:mm)?",
            ]
        ),
        f"{desks} people are served in every {each} minutes, so {rounds} full rounds come before you.\n{rounds} × "
        f"{each} = {rounds * each} minutes after {time(start)} it is {time(start + rounds * each)}.",
        start + rounds * each,
    )


def runner_pace(draw: Random) -> Question:
    start, minutes, seconds, km = (
        draw.randrange(7 * 60, 18 * 60, 5),
        draw.randint(4, 7),
        draw.choice([15, 30, 45]),
        draw.choice([8, 12, 16, 20]),
    )
    total = km * (60 * minutes + seconds) // 60
    return clock(
        draw.choice(
            [
                f"{draw.choice(NAMES)} jogs {km} km at a constant pace of {minutes}:{seconds} min per km, departing "
                f"{time(start)} sharp. Finishing time (24-hour clock, hours and minutes)?",
                f"Pace {minutes} min {seconds} s per kilometre, distance {km} km, departure {time(start)}. Compute "
                "the arrival time in hh:mm.",
            ]
        ),
        f"{km} × {60 * minutes + seconds} s = {total} minutes.\n{time(start)} and {total} minutes give "
        f"{time(start + total)}.",
        start + total,
    )


def tide_table(draw: Random) -> Question:
    first, gap, which = draw.randrange(60, 11 * 60), draw.choice([740, 745, 750]), draw.choice([5, 7, 9])
    end = first + gap * (which - 1)
    word = {5: "fifth", 7: "seventh", 9: "ninth"}[which]
    return clock(
        draw.choice(
            [
                f"High tides recur every {gap // 60} h {gap % 60} min. Tide one peaked Monday at {time(first)}. "
                f"Clock reading at the {word} peak (hh:mm)?",
                f"Monday's earliest high tide: {time(first)}. Interval between high tides: {gap // 60} h {gap % 60} "
                f"min. State the clock time of the {word} high tide in hh:mm, whatever the day.",
            ]
        ),
        f"{which - 1} intervals are {gap * (which - 1)} minutes, {gap * (which - 1) // 60} h "
        f"{gap * (which - 1) % 60} min.\nFrom {time(first)} on that leads to {time(end)}.",
        end,
    )


EASY: list[Family] = [
    night_shift,
    late_parcel,
    sun_up,
    lessons,
]
MEDIUM: list[Family] = [
    parallel_desks,
    runner_pace,
]
HARD: list[Family] = [
    tide_table,
]
