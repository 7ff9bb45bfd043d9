"""Further training problems about whole numbers. `problems` describes how a function becomes tasks."""

from typing import Any

from authoring.code.random_values import numbers


def place_powers(number: int, *, side: Any = ("left", "right")) -> int:
    """Give places 1, 2, 3 to the digits of `number`, counted from the {side}, and raise each digit to the power of
    its own place. Add up the results. Return how far this sum is from `number`, which is never negative. `number`
    is positive."""
    digits = str(number) if side == "left" else str(number)[::-1]
    return abs(sum(int(each) ** (at + 1) for at, each in enumerate(digits)) - number)


def divisor_kind(number: int, *, names: Any = (["poor", "perfect", "rich"], ["low", "even", "high"])) -> str:
    """`number` is positive. Take each smaller positive number by which it can be divided without a rest, and add
    all of these up. Return {names[0]!r} for a sum below `number`, {names[1]!r} if both are equal, and {names[2]!r}
    for a larger sum."""
    total = sum(each for each in range(1, number) if number % each == 0)
    return names[0] if total < number else names[1] if total == number else names[2]


def digit_root(number: int, *, rounds: Any = (1, 2, 3)) -> int:
    """Replace `number` (0 or more) by the sum of its digits, and repeat this until it has a single digit, but
    {rounds} times at most. Return the result."""
    for _ in range(rounds):
        if number > 9:
            number = sum(int(each) for each in str(number))
    return number


def flip_digits(number: int, *, most: Any = (500, 1000, 5000)) -> int:
    """Write the digits of `number` in reverse order and keep a minus sign in front. Zeros that come to the front
    disappear. If the result is above {most} or below -{most}, return 0."""
    turned = int(str(abs(number))[::-1])
    if turned > most:
        return 0
    return -turned if number < 0 else turned


def prime_parts(
    number: int, *, show: Any = ("repeated as often as needed to make `number` as their product", "each once")
) -> list[int]:
    """Return the prime numbers by which `number` can be divided, from the smallest to the largest, {show}. Numbers
    below 2 give an empty list."""
    out: list[int] = []
    part = 2
    while number > 1:
        if number % part == 0:
            if show == "repeated as often as needed to make `number` as their product" or part not in out:
                out.append(part)
            number //= part
        else:
            part += 1
    return out


def bits_set(number: int, *, bit: Any = (0, 1)) -> int:
    """Return how many digits of `number` (0 or more), written in base 2 without leading zeros, are {bit}. The
    number 0 is written as a single 0."""
    return bin(number)[2:].count(str(bit))


def next_mirror(number: int, *, least: Any = (1, 2, 5)) -> int:
    """Return the smallest whole number that is at least `number` + {least} and whose decimal digits read the same
    in both directions. `number` is 0 or more."""
    found = number + least
    while str(found) != str(found)[::-1]:
        found += 1
    return found


def fizz_words(last: int, *, three: Any = (3, 4), five: Any = (5, 6)) -> list[str]:
    """Count from 1 to `last`. Write "fizz" instead of numbers that {three} divides, "buzz" instead of numbers that
    {five} divides, and "fizzbuzz" if both divide it. Return the list of all words and numbers as text."""
    out: list[str] = []
    for each in range(1, last + 1):
        text = ("fizz" if each % three == 0 else "") + ("buzz" if each % five == 0 else "")
        out.append(text or str(each))
    return out


def stacked_balls(count: int, *, extra: Any = (1, 2, 3)) -> int:
    """Balls are laid in rows. The first row has 1 ball, and each further row has {extra} more than the one before
    it. Return how many complete rows can be laid with `count` balls. The rest is left over."""
    rows, need = 0, 1
    while count >= need:
        count -= need
        need += extra
        rows += 1
    return rows


def biggest_by_swap(number: int, *, want: Any = ("largest", "smallest")) -> int:
    """Rearrange the digits of `number` (0 or more) to get the {want} possible number. The result must not start
    with a zero unless `number` is 0."""
    digits = sorted(str(number), reverse=want == "largest")
    if want == "smallest" and number > 0:
        first = next(each for each in digits if each != "0")
        digits.remove(first)
        digits = [first, *digits]
    return int("".join(digits))


def zero_gap(number: int, *, digit: Any = ("0", "1")) -> int:
    """Write `number` (0 or more) in base 2. Return the length of the longest unbroken row of the digit {digit}, or
    0 if it does not occur. The number 0 is written as 0."""
    best = now = 0
    for each in bin(number)[2:]:
        now = now + 1 if each == digit else 0
        best = max(best, now)
    return best


def small_number_words(number: int, *, joint: Any = ("-", " ", "")) -> str:
    """Write `number` from 0 to 39 in English words, such as "seven" or "fifteen". From 21 on, put {joint!r} between
    tens and ones. Raise ValueError if `number` is not in this range."""
    ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    names = [*ones.split(), "eighteen", "nineteen"]
    if number < 0 or number > 39:
        raise ValueError(number)
    if number < 20:
        return names[number]
    tens = "twenty" if number < 30 else "thirty"
    return tens if number % 10 == 0 else tens + joint + names[number % 10]


def simplest_fraction(
    top: int, bottom: int, *, whole: Any = ("only the top number", "the fraction with 1 as bottom number")
) -> str:
    """Write the fraction of `top` and `bottom` in lowest terms, such as "3/4". Both are 1 or more. If the bottom
    number becomes 1, write {whole}."""
    divisor = max(each for each in range(1, min(top, bottom) + 1) if top % each == 0 and bottom % each == 0)
    text = str(top // divisor)
    if whole == "only the top number" and bottom == divisor:
        return text
    return text + "/" + str(bottom // divisor)


def digit_product_steps(number: int, *, skip: Any = ("zeros are left out", "zeros count like other digits")) -> int:
    """Multiply all digits of the positive `number` with each other, where {skip}. As long as the product has two
    digits or more, do the same with it. Return how many times you multiplied. It is 0 if `number` has one digit."""
    count = 0
    while number > 9:
        product = 1
        for each in str(number):
            product *= int(each) if skip == "zeros count like other digits" else int(each) or 1
        number = product
        count += 1
    return count


def pascal_row(row: int, *, edge: Any = (1, 2, 3)) -> list[int]:
    """Row 0 of a number triangle is [{edge}]. Every further row has one number more, with {edge} at both ends, and
    each number between is the sum of the two numbers above it. Return row number `row`, or an empty list if it is
    negative."""
    if row < 0:
        return []
    now = [edge]
    for _ in range(row):
        now = [edge, *[a + b for a, b in zip(now, now[1:])], edge]  # noqa: B905, RUF007
    return now


def meet_again(periods: list[int], *, limit: Any = (20, 50, 100)) -> int:
    """Lamps flash together now, and lamp number i flashes again every `periods[i]` seconds. Return after how many
    seconds all of them flash together for the next time, or -1 if that takes longer than {limit} seconds. There is
    at least one lamp."""
    for second in range(1, limit + 1):
        if all(second % each == 0 for each in periods):
            return second
    return -1


def root_and_rest(number: int, *, power: Any = (2, 3)) -> list[int]:
    """Return the largest whole number that, raised to the power {power}, is not more than `number`, and then the
    difference between `number` and that power. A negative number is a ValueError."""
    if number < 0:
        raise ValueError(number)
    root = 0
    while (root + 1) ** power <= number:
        root += 1
    return [root, number - root**power]


def from_base(text: str, *, base: Any = (2, 3, 8)) -> int:
    """`text` is a number written in base {base}, perhaps with a minus sign in front. Return its value. Text that
    has other characters, or no digit at all, is a ValueError."""
    digits = text.removeprefix("-")
    if not digits or any(each not in "01234567"[:base] for each in digits):
        raise ValueError(text)
    value = 0
    for each in digits:
        value = value * base + int(each)
    return -value if text[0] == "-" else value


def column_letters(number: int, *, letters: Any = ("ABC", "ABCD", "XYZ")) -> str:
    """Columns are named with the letters {letters!r}. First come the names with one letter, then all names with two
    letters, then those with three, and names of the same length are in alphabetical order. Return the name of
    column `number`, where the first is 1."""
    out = ""
    while number > 0:
        number -= 1
        out = letters[number % len(letters)] + out
        number //= len(letters)
    return out


def half_up_average(items: list[int], *, digits: Any = ("the nearest whole number", "the nearest ten")) -> int:
    """Return the average of `items`, rounded to {digits}. Exactly in between, round up. All numbers are 0 or more,
    and an empty list gives 0."""
    if not items:
        return 0
    unit = 1 if digits == "the nearest whole number" else 10
    return (2 * sum(items) + unit * len(items)) // (2 * unit * len(items)) * unit


def grown(amount: int, *, rate: Any = (5, 10, 20), goal: Any = (100, 150)) -> int:
    """Money in a box grows by {rate} percent every year, where the growth is rounded down to a whole number. Return
    after how many years the box first has {goal} or more. That is 0 if `amount` is enough already. If a year brings
    no growth before that, return -1. `amount` is 0 or more."""
    years = 0
    while amount < goal:
        more = amount * rate // 100
        if more == 0:
            return -1
        amount += more
        years += 1
    return years


def split_evenly(total: int, *, people: Any = (3, 4, 5), extra: Any = ("first", "last")) -> list[int]:
    """Share `total` (0 or more) among {people} people as evenly as whole numbers allow. If it is not divisible, the
    {extra} people of the list get one more than the others. Return the shares."""
    share, rest = divmod(total, people)
    more = [share + 1] * rest
    same = [share] * (people - rest)
    return more + same if extra == "first" else same + more


def number_shape(number: int, *, least: Any = (2, 3)) -> str:
    """Look at the decimal digits of `number` (0 or more). Return "rising" if each digit is larger than the one
    before, "falling" if each is smaller, "flat" if all are equal, and otherwise "mixed". Numbers with fewer than
    {least} digits are "short"."""
    digits = str(number)
    if len(digits) < least:
        return "short"
    pairs = [(a, b) for a, b in zip(digits, digits[1:])]  # noqa: B905, RUF007
    if all(a < b for a, b in pairs):
        return "rising"
    if all(a > b for a, b in pairs):
        return "falling"
    return "flat" if all(a == b for a, b in pairs) else "mixed"


def tariff(units: int, *, cheap: Any = (10, 20), price: Any = (3, 5)) -> int:
    """The first {cheap} units of water cost {price} each, the next {cheap} units cost 1 more each, and all further
    units cost twice as much as the first ones. There is also a basic fee of 7, even without any use. Return the
    cost."""
    first = min(units, cheap)
    second = min(max(units - cheap, 0), cheap)
    third = max(units - 2 * cheap, 0)
    return 7 + first * price + second * (price + 1) + third * 2 * price


FAMILIES = {
    "numbers": [
        place_powers,
        divisor_kind,
        digit_root,
        flip_digits,
        prime_parts,
        bits_set,
        next_mirror,
        fizz_words,
        stacked_balls,
        biggest_by_swap,
        zero_gap,
        small_number_words,
        simplest_fraction,
        digit_product_steps,
        pascal_row,
        meet_again,
        root_and_rest,
        from_base,
        column_letters,
        half_up_average,
        grown,
        split_evenly,
        number_shape,
        tariff,
    ],
}
INPUTS = {
    "place_powers": lambda draw: (
        draw.choice([1, 89, 135, 175, 518, 10, 24, draw.randint(1, 500), draw.randint(1, 99)]),
    ),
    "divisor_kind": lambda draw: (draw.choice([1, 6, 28, 12, 18, 20, draw.randint(2, 60)]),),
    "digit_root": lambda draw: (
        draw.choice(
            [0, 9, 10, 19, 199, 2989, 999999, 19999999999999999999999, 59999999999999999999999, draw.randint(0, 99999)]
        ),
    ),
    "flip_digits": lambda draw: (
        draw.choice([0, -1, 120, -450, 5, 105, 1005, 1, 1000, draw.randint(-9999, 9999), draw.randint(-999, 999)]),
    ),
    "prime_parts": lambda draw: (draw.choice([-3, 0, 1, 2, 4, 8, 12, 49, 97, 90, draw.randint(2, 200)]),),
    "bits_set": lambda draw: (draw.choice([0, 1, 2, 3, 255, 256, draw.randint(0, 300)]),),
    "next_mirror": lambda draw: (draw.choice([0, 8, 9, 10, 11, 95, 99, 191, 998, draw.randint(0, 2000)]),),
    "fizz_words": lambda draw: (draw.randint(-1, 30),),
    "stacked_balls": lambda draw: (draw.randint(-1, 60),),
    "biggest_by_swap": lambda draw: (draw.choice([0, 5, 10, 100, 2010, 909, draw.randint(0, 99999)]),),
    "zero_gap": lambda draw: (draw.choice([0, 1, 2, 7, 8, 9, 1041, 529, draw.randint(0, 2000)]),),
    "small_number_words": lambda draw: (draw.randint(-2, 41),),
    "simplest_fraction": lambda draw: (draw.randint(1, 24), draw.randint(1, 12)),
    "digit_product_steps": lambda draw: (draw.choice([7, 10, 39, 25, 105, 999, 77, 679, draw.randint(1, 9999)]),),
    "pascal_row": lambda draw: (draw.randint(-2, 9),),
    "meet_again": lambda draw: ([draw.choice([1, 2, 3, 4, 5, 6, 10, 25, 50, 100]) for _ in range(draw.randint(1, 3))],),
    "root_and_rest": lambda draw: (draw.choice([-1, -9, 0, 1, 2, 4, 8, 27, 64, 125, draw.randint(0, 200)]),),
    "from_base": lambda draw: (
        draw.choice(["", "-", "0", "-0", "12a", "1-1", "8", "--1", "017"])
        if draw.random() < 0.4
        else draw.choice(["", "-"])
        + "".join(draw.choice(draw.choice(["01", "012", "01234567"])) for _ in range(draw.randint(1, 4))),
    ),
    "column_letters": lambda draw: (draw.randint(1, 90),),
    "half_up_average": lambda draw: (numbers(draw, 0, 60),),
    "grown": lambda draw: (draw.randint(0, 160),),
    "split_evenly": lambda draw: (draw.randint(0, 40),),
    "number_shape": lambda draw: (
        draw.choice([0, 7, 11, 12, 21, 22, 123, 321, 555, 112, 211, 121, 1357, 9630, draw.randint(0, 9999)]),
    ),
    "tariff": lambda draw: (draw.randint(0, 60),),
}
