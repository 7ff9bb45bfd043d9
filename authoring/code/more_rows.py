"""Further training problems about rows of data. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any


def cheapest_offer(offers: list[list[Any]], thing: str, *, most: Any = (5, 8, 10), none: Any = ("", "nobody")) -> str:
    """An offer is a shop, a thing and a price. Return the shop with the lowest price for `thing`, where only prices
    up to {most} count. If several shops have that price, return the first in the alphabet. Without any such offer
    return {none!r}."""
    found = [[price, shop] for shop, what, price in offers if what == thing and price <= most]
    return min(found)[1] if found else none


def double_entries(rows: list[list[Any]], *, column: Any = (0, 1)) -> list[list[Any]]:
    """Rows with the same entry in column {column} (the first is 0) are doubles of each other. Return all rows that
    have a double, in their order, the first one of them included. Each row has two entries."""
    keys = [row[column] for row in rows]
    return [row for row in rows if keys.count(row[column]) > 1]


def balance_sheet(moves: list[list[Any]], *, start: Any = (5, 10), limit: Any = (0, -5)) -> dict[str, int]:
    """A move is who pays, who receives and an amount. Everybody begins with {start}. Moves are made in order, and
    one that would leave the payer with less than {limit} is not made. Return what everybody has in the end who is
    named in any move."""
    out: dict[str, int] = {}
    for payer, receiver, amount in moves:
        out.setdefault(payer, start)
        out.setdefault(receiver, start)
        if out[payer] - amount >= limit:
            out[payer] -= amount
            out[receiver] += amount
    return out


def pivot(rows: list[list[Any]], *, both: Any = ("sum", "last", "largest")) -> dict[str, dict[str, int]]:
    """A row is a person, a month and a number. Return a dict from person to a dict from month to number. If there
    are several rows with the same person and month, the {both} of their numbers counts."""
    out: dict[str, dict[str, int]] = {}
    for person, month, number in rows:
        months = out.setdefault(person, {})
        if month not in months or both == "last":
            months[month] = number
        else:
            months[month] = months[month] + number if both == "sum" else max(months[month], number)
    return out


def joined_rows(people: list[list[str]], towns: list[list[str]], *, unknown: Any = ("?", "-")) -> list[list[str]]:
    """`people` has a name and the short name of a town in each row, `towns` has short names and full names. Return
    the name and the full name of the town for each person. For an unknown short name write {unknown!r}. If `towns`
    has a short name twice, its first full name counts. Sort the result by full town name and then by person."""
    full: dict[str, str] = {}
    for short, name in towns:
        full.setdefault(short, name)
    found = [[name, str(full.get(short, unknown))] for name, short in people]
    return sorted(found, key=lambda row: (row[1], row[0]))


def sort_rows(
    rows: list[list[Any]], *, first: Any = ("rising", "falling"), then: Any = ("rising", "falling")
) -> list[list[Any]]:
    """A row is a name, a number of points and an age. Sort the rows by points, {first}, and rows with the same
    points by age, {then}. Rows in which both are the same keep their order."""
    return sorted(
        rows, key=lambda row: (row[1] if first == "rising" else -row[1], row[2] if then == "rising" else -row[2])
    )


def page_of(
    rows: list[str], page: int, *, size: Any = (2, 3, 4), beyond: Any = ("the last page", "an empty list")
) -> list[str]:
    """Show `rows` in pages of {size}. The first page has number 1. Return the rows of page number `page`. For a
    number that is too large return {beyond}. A number below 1 means the first page. Without rows return an empty
    list."""
    number = max(page, 1)
    if beyond == "the last page":
        number = min(number, max((len(rows) + size - 1) // size, 1))
    return rows[(number - 1) * size : number * size]


def changes_only(readings: list[list[int]], *, least: Any = (1, 2, 3)) -> list[list[int]]:
    """A reading is a minute and a value, in the order of time. Keep the first reading, and then each reading whose
    value differs from that of the last kept reading by {least} or more. Return the kept ones."""
    out: list[list[int]] = []
    for reading in readings:
        if not out or abs(reading[1] - out[-1][1]) >= least:
            out.append(reading)
    return out


def sessions(clicks: list[list[Any]], *, pause: Any = (5, 10)) -> dict[str, int]:
    """A click is a name and a minute, in the order of time. A click of a person belongs to the same visit as the
    click of this person before if at most {pause} minutes lie between them, and otherwise begins a new visit.
    Return the number of visits of each person."""
    visits: dict[str, int] = {}
    last: dict[str, int] = {}
    for name, minute in clicks:
        if name not in last or minute - last[name] > pause:
            visits[name] = visits.get(name, 0) + 1
        last[name] = minute
    return visits


def present_now(
    events: list[list[str]], *, order: Any = ("in the order in which they came in", "in alphabetical order")
) -> list[str]:
    """An event is "in" or "out" and a name, the oldest first. Somebody who comes in twice without going out stays
    where they were in the order, and going out without having come in does nothing. Return those who are inside in
    the end, {order}."""
    inside: list[str] = []
    for what, name in events:
        if what == "in" and name not in inside:
            inside.append(name)
        elif what == "out" and name in inside:
            inside.remove(name)
    return inside if order == "in the order in which they came in" else sorted(inside)


def moving_rank(results: list[list[Any]], name: str, *, points: Any = ([3, 2, 1], [5, 1], [10, 5, 2])) -> int:
    """Each result is the list of names in one race, from the first place on. The places bring {points} points, and
    further places bring none. Return on which rank `name` is after all races: 1 plus how many others have more
    points. Return 0 if `name` was in no race."""
    totals: dict[str, int] = {}
    for race in results:
        for place, each in enumerate(race):
            totals[each] = totals.get(each, 0) + (points[place] if place < len(points) else 0)
    if name not in totals:
        return 0
    return 1 + sum(other > totals[name] for other in totals.values())


def bracket_label(rows: list[list[Any]], *, limits: Any = ([10, 20], [5, 15, 25])) -> list[int]:
    """A row is a name and an age. The limits {limits} split the ages into groups: below the first limit, from there
    to below the next, and so on, and from the last limit up. Return the number of rows in each group."""
    counts = [0] * (len(limits) + 1)
    for _, age in rows:
        counts[sum(age >= each for each in limits)] += 1
    return counts


def fair_turns(wishes: list[list[str]], *, most: Any = (1, 2)) -> dict[str, list[str]]:
    """A wish is a person and a book, in the order of time. Each book exists once, and a person gets at most {most}
    books. A wish is fulfilled if the book is still there and the person has not got the maximum yet. Return the
    books of each person who gets any, in the order of getting them."""
    out: dict[str, list[str]] = {}
    gone: list[str] = []
    for person, book in wishes:
        if book not in gone and len(out.get(person, [])) < most:
            out.setdefault(person, []).append(book)
            gone.append(book)
    return out


def column_types(rows: list[list[str]], *, empty: Any = ("are ignored", "count as text")) -> list[str]:
    """All rows have the same number of cells. For each column return "number" if all its cells consist of digits
    only, and otherwise "text". Empty cells {empty}. A column with no other cells than ignored ones is "text"."""
    out: list[str] = []
    for at in range(len(rows[0]) if rows else 0):
        cells = [row[at] for row in rows if row[at] != ""] if empty == "are ignored" else [row[at] for row in rows]
        out.append("number" if cells and all(cell.isdigit() for cell in cells) else "text")
    return out


_NAMES = ["Ada", "Bo", "Cy", "Di"]


def _rows(draw: Random, most: int, *parts: list[Any]) -> list[list[Any]]:
    return [[draw.choice(part) for part in parts] for _ in range(draw.randint(0, most))]


def _timed(draw: Random, rows: list[list[Any]]) -> list[list[Any]]:
    return sorted(rows, key=lambda row: row[1])


FAMILIES = {
    "rows": [
        cheapest_offer,
        double_entries,
        balance_sheet,
        pivot,
        joined_rows,
        sort_rows,
        page_of,
        changes_only,
        sessions,
        present_now,
        moving_rank,
        bracket_label,
        fair_turns,
        column_types,
    ],
}
INPUTS = {
    "cheapest_offer": lambda draw: (
        _rows(draw, 6, ["Zed", "Max", "Ana"], ["cup", "jug"], [3, 4, 5, 6, 8, 9, 10, 11]),
        draw.choice(["cup", "jug", "mug"]),
    ),
    "double_entries": lambda draw: (_rows(draw, 5, _NAMES, [1, 2, 3]),),
    "balance_sheet": lambda draw: (_rows(draw, 6, _NAMES[:3], _NAMES[:3], [1, 3, 5, 8, 10, 15]),),
    "pivot": lambda draw: (_rows(draw, 6, _NAMES[:2], ["May", "June"], [1, 2, 5, 7]),),
    "joined_rows": lambda draw: (
        _rows(draw, 5, _NAMES, ["k", "b", "x"]),
        _rows(draw, 4, ["k", "b"], ["Kiel", "Bonn", "Berg"]),
    ),
    "sort_rows": lambda draw: (_rows(draw, 6, _NAMES, [1, 2], [20, 30]),),
    "page_of": lambda draw: (list("abcdefghij")[: draw.randint(0, 9)], draw.randint(-1, 6)),
    "changes_only": lambda draw: ([[minute, draw.randint(0, 6)] for minute in range(draw.randint(0, 8))],),
    "sessions": lambda draw: (_timed(draw, _rows(draw, 8, _NAMES[:2], [*list(range(0, 40)), 5, 10, 15, 20])),),
    "present_now": lambda draw: (_rows(draw, 8, ["in", "in", "out"], _NAMES[::-1]),),
    "moving_rank": lambda draw: (
        [draw.sample(_NAMES, draw.randint(0, 4)) for _ in range(draw.randint(0, 4))],
        draw.choice(_NAMES),
    ),
    "bracket_label": lambda draw: (_rows(draw, 7, _NAMES, [3, 4, 5, 9, 10, 12, 15, 19, 20, 24, 25, 40]),),
    "fair_turns": lambda draw: (_rows(draw, 8, _NAMES[:3], ["Emma", "Ilias", "Faust", "Momo"]),),
    "column_types": lambda draw: (
        [
            [draw.choice(cells) for cells in (["1", "22", ""], ["7", "x", "8"], ["", "3"])]
            for _ in range(draw.randint(0, 3))
        ],
    ),
}
