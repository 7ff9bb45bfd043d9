"""Training problems about numbers. `problems` describes how a function becomes tasks."""

from typing import Any

from authoring.code.random_values import numbers


def digit_sum(number: int, *, base: Any = (10, 2, 8)) -> int:
    """Return the sum of the digits of `number` (0 or more) when it is written in base {base}."""
    total = 0
    while number:
        total += number % base
        number //= base
    return total


def multiples(low: int, high: int, *, of: Any = (3, 7, 9), but: Any = (5, 2)) -> int:
    """Count the whole numbers from `low` to `high`, both included, that can be divided by {of} and not by {but}."""
    return sum(each % of == 0 and each % but != 0 for each in range(low, high + 1))


def is_prime_like(number: int, *, most: Any = (1, 2, 3)) -> bool:
    """Count the divisors of `number` beside 1 and itself, and say whether there are {most} or fewer. For numbers less
    than 2 the answer is no."""
    if number < 2:
        return False
    return sum(number % each == 0 for each in range(2, number)) <= most


def collatz(number: int, *, factor: Any = (3, 5)) -> int:
    """Begin with `number` (1 or more): while it is more than 1, halve it if it is even, else multiply it by {factor}
    and add 1. Return after how many steps it is 1; -1 if it is not after 50 steps."""
    steps = 0
    while number > 1:
        if steps == 50:
            return -1
        number = number // 2 if number % 2 == 0 else number * factor + 1
        steps += 1
    return steps


def change(amount: int, *, coins: Any = ([10, 5, 1], [20, 7, 1], [8, 4, 2])) -> list[int]:
    """Pay `amount` with the coins {coins}, always the largest that is not too much. Return how many of each are used,
    in this order, and last what is left over."""
    out: list[int] = []
    for each in coins:
        out.append(amount // each)
        amount %= each
    return [*out, amount]


def roman(number: int) -> str:
    """Write `number` (1 to 399) in Roman numerals: I, V, X, L, C, with IV, IX, XL and XC for 4, 9, 40 and 90."""
    out = ""
    for value, sign in (
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ):
        while number >= value:
            out += sign
            number -= value
    return out


def in_base(number: int, *, base: Any = (2, 3, 16)) -> str:
    """Write `number` in base {base}, with the digits 0 to 9 and a to f and a minus sign before negative ones."""
    sign, number, out = "-" if number < 0 else "", abs(number), ""
    while number:
        out = "0123456789abcdef"[number % base] + out
        number //= base
    return sign + (out or "0")


def clamp_sum(items: list[int], *, low: Any = (-5, 0), high: Any = (10, 20)) -> int:
    """Return the sum of `items`, where one that is less than {low} counts as {low} and one that is more than {high}
    as {high}."""
    return sum(min(max(each, low), high) for each in items)


def tax(income: int, *, free: Any = (10, 20), rate: Any = (10, 25)) -> int:
    """The first {free} of `income` are free. Of what is above, up to 50 in all, {rate} percent are due, and of what
    is above 50 twice as many percent. Return what is due, rounded down to a whole number once, at the end."""
    middle = max(0, min(income, 50) - free)
    upper = max(0, income - 50)
    return (middle * rate + upper * 2 * rate) // 100


def spread(items: list[int], *, drop: Any = (1, 2)) -> int:
    """Sort `items`, leave out {drop} at each end, and return the largest minus the smallest of the rest; 0 if nothing
    is left."""
    rest = sorted(items)[drop : len(items) - drop]
    return rest[-1] - rest[0] if rest else 0


def middle(items: list[int], *, way: Any = ("lower", "upper")) -> int:
    """Return the item that stands in the middle when `items` are sorted; of an even number of items the {way} one of
    the two in the middle. An empty list is a ValueError."""
    if not items:
        raise ValueError("nothing")
    at = len(items) // 2
    return sorted(items)[at - 1 if way == "lower" and len(items) % 2 == 0 else at]


def fold_sequence(count: int, *, a: Any = (1, 2), b: Any = (1, 3), plus: Any = (1, 2)) -> list[int]:
    """A sequence begins with {a} and {b}; each further number is the sum of the two before it plus {plus}. Return its
    first `count` numbers."""
    out = [a, b]
    while len(out) < count:
        out.append(out[-1] + out[-2] + plus)
    return out[:count]


def shared_divisors(one: int, two: int, *, least: Any = (1, 2, 3)) -> list[int]:
    """Return in ascending order the whole numbers from {least} on by which both `one` and `two` (1 or more) can be
    divided."""
    return [each for each in range(least, min(one, two) + 1) if one % each == 0 and two % each == 0]


def rounded(number: int, *, to: Any = (5, 10, 4)) -> int:
    """Return the multiple of {to} that is nearest to `number` (0 or more); exactly between two, the larger one."""
    return (number + to // 2) // to * to


def lucky(number: int, *, digit: Any = (3, 7, 9), factor: Any = (3, 7)) -> str:
    """Return "both" if `number` can be divided by {factor} and has the digit {digit}, "factor" or "digit" if only one
    of these is true, else the number as text. It is 0 or more."""
    divides, has = number % factor == 0, str(digit) in str(number)
    if divides and has:
        return "both"
    if divides:
        return "factor"
    return "digit" if has else str(number)


def check_digit(digits: str, *, weight: Any = (3, 2, 7)) -> bool:
    """`digits` is a code of digits. Multiply every second one, beginning with the second, by {weight}, and add them
    all up. Say whether the sum can be divided by 10. A code that is empty or has other characters is a ValueError."""
    if not digits.isdigit():
        raise ValueError(digits)
    return sum(int(each) * (weight if at % 2 else 1) for at, each in enumerate(digits)) % 10 == 0


def percent_change(old: int, new: int, *, otherwise: Any = (0, -1, 100)) -> int:
    """Return by how many percent `new` is more than `old` (less: negative), rounded down; {otherwise} if `old` is 0.
    `old` is 0 or more."""
    return (new - old) * 100 // old if old else otherwise


def postage(grams: int, *, step: Any = (50, 100), more: Any = (2, 3)) -> int:
    """A letter of up to 20 grams costs 4; a heavier one costs {more} more for each {step} grams, or part of them, by
    which it is heavier than 20. What weighs more than 500 grams is no letter: a ValueError, and so is a weight below
    1. Return what it costs."""
    if grams < 1 or grams > 500:
        raise ValueError(grams)
    return 4 if grams <= 20 else 4 + more * ((grams - 20 + step - 1) // step)


FAMILIES = {
    "numbers": [
        digit_sum,
        multiples,
        is_prime_like,
        collatz,
        change,
        roman,
        in_base,
        clamp_sum,
        tax,
        spread,
        middle,
        fold_sequence,
        shared_divisors,
        rounded,
        lucky,
        check_digit,
        percent_change,
        postage,
    ],
}
INPUTS = {
    "digit_sum": lambda draw: (draw.choice([0, draw.randint(1, 20), draw.randint(20, 99999)]),),
    "multiples": lambda draw: (draw.randint(-20, 30), draw.randint(-5, 90)),
    "is_prime_like": lambda draw: (draw.randint(-2, 60),),
    "collatz": lambda draw: (draw.randint(1, 64),),
    "change": lambda draw: (draw.randint(0, 99),),
    "roman": lambda draw: (draw.choice([draw.randint(1, 50), draw.randint(1, 399), 4, 9, 40, 90, 99, 100]),),
    "in_base": lambda draw: (draw.choice([0, draw.randint(-300, 300), draw.randint(0, 5000)]),),
    "tax": lambda draw: (draw.randint(0, 130),),
    "fold_sequence": lambda draw: (draw.randint(0, 9),),
    "shared_divisors": lambda draw: (draw.randint(1, 8) * draw.randint(1, 9), draw.randint(1, 8) * draw.randint(1, 9)),
    "rounded": lambda draw: (draw.randint(0, 80),),
    "lucky": lambda draw: (draw.choice([draw.randint(0, 99), 21 * draw.randint(0, 40)]),),
    "check_digit": lambda draw: (
        draw.choice(["", "12a4", *("".join(map(str, numbers(draw, 0, 9))) or "7" for _ in range(8)), "1331", "24"]),
    ),
    "percent_change": lambda draw: (draw.choice([0, draw.randint(1, 40)]), draw.randint(-5, 80)),
    "postage": lambda draw: (
        draw.choice([0, 1, 19, 20, 21, 70, 71, 120, 121, 499, 500, 501, *(draw.randint(2, 499) for _ in range(6))]),
    ),
}
