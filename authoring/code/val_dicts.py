"""Held-out problems about dictionaries. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any

NAMES = ["Ivo", "Jun", "Kaia", "Lise", "Moss"]
GUESTS = ["Nell", "Otto", "Runa", "Sven"]


def podium(results: dict[str, int], *, places: Any = (1, 2, 3)) -> list[str]:
    """`results` has the time of each runner, whose place is 1 more than the number of runners who were faster. Return
    in alphabetical order those on place {places} or a better one."""
    return sorted(name for name, time in results.items() if sum(other < time for other in results.values()) < places)


def restock(shelf: dict[str, int], wanted: dict[str, int], *, pack: Any = (4, 6, 10)) -> dict[str, int]:
    """Return how many packs of {pack} have to be bought of each thing so that the shelf has at least as many as
    wanted. Things of which there are enough are left out; what is not on the shelf is there 0 times."""
    out: dict[str, int] = {}
    for thing, count in wanted.items():
        missing = count - shelf.get(thing, 0)
        if missing > 0:
            out[thing] = (missing + pack - 1) // pack
    return out


def chain_of_command(boss: dict[str, str], name: str, *, most: Any = (1, 2, 3)) -> list[str]:
    """`boss` has the boss of each person. Return the boss of `name`, that one's boss and so on, at most {most} of
    them, until somebody has none. Somebody who would be in that list a second time is a ValueError; `name` may be in
    it once, too."""
    out: list[str] = []
    while name in boss and len(out) < most:
        name = boss[name]
        if name in out:
            raise ValueError(name)
        out.append(name)
    return out


def _bosses(draw: Random) -> tuple[dict[str, str], str]:
    found = {each: draw.choice(NAMES[at + 1 :] or NAMES) for at, each in enumerate(NAMES) if draw.random() < 0.8}
    return found, draw.choice(NAMES)


def lasting_days(pantry: dict[str, int], daily: dict[str, int], *, spare: Any = (1, 2), never: Any = (-1, 99)) -> int:
    """`daily` tells how much of each food a household eats per day, `pantry` how much is stored; food which is not
    stored counts as 0. Of every food that is eaten, {spare} must remain untouched. For how many whole days is there enough
    of all? {never} if nothing is eaten, amounts of 0 meaning just that."""
    days = [max(0, pantry.get(food, 0) - spare) // amount for food, amount in daily.items() if amount > 0]
    return min(days) if days else never


def update_contacts(old: dict[str, str], news: dict[str, str], *, gone: Any = ("-", "x", "gone")) -> dict[str, str]:
    """Bring an address book up to date. For every name in `news`: the text {gone!r} deletes it from the book (no
    matter if it was never there), an empty text changes nothing, and any other text becomes its address. Blanks at
    both ends of a text are removed before all that. Give back the new book."""
    book = dict(old)
    for name, text in news.items():
        address = text.strip()
        if address == gone:
            book.pop(name, None)
        elif address:
            book[name] = address
    return book


def quiz(answers: dict[str, list[str]], key: list[str], *, right: Any = (2, 3), wrong: Any = (1, 2)) -> dict[str, int]:
    """Mark a quiz. `key` holds the right answers, `answers` those of every guest, question by question; guests may
    have stopped early, and more answers than questions are ignored. A right answer (letters big or little) earns {right},
    an empty one nothing, a wrong one costs {wrong}. Nobody ends below 0. Give back the points of everybody."""
    out: dict[str, int] = {}
    for guest, given in answers.items():
        points = 0
        for one, wanted in zip(given, key, strict=False):
            points += right if one.lower() == wanted.lower() else -wrong if one else 0
        out[guest] = max(0, points)
    return out


def _quiz(draw: Random) -> tuple[dict[str, list[str]], list[str]]:
    key = [draw.choice("aBc") for _ in range(draw.randint(1, 4))]
    return {
        each: [draw.choice([right.upper(), right, "b", "", "C"]) for right in [*key, "a"]][: draw.randint(0, 6)]
        for each in GUESTS[: draw.randint(0, 3)]
    }, key


FAMILIES = {
    "dicts": [
        podium,
        restock,
        chain_of_command,
        lasting_days,
        update_contacts,
        quiz,
    ],
}
INPUTS = {
    "podium": lambda draw: ({each: draw.randint(60, 63) for each in draw.sample(NAMES, draw.randint(0, 5))},),
    "restock": lambda draw: (
        {each: draw.randint(0, 20) for each in draw.sample(["tea", "salt", "rice", "oil"], 3)},
        {each: draw.randint(0, 40) for each in draw.sample(["tea", "salt", "rice", "oil"], 3)},
    ),
    "chain_of_command": lambda draw: draw.choice([_bosses(draw), _bosses(draw), ({"Ivo": "Jun", "Jun": "Ivo"}, "Ivo")]),
    "lasting_days": lambda draw: (
        {food: draw.randint(0, 15) for food in draw.sample(["oats", "peas", "figs"], draw.randint(1, 3))},
        {food: draw.randint(0, 4) for food in draw.sample(["oats", "peas", "figs"], draw.randint(0, 3))},
    ),
    "update_contacts": lambda draw: (
        {each: draw.choice(["1 Elm St", "2 Bay Rd"]) for each in draw.sample(GUESTS, draw.randint(0, 3))},
        {
            each: draw.choice(["-", "x", "gone", " - ", "x ", " gone", "", "  ", " 3 Low Ln ", "4 Top Sq"])
            for each in draw.sample(GUESTS, draw.randint(0, 4))
        },
    ),
    "quiz": _quiz,
}
