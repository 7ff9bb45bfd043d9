"""Held-out problems about numbers. `problems` describes how a function becomes tasks."""

from typing import Any


def happy(number: int, *, power: Any = (2, 3)) -> bool:
    """Raise each digit of `number` (1 or more) to the power of {power} and replace the number by the sum of these, again
    and again. Say whether it becomes 1 before a number comes a second time."""
    seen: list[int] = []
    while number not in seen:
        seen.append(number)
        number = sum(int(each) ** power for each in str(number))
    return number == 1


def thirsty_plants(days: list[int], *, start: Any = (5, 8), use: Any = (2, 3)) -> int:
    """A plant has {start} litres of water. Each day it first gets the rain of that day, keeps at most 10 litres, and
    then uses {use}. Return the number of the first day (from 1) on which it has not enough to use; 0 if there is
    none."""
    water = start
    for at, each in enumerate(days):
        water = min(water + each, 10)
        if water < use:
            return at + 1
        water -= use
    return 0


def mixed_number(top: int, bottom: int, *, sign: Any = (" ", "+", " and ")) -> str:
    """Write `top` / `bottom` (both 1 or more) in lowest terms as whole number and fraction, such as "2{sign}1/3";
    without a fraction where it is whole, and without the whole number where that is 0."""
    whole, rest = top // bottom, top % bottom
    if rest == 0:
        return str(whole)
    for each in range(rest, 1, -1):
        if rest % each == 0 and bottom % each == 0:
            rest, bottom = rest // each, bottom // each
    fraction = str(rest) + "/" + str(bottom)
    return str(whole) + sign + fraction if whole else fraction


def triangle(a: int, b: int, c: int, *, flat: Any = ("line", "none")) -> str:
    """Three sides (1 or more): return "equal" if all are the same, "two" if exactly two are, else "odd"; but {flat!r}
    if one side is as long as the other two together, and a ValueError if it is longer."""
    x, y, z = sorted([a, b, c])
    if x + y < z:
        raise ValueError("no triangle")
    if x + y == z:
        return flat
    return "equal" if x == z else "two" if x == y or y == z else "odd"


def parking_fee(minutes: int, *, free: Any = (15, 30), price: Any = (2, 3), most: Any = (10, 15)) -> int:
    """Parking is free for up to {free} minutes. Who stays longer pays {price} for every hour that is begun, from the
    first minute on, but at most {most} for each 24 hours that are begun."""
    if minutes <= free:
        return 0
    days, rest = minutes // 1440, minutes % 1440
    return days * most + min(most, (rest + 59) // 60 * price)


def tile_boxes(long: int, wide: int, *, tile: Any = (20, 30), box: Any = (6, 10)) -> int:
    """A floor of `long` times `wide` centimetres gets square tiles of {tile} centimetres, laid in straight lines from
    one corner. At the far sides tiles are cut, and offcuts go to waste. Tiles are sold in boxes of {box}; buy one tile
    more than you lay, for breakage, unless the floor has no area. Work out the number of boxes."""
    laid = ((long + tile - 1) // tile) * ((wide + tile - 1) // tile)
    return (laid + 1 + box - 1) // box if laid else 0


FAMILIES = {
    "numbers": [
        happy,
        thirsty_plants,
        mixed_number,
        triangle,
        parking_fee,
        tile_boxes,
    ],
}
INPUTS = {
    "happy": lambda draw: (draw.randint(1, 120),),
    "thirsty_plants": lambda draw: ([draw.choice([0, 0, 1, 2, 3, 9]) for _ in range(draw.randint(0, 9))],),
    "mixed_number": lambda draw: (draw.randint(1, 60), draw.randint(1, 12)),
    "triangle": lambda draw: tuple(draw.randint(1, 5) for _ in "abc"),
    "parking_fee": lambda draw: (
        draw.choice([15, 16, 30, 31, 60, 61, 1440, 1441, 2885, draw.randint(0, 500), draw.randint(500, 4000)]),
    ),
    "tile_boxes": lambda draw: (
        draw.choice([0, 20, 21, 30, 31, 60, 61, draw.randint(1, 150)]),
        draw.choice([0, 20, 30, 60, 61, draw.randint(1, 90)]),
    ),
}
