"""Held-out problems about dates and times. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

_BIRTHS = ["1996-02-29", "2001-05-17", "1988-12-31", "2004-02-29", "1999-01-01"]
_TODAYS = [
    "2026-02-28",
    "2026-03-01",
    "2028-02-28",
    "2028-02-29",
    "2026-05-16",
    "2026-05-17",
    "2100-02-28",
    "2030-12-31",
]


def quarter_hours(start: str, count: int, *, step: Any = (15, 20, 45)) -> list[str]:
    """`start` is a clock time, as in "09:30". Return `count` times as text, the first one `start`, each {step} minutes
    after the one before; after 23:59 comes 00:00."""
    begun = int(start[:2]) * 60 + int(start[3:])
    times = [(begun + at * step) % 1440 for at in range(count)]
    return [("0" + str(each // 60))[-2:] + ":" + ("0" + str(each % 60))[-2:] for each in times]


def birthday_count(born: str, today: str) -> int:
    """Both are days, as in "2026-03-04". Return how many birthdays somebody born on `born` has had by `today`, that
    day included; a birthday on 29 February is kept on the 28th in years without one. `today` is not before `born`."""
    year, birthday = int(today[:4]), born[5:]
    if birthday == "02-29" and (year % 4 != 0 or (year % 100 == 0 and year % 400 != 0)):
        birthday = "02-28"
    return year - int(born[:4]) - (today[5:] < birthday)


def night_minutes(start: str, end: str, *, night: Any = (21, 22, 23)) -> int:
    """A guard works from `start` until `end`, two clock times in the form "22:15"; an `end` not after `start` lies on
    the following day. Work out how many of these minutes are night work: those between {night}:00 in the evening and
    06:00 in the morning."""
    begun, ended = [int(each[:2]) * 60 + int(each[3:]) for each in (start, end)]
    if ended <= begun:
        ended += 1440
    return sum(at % 1440 >= night * 60 or at % 1440 < 360 for at in range(begun, ended))


def market_day(month: str, *, which: Any = ("second", "last"), weekday: Any = ("Tuesday", "Saturday")) -> str:
    """A market takes place on the {which} {weekday} of the month. Work out the date for `month` (in the form
    "2027-09") and write it in the form "2027-09-18"."""
    import calendar

    year, number = int(month[:4]), int(month[5:])
    want = 1 if weekday == "Tuesday" else 5
    days = [
        day for day in range(1, calendar.monthrange(year, number)[1] + 1) if calendar.weekday(year, number, day) == want
    ]
    found = days[1] if which == "second" else days[-1]
    return month + "-" + ("0" + str(found))[-2:]


def delay(planned: str, actual: str, *, ignored: Any = (2, 5, 10)) -> int:
    """A train should have come at `planned` and came at `actual`, clock times in the form "23:50". Work out its delay in
    minutes, negative if it was early. Around midnight either time may belong to the neighbouring day: no train is
    more than 12 hours early or late (12 hours exactly: late). A delay of up to {ignored} minutes, either way, counts as
    0."""
    a, b = [int(each[:2]) * 60 + int(each[3:]) for each in (planned, actual)]
    late = (b - a) % 1440
    if late > 720:
        late -= 1440
    return 0 if abs(late) <= ignored else late


def tidy_dates(dates: list[str], *, style: Any = ("day.month.year", "month.day.year")) -> list[str]:
    """`dates` were typed in the style {style}, with or without leading zeros and the year with four digits or
    just its last two ("8.08.26"), which then belong to the years 2000 to 2099. Write all of them in the form
    "2026-08-08", each different date just once, oldest first."""
    out: list[str] = []
    for each in dates:
        one, two, year = each.split(".")
        day, month = (one, two) if style == "day.month.year" else (two, one)
        date = ("20" + year)[-4:] + "-" + ("0" + month)[-2:] + "-" + ("0" + day)[-2:]
        if date not in out:
            out.append(date)
    return sorted(out)


def _typed(draw: Random) -> tuple[list[str]]:
    some: list[str] = []
    for _ in range(draw.randint(0, 4)):
        one, two = draw.choice([1, 7]), draw.choice([1, 7])
        some.append(
            f"{one:{draw.choice(['', '02'])}}.{two:{draw.choice(['', '02'])}}.{draw.choice(['26', '2026', '07', '1998'])}"
        )
    return (some,)


FAMILIES = {
    "dates": [
        quarter_hours,
        birthday_count,
        night_minutes,
        market_day,
        delay,
        tidy_dates,
    ],
}
INPUTS = {
    "quarter_hours": lambda draw: (
        f"{draw.choice([0, 9, 22, 23]):02}:{draw.choice([0, 5, 30, 45]):02}",
        draw.randint(0, 5),
    ),
    "birthday_count": lambda draw: (draw.choice(_BIRTHS), draw.choice(_TODAYS)),
    "night_minutes": lambda draw: tuple(
        draw.choice([f"{draw.randint(0, 23):02}:{draw.choice([0, 15, 40]):02}", "06:00", "22:00", "05:59"])
        for _ in "ab"
    ),
    "market_day": lambda draw: (f"{draw.randint(2024, 2031)}-{draw.randint(1, 12):02}",),
    "delay": lambda draw: tuple(
        f"{draw.choice([0, 0, 11, 12, 23, 23]):02}:{draw.choice([0, 2, 3, 5, 6, 10, 11, 50, 58]):02}" for _ in "ab"
    ),
    "tidy_dates": _typed,
}
