"""More problems that are held out: times, notes with a form, and single ones of other kinds; `train_text` says how they are
written."""

from random import Random
from typing import Any

from authoring.code.forms import word


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


def phone(text: str, *, country: Any = ("31", "45", "353")) -> str:
    """Unify a phone number. Blanks, hyphens and slashes are dropped first. Then it has to start with "+" or "00", which
    the country follows, or else with one "0", which stands for the country {country}; behind this start must be digits, at
    least one, and nothing else. Write it as plus, country and the rest. Anything different raises a
    ValueError."""
    bare = text.replace(" ", "").replace("-", "").replace("/", "")
    if bare.startswith("+"):
        rest = bare[1:]
    elif bare.startswith("00"):
        rest = bare[2:]
    elif bare.startswith("0") and len(bare) > 1:
        rest = country + bare[1:]
    else:
        raise ValueError(text)
    if not rest.isdigit():
        raise ValueError(text)
    return "+" + rest


def dice_bounds(text: str, *, end: Any = ("lowest", "highest")) -> int:
    """A throw is noted as dice and numbers joined by "+" or "-", for instance "2d6+3": two dice with 6 sides, and 3
    more. "d8" is a single die. Dice show 1 to their number of sides. Work out the {end} total that the throw can
    have. What follows a "-" is subtracted."""
    total = 0
    for part in text.replace("-", "+-").split("+"):
        minus = part.startswith("-")
        count, found, sides = part.lstrip("-").partition("d")
        low = int(count or 1)
        high = low * int(sides) if found else low
        if end == "lowest":
            total += -high if minus else low
        else:
            total += -low if minus else high
    return total


def long_songs(lines: list[str], *, most: Any = (3, 4, 5)) -> list[str]:
    """A playlist has lines in the form "4:05 Blue Barn": minutes, a colon, seconds with two digits (00 to 59), one
    blank, title. Pick the titles of all songs that last longer than {most} minutes, longest song at the front, equally
    long ones as listed. Lines in a different form are skipped."""
    found: list[tuple[int, str]] = []
    for line in lines:
        time, _, title = line.partition(" ")
        minutes, _, seconds = time.partition(":")
        if minutes.isdigit() and len(seconds) == 2 and seconds.isdigit() and int(seconds) < 60 and title:
            found.append((int(minutes) * 60 + int(seconds), title))
    return [title for long, title in sorted(found, key=lambda song: -song[0]) if long > most * 60]


def options(words: list[str], *, valued: Any = (["out"], ["size"], ["out", "size"])) -> dict[str, str]:
    """Read the words of a command. One that starts with "--" is an option: "--out" is the option "out". The options
    {valued} take the very next word as their value, whatever it looks like; a missing one is a ValueError. All other
    options get the value "yes". The remaining words, with a single blank between them, are stored under the empty
    name, if there are any. A repeated option keeps its final value."""
    out: dict[str, str] = {}
    rest: list[str] = []
    at = 0
    while at < len(words):
        name = words[at][2:]
        if not words[at].startswith("--"):
            rest.append(words[at])
        elif name not in valued:
            out[name] = "yes"
        elif at + 1 == len(words):
            raise ValueError(name)
        else:
            at += 1
            out[name] = words[at]
        at += 1
    if rest:
        out[""] = " ".join(rest)
    return out


def running_sign(text: str, steps: int, *, room: Any = (4, 7), gap: Any = (2, 3)) -> str:
    """A sign on a tram has room for {room} characters. Through it runs `text` with {gap} blanks behind it, over and
    over without end, to the left. At step 0 `text` starts at the left edge of the sign; with each step everything
    moves by one. Work out what is on the sign at step `steps`."""
    loop = text + " " * gap
    return "".join(loop[(steps + at) % len(loop)] for at in range(room))


def heating(readings: list[int], *, low: Any = (17, 18), high: Any = (20, 21)) -> int:
    """A heater is off. At each of the `readings` of a thermometer it is switched on if the reading is below {low}, off
    if it is above {high}, and otherwise left alone. Work out at how many of the readings it is on, just after any
    switching."""
    on = False
    count = 0
    for each in readings:
        if each < low:
            on = True
        elif each > high:
            on = False
        count += on
    return count


def tile_boxes(long: int, wide: int, *, tile: Any = (20, 30), box: Any = (6, 10)) -> int:
    """A floor of `long` times `wide` centimetres gets square tiles of {tile} centimetres, laid in straight lines from
    one corner. At the far sides tiles are cut, and offcuts go to waste. Tiles are sold in boxes of {box}; buy one tile
    more than you lay, for breakage, unless the floor has no area. Work out the number of boxes."""
    laid = ((long + tile - 1) // tile) * ((wide + tile - 1) // tile)
    return (laid + 1 + box - 1) // box if laid else 0


FAMILIES = {
    "dates": [night_minutes, market_day, delay, tidy_dates],
    "parsing": [phone, dice_bounds, long_songs, options],
    "text": [running_sign],
    "algorithms": [heating],
    "numbers": [tile_boxes],
}


def _typed(draw: Random) -> tuple[list[str]]:
    some: list[str] = []
    for _ in range(draw.randint(0, 4)):
        one, two = draw.choice([1, 7]), draw.choice([1, 7])
        some.append(
            f"{one:{draw.choice(['', '02'])}}.{two:{draw.choice(['', '02'])}}.{draw.choice(['26', '2026', '07', '1998'])}"
        )
    return (some,)


def _phone(draw: Random) -> tuple[str]:
    start = draw.choice(["+", "00", "0", "0", "+31 ", "00-45 ", "", "(0)", "++"])
    return (start + draw.choice(["", "7", "20 55", "6/12-34", "12 x", "353 1"]),)


def _throw(draw: Random) -> tuple[str]:
    parts = [draw.choice(["d8", "2d6", "3d4", "1d20", "3", "10"]) for _ in range(draw.randint(1, 4))]
    return ("".join(each + draw.choice("++-") for each in parts)[:-1],)


def _songs(draw: Random) -> tuple[list[str]]:
    times = [
        "2:59",
        "3:00",
        "3:01",
        "4:00",
        "4:01",
        "5:00",
        "5:01",
        "5:01",
        "5:59",
        "5:59",
        "12:07",
        "5:60",
        "4:5",
        "x:30",
        "530",
    ]
    titles = [word(draw), word(draw).title() + " 2", word(draw), ""]
    return ([f"{draw.choice(times)} {draw.choice(titles)}" for _ in range(draw.choice([0, 2, 3, 5, 6]))],)


INPUTS = {
    "night_minutes": lambda draw: tuple(
        draw.choice([f"{draw.randint(0, 23):02}:{draw.choice([0, 15, 40]):02}", "06:00", "22:00", "05:59"])
        for _ in "ab"
    ),
    "market_day": lambda draw: (f"{draw.randint(2024, 2031)}-{draw.randint(1, 12):02}",),
    "delay": lambda draw: tuple(
        f"{draw.choice([0, 0, 11, 12, 23, 23]):02}:{draw.choice([0, 2, 3, 5, 6, 10, 11, 50, 58]):02}" for _ in "ab"
    ),
    "tidy_dates": _typed,
    "phone": _phone,
    "dice_bounds": _throw,
    "long_songs": _songs,
    "options": lambda draw: (
        [draw.choice(["--out", "--size", "--dry", "plan", "-q"]) for _ in range(draw.randint(0, 5))],
    ),
    "running_sign": lambda draw: (draw.choice(["", "Line 4", "Depot", "Ring"]), draw.randint(0, 20)),
    "heating": lambda draw: ([draw.randint(15, 23) for _ in range(draw.randint(0, 8))],),
    "tile_boxes": lambda draw: (
        draw.choice([0, 20, 21, 30, 31, 60, 61, draw.randint(1, 150)]),
        draw.choice([0, 20, 30, 60, 61, draw.randint(1, 90)]),
    ),
}
