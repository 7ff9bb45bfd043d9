"""Further training problems about dates and times. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

from authoring.code.random_values import day


def month_days(year: int, month: int, *, wrong: Any = (0, -1)) -> int:
    """Return how many days the month with the number `month` (January is 1) has in `year`. In leap years February
    has 29. A year is a leap year if 4 divides it, except for years that 100 divides and 400 does not. For a month
    that does not exist return {wrong}."""
    if month < 1 or month > 12:
        return wrong
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def twelve_hours(time: str, *, marks: Any = (["am", "pm"], ["a.m.", "p.m."], ["AM", "PM"])) -> str:
    """Change a time such as "15:05" to the clock with twelve hours: "3:05 {marks[1]}". Hours have no leading zero.
    The hour after midnight is "12:05 {marks[0]}" and the hour after noon "12:05 {marks[1]}"."""
    hour = int(time[:2])
    return str((hour + 11) % 12 + 1) + time[2:] + " " + (marks[0] if hour < 12 else marks[1])


def minutes_in(text: str, *, day_hours: Any = (8, 24)) -> int:
    """`text` is a time span such as "2d 3h 15m", where any of the parts may be missing but the order is always the
    same. A day has {day_hours} hours here. Return the minutes of the whole span. Empty text is 0."""
    total = 0
    for part in text.split():
        unit = 1 if part[-1] == "m" else 60 if part[-1] == "h" else 60 * day_hours
        total += int(part[:-1]) * unit
    return total


def day_of_year(date: str, *, first: Any = (0, 1)) -> int:
    """`date` is written like "2027-08-15". Count the days of its year from January 1, which has number {first}, and
    return the number that `date` has."""
    import datetime

    found = datetime.date.fromisoformat(date)
    return (found - datetime.date(found.year, 1, 1)).days + first


def nth_weekday(month: str, *, weekday: Any = (0, 2, 4), nth: Any = (1, 2, 5)) -> str:
    """`month` is such as "2026-03". Return the day of the month that is number {nth} among those with weekday
    {weekday}, where 0 is Monday and 6 is Sunday, written like "2026-03-09". If the month has no such day, return an
    empty string."""
    import datetime

    now = datetime.date.fromisoformat(month + "-01")
    count = 0
    while str(now)[:7] == month:
        if now.weekday() == weekday:
            count += 1
            if count == nth:
                return str(now)
        now += datetime.timedelta(days=1)
    return ""


def unlucky_days(year: int, *, date: Any = (13, 1, 31)) -> int:
    """Return how many months of `year` have a Friday on day {date}. Months without such a day do not count."""
    import datetime

    count = 0
    for month in range(1, 13):
        first = datetime.date(year, month, 1)
        found = first + datetime.timedelta(days=date - 1)
        if found.month == month and found.weekday() == 4:
            count += 1
    return count


def swapped_date(text: str, *, joint: Any = (".", "/", " ")) -> str:
    """Turn a date such as "2027-08-15" around: first comes the day, then the month, then the year, separated by
    {joint!r}. Day and month have no leading zeros. If `text` is not made of three parts of digits with "-" between
    them, return it unchanged."""
    parts = text.split("-")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return text
    return joint.join([str(int(parts[2])), str(int(parts[1])), parts[0]])


def real_date(day: int, month: int, *, february: Any = (28, 29)) -> bool:
    """Say whether a day and a month, given as numbers, exist in a year in which February has {february} days."""
    if month < 1 or month > 12:
        return False
    last = february if month == 2 else 30 if month in (4, 6, 9, 11) else 31
    return 1 <= day <= last


def day_part(time: str, *, noon: Any = (12, 13), evening: Any = (17, 18)) -> str:
    """Return "night" for times before 06:00 and from 22:00 on, "morning" before {noon}:00, "afternoon" before
    {evening}:00, and otherwise "evening". `time` is such as "07:30"."""
    hour = int(time[:2])
    if hour < 6 or hour >= 22:
        return "night"
    if hour < noon:
        return "morning"
    return "afternoon" if hour < evening else "evening"


def local_time(time: str, hours: int, *, sign: Any = (["+1", "-1"], [" (next day)", " (day before)"])) -> str:
    """Return the time `hours` hours later than `time`, such as "09:30", or earlier if `hours` is negative. If it is
    on the next day, put {sign[0]!r} behind it, and if it is on the day before, {sign[1]!r}. `hours` is between -24
    and 24."""
    total = int(time[:2]) + hours
    mark = sign[0] if total >= 24 else sign[1] if total < 0 else ""
    return f"{total % 24:02}" + time[2:] + mark


def hand_angle(time: str, *, hand: Any = ("moves all the time", "jumps at the full hour")) -> int:
    """Return the angle between the two hands of a clock at `time`, such as "15:30", in degrees from 0 to 180,
    rounded down. The minute hand moves by 6 degrees every minute. The hour hand moves by 30 degrees per hour and
    {hand}."""
    hour, minute = int(time[:2]) % 12, int(time[3:])
    doubled = hour * 60 + minute if hand == "moves all the time" else hour * 60
    gap = abs(doubled - minute * 12)
    return min(gap, 720 - gap) // 2


def free_times(busy: list[list[int]], *, opens: Any = (8, 9), closes: Any = (16, 18)) -> list[list[int]]:
    """A day goes from hour {opens} to hour {closes}. `busy` has lists of the first and the last hour of
    appointments, which lie within the day, are in order and do not overlap. Return the free times between and
    around them in the same form. Leave out free times of length 0."""
    out: list[list[int]] = []
    now = opens
    for start, end in busy:
        if start > now:
            out.append([now, start])
        now = end
    if now < closes:
        out.append([now, closes])
    return out


def week_strip(start: str, *, count: Any = (5, 7, 10)) -> str:
    """Return one letter for each of the {count} days that begin with `start`, such as "2027-08-15". It is "W" for a
    Saturday or a Sunday, "1" for the first day of a month that is no Saturday or Sunday, and "." for any other
    day."""
    import datetime

    out = ""
    for at in range(count):
        now = datetime.date.fromisoformat(start) + datetime.timedelta(days=at)
        out += "W" if now.weekday() >= 5 else "1" if now.day == 1 else "."
    return out


def longest_streak(days: list[str], *, pause: Any = (1, 2)) -> int:
    """Somebody noted every day of practice, written like "2027-08-15", unsorted and sometimes more than once. A
    streak goes on from one practice day to the following one if {pause} or fewer other days lie between the two.
    Count the different practice days of each streak and return the highest count. An empty list gives 0."""
    import datetime

    found = sorted({datetime.date.fromisoformat(each).toordinal() for each in days})
    best = now = 0
    for at, each in enumerate(found):
        now = now + 1 if at and each - found[at - 1] <= pause + 1 else 1
        best = max(best, now)
    return best


def lap_times(stamps: list[str], *, worst: Any = ("fastest", "slowest")) -> int:
    """`stamps` are the times at which a runner passed the start, such as "03:25" for minutes and seconds, in order.
    A lap is the time from one stamp to the next. Return how many seconds the {worst} lap took. Without a lap return
    -1."""
    seconds = [int(each[:2]) * 60 + int(each[3:]) for each in stamps]
    laps = [b - a for a, b in zip(seconds, seconds[1:])]  # noqa: B905, RUF007
    if not laps:
        return -1
    return min(laps) if worst == "fastest" else max(laps)


def _time(draw: Random) -> str:
    return draw.choice(
        [
            f"{draw.randint(0, 23):02}:{draw.randint(0, 59):02}",
            draw.choice(["00:00", "12:00", "23:59", "06:00", "22:00", "11:59"]),
        ]
    )


def _busy(draw: Random) -> tuple[list[list[int]]]:
    hours = sorted(draw.sample(range(9, 17), draw.choice([0, 2, 4, 6])))
    return (
        [
            [hours[at] - (draw.random() < 0.3 and at > 0 and hours[at] - 1 == hours[at - 1]), hours[at + 1]]
            for at in range(0, len(hours), 2)
        ],
    )


FAMILIES = {
    "dates": [
        month_days,
        twelve_hours,
        minutes_in,
        day_of_year,
        nth_weekday,
        unlucky_days,
        swapped_date,
        real_date,
        day_part,
        local_time,
        hand_angle,
        free_times,
        week_strip,
        longest_streak,
        lap_times,
    ],
}
INPUTS = {
    "month_days": lambda draw: (
        draw.choice([1900, 2000, 2023, 2024, 2100, 2026]),
        draw.choice([2, 2, draw.randint(-1, 14)]),
    ),
    "twelve_hours": lambda draw: (_time(draw),),
    "minutes_in": lambda draw: (" ".join(f"{draw.randint(0, 30)}{unit}" for unit in "dhm" if draw.random() < 0.6),),
    "day_of_year": lambda draw: (draw.choice([day(draw), "2024-12-31", "2024-02-29", "2025-01-01"]),),
    "nth_weekday": lambda draw: (day(draw)[:7],),
    "unlucky_days": lambda draw: (draw.randint(1990, 2060),),
    "swapped_date": lambda draw: (
        draw.choice([day(draw), day(draw), "2026-3-4", "2026-03", "2026-03-x", "", "a-b-c", "2026-01-02-03"]),
    ),
    "real_date": lambda draw: (draw.choice([0, 1, 28, 29, 30, 31, 32]), draw.randint(0, 13)),
    "day_part": lambda draw: (f"{draw.randint(0, 23):02}:{draw.choice([0, 30, 59]):02}",),
    "local_time": lambda draw: (_time(draw), draw.randint(-24, 24)),
    "hand_angle": lambda draw: (_time(draw),),
    "free_times": _busy,
    "week_strip": lambda draw: (draw.choice([day(draw)[:8] + "28", day(draw)]),),
    "longest_streak": lambda draw: (
        [
            f"2026-0{draw.choice('22223')}-{draw.choice(['01', '02', '25', '26', '27', '28'])}"
            for _ in range(draw.randint(0, 8))
        ],
    ),
    "lap_times": lambda draw: (
        [f"{minute:02}:{draw.randint(0, 59):02}" for minute in sorted(draw.sample(range(1, 20), draw.randint(0, 5)))],
    ),
}
