"""Writes arithmetic in small steps: products by places, quotients by multiples, percentages by tens, times by full hours.

An equals sign stands only between equal numbers, so that a test can compute every line again.
"""

from fractions import Fraction

from verigym.environments.math import questions
from verigym.environments.math.questions import Value, at

_KNOWN = 12
"""Tables that need no steps."""


def plain(value: Value) -> str:
    """`questions.plain`, faster for whole numbers."""
    return int.__repr__(value) if isinstance(value, int) else questions.plain(value)


def places(value: int) -> list[int]:
    """`345` is `[300, 40, 5]`."""
    digits = str(value)
    return [int(digit) * 10 ** (len(digits) - place - 1) for place, digit in enumerate(digits) if digit != "0"]


def times(one: Value, two: Value) -> str:
    """`47 × 6 = 40 × 6 + 7 × 6 = 240 + 42 = 282`."""
    shown = f"{signed(one)} × {signed(two)} = "
    if one.denominator > 1 or two.denominator > 1 or one < 0 or two < 0:
        return shown + plain(one * two)
    left, right = int(one), int(two)
    counts = [1 if each <= _KNOWN else len(places(each)) for each in (left, right)]
    if max(counts) < 2 or min(left, right) < 2:
        return shown + str(left * right)
    if counts[1] > 1 and (counts[0] == 1 or counts[1] <= counts[0]):
        pairs = [(left, part) for part in places(right)]
    else:
        pairs = [(part, right) for part in places(left)]
    products = " + ".join(f"{a} × {b}" for a, b in pairs)
    return f"{shown}{products} = {' + '.join(str(a * b) for a, b in pairs)} = {left * right}"


def divided(one: Value, two: Value) -> str:
    """`1692 ÷ 36: 36 × 40 = 1440, 1692 - 1440 = 252, 36 × 7 = 252, so 1692 ÷ 36 = 47`."""
    result = Fraction(one) / two
    shown = f"{signed(one)} ÷ {signed(two)}"
    whole = result.denominator == one.denominator == two.denominator == 1 and min(one, two) > 0
    if not whole or result <= _KNOWN or len(places(int(result))) == 1 or two in (1, 2, 10):
        return f"{shown} = {plain(result)}"
    rest, parts = int(one), []
    for part in places(int(result)):
        product = int(two) * part
        parts.append(f"{plain(two)} × {part} = {product}")
        if rest != product:
            parts.append(f"{rest} - {product} = {rest - product}")
        rest -= product
    return f"{shown}: {', '.join(parts)}, so {shown} = {plain(result)}"


def with_rest(one: int, two: int) -> str:
    """`29 ÷ 8: 8 × 3 = 24, 29 - 24 = 5, so 3 times and 5 left`."""
    count, rest = divmod(one, two)
    return f"{one} ÷ {two}: {two} × {count} = {two * count}, {one} - {two * count} = {rest}, so {count} times and {rest} left"


def plus(*values: Value) -> str:
    """`12 + 30 = 42, 42 + 5 = 47`."""
    total, parts = values[0], []
    for value in values[1:]:
        parts.append(f"{plain(total)} + {signed(value)} = {plain(total + value)}")
        total += value
    return ", ".join(parts)


def minus(one: Value, two: Value) -> str:
    return f"{plain(one)} - {signed(two)} = {plain(one - two)}"


def signed(value: Value) -> str:
    """A negative number in brackets."""
    return f"({plain(value)})" if value < 0 else plain(value)


def percent_of(percent: int, base: Value) -> str:
    """`10% of 240 is 24, 30% is 3 × 24 = 72, 5% is 24 ÷ 2 = 12, so 35% is 72 + 12 = 84`."""
    base, tenth = Fraction(base), Fraction(base) / 10
    tens, rest = divmod(percent, 10)
    if rest not in (0, 5):
        hundredth = base / 100
        return f"1% of {plain(base)} is {plain(base)} ÷ 100 = {plain(hundredth)}, so {percent}% is {times(percent, hundredth)}"
    first = f"10% of {plain(base)} is {plain(base)} ÷ 10 = {plain(tenth)}"
    half = f"5% is {plain(tenth)} ÷ 2 = {plain(tenth / 2)}"
    if not rest:
        return first if tens == 1 else f"{first}, so {percent}% is {times(tens, tenth)}"
    if not tens:
        return f"{first}, so {half}"
    many = "" if tens == 1 else f"{percent - 5}% is {times(tens, tenth)}, "
    return f"{first}, {many}{half}, so {percent}% is {plus(tens * tenth, tenth / 2)}"


def in_cents(cents: int) -> str:
    cents = int(cents)
    return f"€{cents // 100 if cents % 100 == 0 else f'{cents / 100:.2f}'} is {cents} cents"


def in_euros(cents: int) -> str:
    cents = int(cents)
    return f"{cents} cents are €{cents // 100 if cents % 100 == 0 else f'{cents / 100:.2f}'}"


# -- times of day --------------------------------------------------------------------------------------------------------


def hours_and_minutes(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return " ".join([f"{hours} h"] * (hours > 0) + [f"{rest} min"] * (rest > 0 or not hours))


def to_hours(minutes: int) -> str:
    """`145 min: 2 × 60 = 120, 145 - 120 = 25, so 2 h 25 min`."""
    minutes = int(minutes)
    hours = minutes // 60
    if not hours:
        return f"{minutes} min is less than 1 h"
    rest = f", {minutes} - {60 * hours} = {minutes % 60}" if minutes % 60 else ""
    return f"{minutes} min: {hours} × 60 = {60 * hours}{rest}, so {hours_and_minutes(minutes)}"


def to_minutes(minutes: int) -> str:
    """`2 h 25 min is 2 × 60 + 25 = 120 + 25 = 145 min`."""
    minutes = int(minutes)
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} min"
    more = f" + {rest} = {60 * hours} + {rest}" if rest else ""
    return f"{hours_and_minutes(minutes)} is {hours} × 60{more} = {minutes} min"


def later(start: int, minutes: int) -> str:
    """`13:50 plus 2 h is 15:50. 15:50 plus 25 min: 10 min to 16:00, 25 - 10 = 15, so 16:15`."""
    hours, rest = divmod(minutes, 60)
    parts, now = [], start
    if hours:
        now += 60 * hours
        over = f"{now // 60}:{now % 60:02}, which is " if start % 1440 + 60 * hours >= 1440 else ""
        parts.append(f"{at(start)} plus {hours} h is {over}{at(now)}")
    if rest:
        gap = 60 - now % 60
        split = f": {gap} min to {at(now + gap)}, {rest} - {gap} = {rest - gap}, so" if rest > gap else " is"
        parts.append(f"{at(now)} plus {rest} min{split} {at(now + rest)}")
    return ". ".join(parts) or at(start)


def earlier(end: int, minutes: int) -> str:
    """`16:15 minus 2 h is 14:15. 14:15 minus 25 min: 15 min back to 14:00, 25 - 15 = 10, so 13:50`."""
    hours, rest = divmod(minutes, 60)
    parts, now = [], end
    if hours:
        now -= 60 * hours
        parts.append(f"{at(end)} minus {hours} h is {at(now)}")
    if rest:
        over = now % 60
        split = (
            f": {over} min back to {at(now - over)}, {rest} - {over} = {rest - over}, so" if 0 < over < rest else " is"
        )
        parts.append(f"{at(now)} minus {rest} min{split} {at(now - rest)}")
    return ". ".join(parts) or at(end)


def between(start: int, end: int) -> str:
    """`13:50 to 15:50 is 2 h. 15:50 to 16:15 is 10 + 15 = 25 min. That is 2 h 25 min`."""
    hours, rest = divmod(end - start, 60)
    middle = start + 60 * hours
    parts = [f"{at(start)} to {at(middle)} is {hours} h"] if hours else []
    if rest:
        gap = 60 - middle % 60
        parts.append(f"{at(middle)} to {at(end)} is {f'{gap} + {rest - gap} = ' if rest > gap else ''}{rest} min")
    return ". ".join(parts) + (f". That is {hours_and_minutes(end - start)}" if len(parts) > 1 else "")
