"""Training problems about dates and times. `problems` describes how a function becomes tasks."""

import datetime
from random import Random
from typing import Any

from authoring.code.random_values import day


def minutes_between(start: str, end: str, *, least: Any = (10, 15, 30)) -> int:
    """`start` and `end` are times such as "09:30". Return the minutes from `start` to `end`; if `end` is earlier, it
    is on the next day. Fewer than {least} minutes count as {least}."""
    a, b = [int(each[:2]) * 60 + int(each[3:]) for each in (start, end)]
    return max(least, (b - a) % 1440)


def day_name(date: str, *, letters: Any = (2, 3)) -> str:
    """`date` is a day such as "2026-03-04". Return the first {letters} letters of its English weekday, capital at the
    beginning."""
    import datetime

    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    return days[datetime.date.fromisoformat(date).weekday()][:letters]


def workdays(start: str, end: str, *, off: Any = ([5, 6], [6], [0, 6])) -> int:
    """`start` and `end` are days such as "2026-03-04". Count the days from `start` to `end`, both included, whose
    weekday is not among {off} (Monday is 0, Sunday is 6). If `end` is earlier than `start` there are none."""
    import datetime

    a, b = datetime.date.fromisoformat(start), datetime.date.fromisoformat(end)
    return sum((a.toordinal() + at - 1) % 7 not in off for at in range((b - a).days + 1))


def is_leap(year: int, *, after: Any = (1700, 1800, 1900)) -> bool:
    """Say whether `year` is a leap year: it can be divided by 4, and not by 100 unless by 400 too. Years up to
    {after} never are."""
    return year > after and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def duration(seconds: int, *, unit: Any = ("s", "sec")) -> str:
    """Write `seconds` (0 or more) as hours, minutes and seconds, such as "1h 2m 5{unit}". Parts that are 0 are left
    out; 0 itself is "0{unit}"."""
    parts = [(seconds // 3600, "h"), (seconds // 60 % 60, "m"), (seconds % 60, unit)]
    return " ".join(str(count) + name for count, name in parts if count) or "0" + unit


def next_date(
    date: str, *, days: Any = (2, 30, 100), instead: Any = ("last day of the year of `date`", "first day of that year")
) -> str:
    """`date` is a day such as "2026-03-04". Return the day {days} days later, written in the same way. If that is
    in another year, return the {instead} instead."""
    import datetime

    begun = datetime.date.fromisoformat(date)
    later = begun + datetime.timedelta(days=days)
    if later.year != begun.year:
        later = (
            datetime.date(begun.year, 12, 31)
            if instead == "last day of the year of `date`"
            else datetime.date(later.year, 1, 1)
        )
    return str(later)


def overlap(one: list[int], two: list[int], *, last: Any = ("does too", "does not")) -> int:
    """Each list is the first and the last day of a stay, as numbers. The first day belongs to the stay, and the last
    one {last}. Return how many days the stays share."""
    days = min(one[1], two[1]) - max(one[0], two[0])
    return max(0, days + 1 if last == "does too" else days)


def _stays(draw: Random) -> tuple[list[int], list[int]]:
    a, b = draw.randint(1, 9), draw.randint(1, 9)
    return [a, a + draw.randint(1, 6)], [b, b + draw.randint(1, 6)]


def _days(draw: Random) -> tuple[str, str]:
    import datetime

    begun = datetime.date.fromisoformat(day(draw))
    return str(begun), str(begun + datetime.timedelta(days=draw.randint(-2, 20)))


def minutes_to_opening(time: str, *, opens: Any = ("08:30", "09:15"), closes: Any = ("17:00", "18:45")) -> int:
    """A counter is open every day from {opens} to {closes}; at {closes} sharp it is closed already. Return how many
    minutes somebody who comes at `time`, such as "07:05", has to wait: 0 while it is open, else until it next
    opens, which may be on the day after."""
    now, first, last = [int(each[:2]) * 60 + int(each[3:]) for each in (time, opens, closes)]
    return 0 if first <= now < last else (first - now) % 1440


def pay_day(month: str, *, due: Any = (15, 25), way: Any = ("Friday before", "Monday after")) -> str:
    """Wages are paid on day {due} of each month; if that is a Saturday or a Sunday, on the {way} it. `month` is
    such as "2026-03". Return the day of payment, such as "2026-03-{due}"."""
    import datetime

    date = datetime.date.fromisoformat(month + "-" + str(due))
    off = date.weekday() - 4
    if off > 0:
        date += datetime.timedelta(days=-off if way == "Friday before" else 3 - off)
    return str(date)


def watering_days(start: str, end: str, *, every: Any = (2, 3, 5)) -> list[str]:
    """A garden is watered on `start` and every {every} days from then on; what would be on a Sunday is done on the
    Monday after, and the further days stay as they were planned. Return the days of watering up to `end`, that day
    included, all written like `start`, such as "2026-06-01"."""
    import datetime

    planned, last = datetime.date.fromisoformat(start), datetime.date.fromisoformat(end)
    out: list[str] = []
    while planned <= last:
        done = planned + datetime.timedelta(days=1) if planned.weekday() == 6 else planned
        if done <= last:
            out.append(str(done))
        planned += datetime.timedelta(days=every)
    return out


def age_label(born: str, today: str, *, until: Any = (12, 24, 36)) -> str:
    """Write the age of a kid that was born on `born`, on the day `today` (such as "2026-03-04", not before `born`, no
    day of a month after the 28th). Under {until} months it is told in whole months, "7 months", else in whole years,
    "4 years"; with a 1 it is "1 month" or "1 year". A month is whole when the same day is reached."""
    months = (int(today[:4]) - int(born[:4])) * 12 + int(today[5:7]) - int(born[5:7])
    if today[8:] < born[8:]:
        months -= 1
    count, unit = (months, " month") if months < until else (months // 12, " year")
    return str(count) + unit + ("" if count == 1 else "s")


def business_quarter(date: str, *, first: Any = (4, 7, 10)) -> str:
    """The business year of a firm begins with the first day of month {first}, has four quarters of three months, and
    is called after the calendar year in which it begins. Return quarter and year of `date` (written year-month-day),
    such as "Q2 2025"."""
    year, month = int(date[:4]), int(date[5:7])
    quarter = (month - first) % 12 // 3 + 1
    return "Q" + str(quarter) + " " + str(year if month >= first else year - 1)


def paid_minutes(stamps: list[str], *, hours: Any = (6, 8), pause: Any = (30, 45)) -> int:
    """Each of `stamps` is a time of work on one day, such as "08:00-12:15"; none goes past midnight, and they do not
    overlap. Return the minutes of all together; if that is more than {hours} hours, {pause} minutes are taken off as a
    break, but never more than what goes beyond {hours} hours."""
    total = 0
    for each in stamps:
        begun, ended = [int(time[:2]) * 60 + int(time[3:]) for time in each.split("-")]
        total += ended - begun
    return max(total - pause, hours * 60) if total > hours * 60 else total


def same_week(one: str, two: str, *, first: Any = ("Monday", "Sunday", "Saturday")) -> bool:
    """Say whether the days `one` and `two`, written year-month-day, are in the same week, when every week begins with
    its {first}. Which of the two days is earlier does not matter."""
    import datetime

    shift = 0 if first == "Monday" else 1 if first == "Sunday" else 2
    a, b = [(datetime.date.fromisoformat(each).toordinal() - 1 + shift) // 7 for each in (one, two)]
    return a == b


def next_bus(time: str, *, begins: Any = ("05:40", "06:00"), every: Any = (20, 35)) -> str:
    """Buses leave at {begins} and every {every} minutes after that; none leaves later than 22:00. Return when the
    first bus leaves that is not earlier than `time`, both written like "14:05"; an empty string if there is no bus
    any more on that day."""
    now, first = [int(each[:2]) * 60 + int(each[3:]) for each in (time, begins)]
    while first < now:
        first += every
    if first > 1320:
        return ""
    return ("0" + str(first // 60))[-2:] + ":" + ("0" + str(first % 60))[-2:]


def rental_days(out: str, back: str, *, grace: Any = (2, 3, 4)) -> int:
    """A bicycle is rented from `out` to `back`, such as "2026-03-04 14:30". Each full 24 hours count as a day, and
    what is left over counts as one more day if it is longer than {grace} hours. At least one day is counted, however
    short the rent was. Return the number of days."""
    import datetime

    used = datetime.datetime.fromisoformat(back) - datetime.datetime.fromisoformat(out)
    return max(1, used.days + (used.seconds > grace * 3600))


def _clock(draw: Random, hours: tuple[int, int], minutes: list[int]) -> str:
    return f"{draw.randint(*hours):02}:{draw.choice(minutes):02}"


def _later(draw: Random, days: list[int]) -> tuple[str, str]:
    begun = datetime.date.fromisoformat(day(draw))
    return str(begun), str(begun + datetime.timedelta(days=draw.choice(days)))


def _born(draw: Random) -> tuple[str, str]:
    months = draw.choice([0, 1, 2, 11, 12, 13, 23, 24, 25, 35, 36, 60])
    at = 2020 * 12 + draw.randint(0, 11)
    return (
        f"{at // 12}-{at % 12 + 1:02}-{draw.choice([9, 10, 11]):02}",
        f"{(at + months) // 12}-{(at + months) % 12 + 1:02}-{draw.choice([10, 11, 28]):02}",
    )


def _stamps(draw: Random) -> tuple[list[str]]:
    out: list[str] = []
    now = draw.randint(360, 540)
    for _ in range(draw.randint(0, 3)):
        end = now + draw.choice([60, 90, 180, 185, 210, 240, 245])
        out.append("-".join(f"{each // 60:02}:{each % 60:02}" for each in (now, end)))
        now = end + draw.choice([10, 30])
    return (out,)


def _rented(draw: Random) -> tuple[str, str]:
    begun = datetime.datetime.fromisoformat(f"{day(draw)} {draw.randint(8, 16):02}:30")
    more = draw.choice([0, 30, 119, 120, 121, 180, 181, 240, 241, 400])
    return str(begun)[:16], str(begun + datetime.timedelta(days=draw.randint(0, 3), minutes=more))[:16]


FAMILIES = {
    "dates": [
        minutes_between,
        day_name,
        workdays,
        is_leap,
        duration,
        next_date,
        overlap,
        minutes_to_opening,
        pay_day,
        watering_days,
        age_label,
        business_quarter,
        paid_minutes,
        same_week,
        next_bus,
        rental_days,
    ],
}
INPUTS = {
    "minutes_between": lambda draw: tuple(f"{draw.randint(8, 12):02}:{draw.choice([0, 5, 20, 59]):02}" for _ in "ab"),
    "day_name": lambda draw: (day(draw),),
    "workdays": _days,
    "is_leap": lambda draw: (
        draw.choice([1600, 1696, 1700, 1704, 1800, 1804, 1900, 1904, 2000, 2023, 2024, 2100, draw.randint(1750, 2100)]),
    ),
    "duration": lambda draw: (draw.choice([0, 59, 60, 3600, 3661, draw.randint(1, 9000)]),),
    "next_date": lambda draw: (draw.choice([day(draw), "2027-12-31", "2028-02-28", "2027-12-30", "2025-12-31"]),),
    "overlap": _stays,
    "minutes_to_opening": lambda draw: (
        draw.choice(["08:29", "08:30", "09:14", "09:15", "17:00", "16:59", "18:45", "18:44", "00:00", "23:59"])
        if draw.random() < 0.5
        else _clock(draw, (0, 23), [0, 10, 35]),
    ),
    "pay_day": lambda draw: (f"{draw.randint(2023, 2029)}-{draw.randint(1, 12):02}",),
    "watering_days": lambda draw: _later(draw, [0, 4, 7, 9, 11, 14]),
    "age_label": _born,
    "business_quarter": lambda draw: (day(draw),),
    "paid_minutes": _stamps,
    "same_week": lambda draw: draw.choice([_later(draw, [0, 1, 3, 6, 7]), _later(draw, [0, 1, 3, 6])[::-1]]),
    "next_bus": lambda draw: (
        draw.choice(["00:00", "05:40", "05:41", "06:00", "06:01", "21:45", "21:41", "22:00", "23:10", "22:01"])
        if draw.random() < 0.4
        else _clock(draw, (5, 22), [0, 10, 30, 45]),
    ),
    "rental_days": _rented,
}
