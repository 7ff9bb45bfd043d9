"""Values for the slots of the grammar: an open vocabulary of people, companies, subjects, files, folders, days and times.

A text is copied into the argument as it is written. A day, a time or a duration has a wording and the value that the tool
takes. Today is Monday. `values.yaml` has the words.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import yaml

from verigym.environments.toolcall.state import WEEKDAYS

_FILE = Path(__file__).with_name("values.yaml")
_STATUSES = ("lead", "qualified", "won", "lost")
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SHORT_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Value(NamedTuple):
    """`Value("half past nine in the evening", "21:30", "time12")`"""

    words: str
    value: str | int
    tag: str = ""


def draw_value(slot: str, tool: str, random: Random) -> Value:
    """A value of a slot of a frame. The name of a contact has two parts. Other people mostly go by their first name."""
    match slot:
        case "attendee" | "to" | "person" | "other":
            return _text(_contact(random) if tool.startswith("crm.") else _person(random, slot == "to"))
        case "name":
            return _text(_contact(random))
        case "day" | "due":
            return _day(random)
        case "on_day":
            return _on_day(random)
        case "time":
            return _time(random)
        case "minutes":
            return _duration(random)
        case "status":
            return _text(random.choice(_STATUSES))
        case "d_name" | "d_name2":
            return _text(_first(random))
        case "d_day":
            return _text(random.choice(WEEKDAYS))
        case "d_time":
            return _text(f"{random.randint(1, 12)}:{random.randint(0, 59):02}")
        case "d_number":
            return _text(str(random.randint(2, 90)))
    return _text(_TEXTS[slot](random))


def _text(text: str) -> Value:
    return Value(text, text)


# -- people and things ---------------------------------------------------------------------------------------------------


@cache
def _words() -> Mapping[str, Any]:
    return yaml.safe_load(_FILE.read_text(encoding="utf-8"))


def _pick(random: Random, name: str) -> str:
    return random.choice(_words()[name])


def _coined(random: Random, middles: int = 1) -> str:
    """A name that nobody has: `Talvira`."""
    return _pick(random, "starts") + "".join(_pick(random, "middles") for _ in range(middles)) + _pick(random, "ends")


def _first(random: Random) -> str:
    return _coined(random, random.randint(0, 1)) if random.random() < 0.3 else _pick(random, "first")


def _contact(random: Random) -> str:
    last = _coined(random, random.randint(0, 1)) if random.random() < 0.2 else _pick(random, "last")
    return f"{_first(random)} {last}"


def _person(random: Random, addressed: bool) -> str:
    kind = random.random()
    if addressed and kind < 0.05:
        return f"{_first(random)}.{_pick(random, 'last')}@{_coined(random)}.example".lower()
    return _contact(random) if kind < 0.25 else _first(random)


def _company(random: Random) -> str:
    kind = random.random()
    if kind < 0.35:
        return f"{_pick(random, 'company_word')} {_pick(random, 'company_kind')}"
    if kind < 0.6:
        return _pick(random, "company_word") + _pick(random, "company_end")
    if kind < 0.75:
        return f"{_pick(random, 'last')} {_pick(random, 'company_kind')}"
    if kind < 0.85:
        return f"{_pick(random, 'last')} & {_pick(random, 'last')}"
    return _coined(random)


def _subject(random: Random) -> str:
    words = f"{_pick(random, 'subject_what')} {_pick(random, 'subject_kind')}"
    kind = random.random()
    if kind < 0.06:
        return f"{words} {random.choice((2023, 2024, 2025, 2026))}"
    if kind < 0.12:
        return f"{words} for {_company(random)}"
    if kind < 0.18:
        return f"Q{random.randint(1, 4)} {_pick(random, 'subject_kind')}"
    if kind < 0.24:
        return f"{words} and {_pick(random, 'subject_kind')}"
    return words


def _query(random: Random) -> str:
    kind = random.random()
    if kind < 0.08:
        return f"{random.choice(('invoice', 'order', 'ticket', 'booking', 'case'))} {random.randint(100, 99_999)}"
    if kind < 0.16:
        return _company(random)
    if kind < 0.24:
        return _pick(random, "query_what")
    return f"{_pick(random, 'query_what')} {_pick(random, 'query_kind')}"


def _deed(random: Random, name: str) -> str:
    """`repair the projector`: a verb and an object that go together."""
    group = random.choice(_words()[name])
    return f"{random.choice(group['verbs'])} {random.choice(group['objects'])}"


def _stem(random: Random) -> str:
    words = _pick(random, "file_word")
    kind = random.random()
    if kind < 0.45:
        words += random.choice("__-") + _pick(random, "file_word")
    if kind < 0.2 or kind > 0.85:
        words += f"_{random.choice((random.randint(1, 99), random.randint(2019, 2027), f'v{random.randint(1, 9)}'))}"
    return words


def _file(random: Random) -> str:
    return f"{_stem(random)}.{_pick(random, 'extension')}"


def _new_stem(random: Random) -> str:
    """The new name of a file, without its extension."""
    kind = random.random()
    if kind < 0.4:
        return _stem(random)
    if kind < 0.7:
        return f"{_pick(random, 'file_word')}_{_pick(random, 'name_word')}"
    return _pick(random, "name_word")


def _folder(random: Random) -> str:
    kind = random.random()
    if kind < 0.5:
        return _pick(random, "folder_word")
    if kind < 0.65:
        return f"{_pick(random, 'folder_word')} {random.randint(2018, 2027)}"
    if kind < 0.8:
        return f"{_pick(random, 'subject_what')} {_pick(random, 'folder_word')}"
    if kind < 0.9:
        return f"{_pick(random, 'folder_word')} and {_pick(random, 'folder_word')}"
    return _company(random)


_TEXTS = {
    "company": _company,
    "d_company": _company,
    "subject": _subject,
    "query": _query,
    "title": lambda random: _deed(random, "deeds"),
    "text": lambda random: _deed(random, "errands"),
    "file": _file,
    "new_name": _new_stem,
    "folder": _folder,
}


# -- days, times and durations -------------------------------------------------------------------------------------------


def _day(random: Random) -> Value:
    """A day as a noun: "for ...", "by ..."."""
    kind, index = random.random(), random.randrange(7)
    day = WEEKDAYS[index]
    if kind < 0.5:
        return Value(day, day)
    if kind < 0.56:
        return Value(_SHORT_DAYS[index], day)
    if kind < 0.74:
        return Value(
            f"{random.choice(('next', 'this', 'the coming') if index else ('next',))} {day}", day, "relative_day"
        )
    if kind < 0.94:
        return random.choice(_RELATIVE)
    if kind < 0.97:
        return Value(f"the day after {WEEKDAYS[index - 1]}", day, "relative_day")
    return Value(f"the day before {WEEKDAYS[(index + 1) % 7]}", day, "relative_day")


def _on_day(random: Random) -> Value:
    """A day as an adverb: "meet ..."."""
    if random.random() < 0.12:
        days = random.randint(1, 6)
        unit = "day" if days == 1 else "days"
        return Value(f"in {random.choice((str(days), number(days)))} {unit}", WEEKDAYS[days], "relative_day")
    day = _day(random)
    bare = day.words.startswith(("next", "this", "today", "tomorrow", "the day after tomorrow", "a week"))
    return day if bare else day._replace(words=f"on {day.words}")


_RELATIVE = (
    Value("today", "Monday", "relative_day"),
    Value("tomorrow", "Tuesday", "relative_day"),
    Value("tomorrow", "Tuesday", "relative_day"),
    Value("the day after tomorrow", "Wednesday", "relative_day"),
    Value("a week from today", "Monday", "relative_day"),
    Value("a week from tomorrow", "Tuesday", "relative_day"),
)


def _time(random: Random) -> Value:
    """A time from 06:00 to 22:55, mostly at a quarter of an hour."""
    hour, minute = random.randint(6, 22), random.choice((0, 0, 0, 15, 30, 30, 45, random.randrange(0, 60, 5)))
    clock = f"{hour:02}:{minute:02}"
    return (
        Value(clock, clock, "time24")
        if random.random() < 0.3
        else Value(_spoken(hour, minute, random), clock, "time12")
    )


def _spoken(hour: int, minute: int, random: Random) -> str:
    if (hour, minute) == (12, 0) and random.random() < 0.6:
        return random.choice(("noon", "midday", "twelve noon"))
    twelve, next_hour = (hour + 11) % 12 + 1, (hour + 12) % 12 + 1
    part = (
        "in the morning"
        if hour < 12
        else "in the afternoon"
        if hour < 18
        else "in the evening"
        if hour < 21
        else "at night"
    )
    kind = random.random()
    if kind < 0.4:
        half = random.choice(("AM", "am", " AM", " am", " a.m.") if hour < 12 else ("PM", "pm", " PM", " pm", " p.m."))
        return f"{twelve}{f':{minute:02}' if minute or random.random() < 0.15 else ''}{half}"
    if minute == 0:
        clock = random.choice((number(twelve), f"{number(twelve)} o'clock", f"{twelve} o'clock"))
    elif minute == 30 and kind < 0.8:
        clock = f"half past {random.choice((number(twelve), str(twelve)))}"
    elif minute in (15, 45) and kind < 0.8:
        a = random.choice(("", "a "))
        clock = f"{a}quarter past {number(twelve)}" if minute == 15 else f"{a}quarter to {number(next_hour)}"
    elif kind < 0.9:
        clock = (
            f"{number(minute)} past {number(twelve)}"
            if minute <= 30
            else f"{number(60 - minute)} to {number(next_hour)}"
        )
    else:
        clock = f"{number(twelve)} {number(minute) if minute > 9 else f'oh {number(minute)}'}"
    if minute > 30 and hour == 11 and not clock.startswith(number(twelve)):
        return f"{twelve}:{minute:02} AM"  # "quarter to twelve in the morning" can be read in two ways
    return f"{clock} {part}"


def _duration(random: Random) -> Value:
    kind = random.random()
    if kind < 0.5:
        minutes = random.choice((random.randint(2, 59), random.randrange(5, 125, 5)))
        return Value(f"{minutes} {random.choice(('minutes', 'minutes', 'min'))}", minutes)
    if kind < 0.7:
        minutes = random.randint(2, 59)
        return Value(f"{number(minutes)} minutes", minutes)
    if kind < 0.85:
        return random.choice(_DURATIONS)
    hours, minutes = random.randint(1, 3), random.randrange(5, 60, 5)
    unit = "hour" if hours == 1 else "hours"
    words = random.choice(
        (f"{hours} {unit} {minutes} minutes", f"{number(hours)} {unit} and {number(minutes)} minutes")
    )
    return Value(words, 60 * hours + minutes)


_DURATIONS = (
    Value("half an hour", 30),
    Value("an hour", 60),
    Value("one hour", 60),
    Value("a quarter of an hour", 15),
    Value("three quarters of an hour", 45),
    Value("an hour and a half", 90),
    Value("one and a half hours", 90),
    Value("two and a half hours", 150),
    Value("three hours", 180),
    Value("an hour and a quarter", 75),
)


def number(value: int) -> str:
    """`number(45)` is "forty-five". From 0 to 99."""
    if value < 20:
        return _ONES[value]
    tens, ones = divmod(value, 10)
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
